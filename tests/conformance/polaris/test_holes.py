"""Holes in access control: a server that has one of them alone does not conform, and its first card says so.

It names the operation and what the caller may do. A server that refuses with another status than 403 conforms.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest

from conformance.apis import requirements
from lakeproof.server_process import ServerProcess
from reference_server.serve import server_settings
from specs.profiles import find_profile
from tests.conformance.mutants import SERVED, TOKEN, judge

# By fault: the requirements that are tested, and the operations and the callers that the first card names.
HOLES = {
    "readers-commit": (["*commit_set_properties.*", "*commit_append.*"], ["updateTable"], "TABLE_READ_PROPERTIES on"),
    "renames-look-back": (["*access.rename_*"], ["renameTable"], "TABLE_DROP on the catalog"),
    "first-table-decides": (["*commit_transaction*"], ["commitTransaction"], "TABLE_FULL_METADATA on the table"),
    "credentials-for-readers": (["polaris.vending.s3.*"], ["loadTable"], "TABLE_READ_PROPERTIES on the catalog"),
    "roles-for-all": (["*catalog_role*"], ["getCatalogRole", "listCatalogRoles"], "no privilege"),
    "grants-stay-with-names": (
        ["polaris.remade.table.*", "polaris.table.dropped"],
        ["loadTable"],
        "TABLE_READ_PROPERTIES on the dropped table",
    ),
    "refused-but-done": (["*.create_table.*", "*.load_table.*"], ["createTable"], "a caller without the privilege"),
}


@pytest.fixture(scope="module")
def server():
    settings = server_settings("polaris", auth=f"token:{TOKEN}", allow_faults=True, **SERVED["polaris"])
    with ServerProcess(settings) as server:
        yield server


def chosen(patterns):
    names = [name for suite in find_profile("polaris").suites for name in requirements(suite)]
    return {name for name in names if any(fnmatchcase(name, pattern) for pattern in patterns)}


@pytest.mark.parametrize("fault", HOLES)
def test_a_hole_fails_the_run_and_is_the_first_card(fault, server, tmp_path):
    patterns, operations, caller = HOLES[fault]
    results = judge(server, tmp_path, fault=fault, ids=chosen(patterns), world="plain")
    first = results.causes[0]
    assert results.exit_code() == 1
    assert (first.level, first.rank) == ("MUST", 1)
    assert first.operations == operations
    assert [operation for operation in operations if operation not in first.sentence] == []
    assert caller in first.sentence


def test_another_refusal_is_no_hole(server, tmp_path):
    patterns = ["polaris.access.load_table.*", "polaris.access.create_catalog_role.*"]
    results = judge(server, tmp_path, fault="forbidden-as-missing", ids=chosen(patterns), world="plain")
    levels = {entry.id: entry.verdict for entry in results.requirements if entry.verdict != "pass"}
    assert levels == {
        "polaris.access.load_table.deny": "warn",
        "polaris.access.create_catalog_role.deny": "warn",
    }
