"""What a requirement does beside HTTP is recorded, shown, and done again, or the requirement is tested again."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from conformance.after.reading import read_results
from conformance.after.reproduction import as_shell, recorded, reproduce, settings_for
from conformance.http.recording import Recording
from conformance.replay.beside import FileActions, unrepeatable
from conformance.replay.issued import to_steps
from conformance.replay.renaming import Renaming
from conformance.replay.replaying import Finding, lack
from conformance.report.card import card
from conformance.report.html import render_html
from conformance.report.junit import render_junit
from conformance.values.exchange import MAX_BODY, Action, Beside, Exchange
from conformance.values.settings import Settings
from lakeproof import check, serve
from mutants import faults as declared

LOST = "iceberg.table.load.lost_file"
LATER = "iceberg.table.load.uncommitted"
SCHEME = "lance.version.create.scheme"


def seen_again(name, fault, folder, **options):
    """Find a defect, and reproduce it on a server with the fault and on one without."""
    api = name.partition(".")[0]
    with serve(api, faults=[fault], **options) as server:
        results, _ = check(server.url, api=api, select=name, report=str(folder))
        record = recorded(read_results(folder), name)
        there = reproduce(record, settings_for(record, server.url, {}))
    with serve(api, **options) as fixed:
        gone = reproduce(record, settings_for(record, fixed.url, {}))
    return results, record, there, gone


@pytest.mark.parametrize(
    ("name", "fault", "options"),
    [
        (LATER, "newest-file-shown", {"storage": "memory"}),
        (LOST, "unreadable-file-as-500", {"storage": "memory"}),
        (SCHEME, "naming-scheme-ignored", {"storage": "memory"}),
    ],
)
def test_a_defect_that_needs_files_is_not_fixed_on_the_same_server(tmp_path, name, fault, options):
    results, record, there, gone = seen_again(name, fault, tmp_path, **options)
    (entry,) = results.requirements
    assert not entry.flaky
    assert [step.beside for step in entry.steps if step.beside]
    assert there.state == "fails", there.why
    assert gone.state == "fixed", gone.why
