"""Findings of every kind are seen again on the server that has them, and not on one that does not."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

from conformance.after.reading import read_results
from conformance.after.reproduction import as_shell, recorded, reproduce, settings_for
from conformance.replay.commands import again
from conformance.replay.expectations import same_evidence
from conformance.replay.replaying import Replayed
from conformance.report.pytest_module import as_pytest
from conformance.run import session
from conformance.values.settings import Settings
from lakeproof import check, serve
from lakeproof.cli import lakeproof as command
from specs.problems import Problem

pytest_plugins = ["pytester"]
FINDINGS = [
    ("lance", "conflict-as-400", "lance.namespace.create.conflict"),
    ("lance", "actions-reversed", "lance.transaction.alter.order"),
    ("lance", "merge-appends", "lance.model.rows"),
    ("lance", "create-forgets", "lance.name.case"),
    ("lance", "merge-appends", "lance.race.merge"),
    ("lance", "index-ghost", "lance.pagination.complete.list_table_indices"),
    ("iceberg", "added-is-chosen", "iceberg.update.schema.id"),
    ("iceberg", "added-is-chosen", "iceberg.model.commits"),
    ("iceberg", "bad-layouts-overlooked", "iceberg.table.create.bad_layout.spec_transform"),
    ("iceberg", "changed-answer-field:loadTable:metadata.default-spec-id", "iceberg.rules.metadata_default_spec"),
    ("iceberg", "names-as-locations", "iceberg.names.inside.dot"),
    ("iceberg", "file-content-told", "iceberg.register.table.outside"),
    ("iceberg", "optional-fields-wanted", "iceberg.credentials.status.create_table"),
    ("iceberg", "pages-start-refused", "iceberg.page.start.list_views"),
]
TOKEN = "token:s3cret"
MODULE_LINES = 60


@pytest.fixture
def starting(tmp_path):
    """Start servers of an API with faults; their credentials are the same."""

    def start(api, *faults):
        return serve(api, storage="memory:pure" if api == "lance" else "memory", auth=TOKEN, faults=faults)

    return start


@pytest.mark.parametrize(("api", "fault", "name"), FINDINGS, ids=[name for _, _, name in FINDINGS])
def test_a_finding_is_seen_again_until_it_is_mended(starting, tmp_path, api, fault, name):
    depth = "gate" if ".model." in name else "smoke"  # a short walk may miss the fault
    given = {"api": api, "token": "s3cret", "select": name, "depth": depth, "report": str(tmp_path)}
    with starting(api, fault) as server:
        results, _ = check(server.url, **given)
        assert results.totals["fail"] + results.totals["warn"] == 1, results.totals
    record = recorded(read_results(tmp_path), name)
    assert "s3cret" not in as_pytest(record, "http://x") + as_shell(record, "http://x")
    assert len(as_pytest(record, "http://x").splitlines()) <= MODULE_LINES
    with starting(api, fault) as fresh:
        outcome = reproduce(record, settings_for(record, fresh.url, {"token": "s3cret"}))
        assert outcome.fails, outcome.why
    with starting(api) as fixed:
        outcome = reproduce(record, settings_for(record, fixed.url, {"token": "s3cret"}))
        assert not outcome.fails, outcome.why


NAME = "lance.namespace.create.conflict"


def test_a_replay_checks_answers_beyond_their_schemas(starting, tmp_path):
    name = "lance.codes.listed.create_namespace"  # it judges the answers to others, and sends nothing
    with starting("lance", "foreign-code") as server:
        select = f"{name} or {NAME}"
        check(server.url, api="lance", token="s3cret", select=select, depth="smoke", report=str(tmp_path))
        record = recorded(read_results(tmp_path), name)
        outcome = reproduce(record, settings_for(record, server.url, {"token": "s3cret"}))
    assert outcome.fails, outcome.why
    assert "violates the document at the same place" in outcome.why


@pytest.fixture(scope="module")
def faulty():
    with serve("lance", storage="memory:pure", auth=TOKEN, faults=["conflict-as-400"]) as server:
        yield server


@pytest.fixture(scope="module")
def recorded_run(faulty, tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded_run")
    headers = ["x-other-token: hush", "x-tenant: a b"]
    results, _ = check(faulty.url, token="s3cret", select=NAME, header=headers, report=str(folder))
    return results


def shell(script, environ):
    return subprocess.run(["sh", "-c", script], capture_output=True, text=True, env=environ, check=True)


def statuses(ran):
    return [line.split()[1] for line in ran.stdout.splitlines() if line.startswith("HTTP/")]


def test_curl_commands_show_what_was_recorded(recorded_run, faulty, tmp_path):
    script = as_shell(recorded(recorded_run, NAME), faulty.url)
    secrets = {"LAKEPROOF_AUTHORIZATION": "Bearer s3cret", "LAKEPROOF_X_OTHER_TOKEN": "hush"}
    ran = shell(script, secrets)
    assert statuses(ran) == ["200", "200", "400"]
    assert "$BASE" in script
    assert recorded_run.run.prefix not in script
    assert statuses(shell(script.replace("(date +%s)", "(date +%s)again"), secrets)) == statuses(ran)
    assert script.count(faulty.url) == 1


def test_curl_commands_want_the_secrets_of_the_run(recorded_run, faulty):
    script = as_shell(recorded(recorded_run, NAME), faulty.url)
    ran = subprocess.run(["sh", "-c", script], capture_output=True, text=True, env={}, check=False)
    assert ran.returncode == 2
    assert ran.stderr.endswith("LAKEPROOF_X_OTHER_TOKEN: the value of the header\n")
    assert "LAKEPROOF_AUTHORIZATION:?the value of the header, like: Bearer TOKEN" in script
    assert statuses(ran) == []


def test_the_command_of_a_finding_judges_in_the_same_way(recorded_run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, value in (("LAKEPROOF_TOKEN", "s3cret"), ("LAKEPROOF_X_OTHER_TOKEN", "hush")):
        monkeypatch.setenv(name, value)
    words = shlex.split(f"{recorded_run.run.again} -k {NAME}".replace("$LAKEPROOF_TOKEN", "s3cret"))
    assert "hush" not in recorded_run.run.again
    assert "s3cret" not in recorded_run.run.again
    assert command.main(words[1:], standalone_mode=False) == 1
    again_found = read_results(Path(recorded_run.target.settings["report"])).requirements
    assert [entry.id for entry in again_found] == [NAME]
    assert same_evidence(again_found[0], recorded(recorded_run, NAME).finding)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (Settings(api="lance"), "lakeproof check --api lance"),
        (Settings("http://h:1", token="t"), 'lakeproof check http://h:1 --token "$LAKEPROOF_TOKEN"'),
        (
            Settings("http://h:1", api="iceberg", profile="iceberg/1.6", namespace="a.b", insecure=True),
            "lakeproof check http://h:1 --api iceberg --profile iceberg/1.6 --namespace a.b --insecure",
        ),
        (
            Settings("http://h:1", header=("x-tenant: a b", "X-Api-Key: k")),
            "lakeproof check http://h:1 --header 'x-tenant: a b' --header \"X-Api-Key: $LAKEPROOF_X_API_KEY\"",
        ),
        (Settings("http://h:1", depth="deep", seed=7, kinds=("wire",), select="x"), "--depth deep --seed 7"),
        (Settings(warehouse="w=s3://key:s3cret@b/c"), 'lakeproof check --api lance --warehouse "$LAKEPROOF_WAREHOUSE"'),
    ],
)
def test_a_command_has_all_options_and_no_secret(settings, words):
    assert again(settings).endswith(words)


def test_a_test_for_pytest_fails_until_it_is_mended(recorded_run, faulty, pytester, monkeypatch):
    for name, value in (("LAKEPROOF_TOKEN", "s3cret"), ("LAKEPROOF_X_OTHER_TOKEN", "hush")):
        monkeypatch.setenv(name, value)
    pytester.makepyfile(test_found=as_pytest(recorded(recorded_run, NAME), faulty.url))
    failed = pytester.runpytest_subprocess("-q", "-p", "no:cacheprovider")
    failed.assert_outcomes(failed=1)
    failed.stdout.fnmatch_lines(["E * CreateNamespace: expected 409, got 400"])
    with serve("lance", storage="memory:pure", auth=TOKEN) as fixed:
        monkeypatch.setenv("BASE", fixed.url)
        pytester.runpytest_subprocess("-q", "-p", "no:cacheprovider").assert_outcomes(passed=1)


def test_what_is_no_finding_is_a_problem(recorded_run):
    with pytest.raises(Problem, match="has no finding") as caught:
        recorded(recorded_run, NAME[:-1])
    assert NAME in caught.value.hint


def test_a_secret_of_the_recorded_run_has_to_be_given(recorded_run):
    with pytest.raises(Problem, match="a secret x-other-token") as caught:
        settings_for(recorded(recorded_run, NAME), "http://h:1", {}, {})
    assert "$LAKEPROOF_X_OTHER_TOKEN" in caught.value.hint
    assert json.loads(json.dumps(recorded(recorded_run, NAME).settings)) == recorded(recorded_run, NAME).settings


@pytest.mark.parametrize(
    ("made", "undroppable", "wanted"), [(True, [], "sweep"), (True, ["table"], "clean_up"), (False, [], "clean_up")]
)
def test_what_a_finding_made_is_listed_only_where_it_can_be_dropped(made, undroppable, wanted, monkeypatch):
    done = []
    sandbox = SimpleNamespace(
        inventory=SimpleNamespace(undroppable=lambda: undroppable),
        may_have_made=lambda exchanges: made,
        clean_up=lambda: done.append("clean_up"),
        sweep=lambda end: done.append("sweep"),
    )
    target: Any = SimpleNamespace(sandbox=sandbox, settings=SimpleNamespace(warehouse=""), prefix="lp")
    replayed = MagicMock(spec=Replayed, exchanges=[])
    monkeypatch.setattr(session, "replay", lambda *_: replayed)
    assert session.replay_and_drop(replayed, target) is replayed
    assert done == [wanted]
