"""A server of one revision, tested by the other: it shows the differences of the documents and nothing else.

A sample of the requirements is tested; all of them with `--thorough`.
"""

from __future__ import annotations

import pytest

from conformance.apis import requirements
from conformance.run.selection import Scope
from conformance.values.verdict import FINDINGS
from lakeproof import serve
from mutants.noticed import matching
from specs.profiles import find_profile
from tests.amount import amount
from tests.conformance.mutants import TOKEN, judge

OLD, NEW = "lance/2026-03", "lance/0.11"
# Findings, by the revision of the server and that of the run.
DIFFERENCES = {
    (OLD, NEW): (
        "lance.listing.declared_default.*",
        "lance.table.describe.declared_unasked",
        "lance.column.computed",
        "lance.index.parameter.sub_vectors_unfit",
        "lance.index.listed.told.*",
        "lance.body.bounds.create_table_index",
        "lance.body.bounds.create_table_scalar_index",
        "lance.body.field_types.create_table_index",
        "lance.body.field_types.create_table_scalar_index",
        "lance.body.field_types.alter_table_add_columns",
        "lance.body.field_types.explain_table_query_plan",  # its query has a branch, which is refused with 406
        "lance.unsupported.form",
    ),
    (NEW, OLD): (
        "lance.listing.declared_hidden",
        "lance.table.describe.only_declared",
        "lance.declared.declared_again",
        "lance.column.*.declared",
        "lance.unsupported.form",
    ),
}
SAME = (
    "lance.effect.create_branch",
    "lance.branch.unknown.query_table",
    "lance.view.create",
    "lance.table.describe.missing",
)
MORE = (
    "lance.table.create_empty",
    "lance.index.parameter.m",
    "lance.option.include_declared.*",
    "lance.effect.create_tag",
)
THOROUGH = amount(False, True)


@pytest.mark.parametrize(("served", "tested"), DIFFERENCES)
def test_a_server_of_another_revision_shows_the_documented_differences(served, tested, tmp_path):
    profile = find_profile(tested)
    document, other = profile.document(), find_profile(served).document()
    scope, known = Scope.of(profile, document), requirements("lance")
    within = {name for name, entry in known.items() if scope.has(entry)}
    due = matching(DIFFERENCES[served, tested], within)
    asked = within if THOROUGH else due | matching([*SAME, *MORE], within)
    with serve(served, storage="memory:pure", auth=f"token:{TOKEN}") as server:
        results = judge(server, tmp_path, ids=asked, profile=tested)
    assert {entry.id for entry in results.requirements} == asked
    assert {entry.id for entry in results.requirements if entry.verdict in FINDINGS} == due
    missing = {entry.id for entry in results.target.operations if entry.state != "offered"}
    assert missing == set(document.operations) - set(other.operations)
