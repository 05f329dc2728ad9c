"""Levels that were wrong: what a client can use all the same is no MUST, and what loses something is one."""

from __future__ import annotations

import pytest

from conformance.apis import requirements
from tests.conformance.mutants import found

USABLE = {  # requirement -> why a client can use the answer
    "iceberg.table.load.snapshots_refs": "the answer has more snapshots than were asked for",
    "iceberg.ref.main_is_a_branch": "a tag main names the snapshot that a branch main would",
    "iceberg.key.format": "the server carries out the request as without a key",
    "lance.name.table.dot": "clients resolve dot segments before they send",
    "lance.name.table.dot_dot": "clients resolve dot segments before they send",
    "lance.name.namespace.climbing": "clients resolve dot segments before they send",
}
LOSING = [  # faults that lose something, with a requirement that notices each
    ("polaris", "polaris.principal.update.not_back", "updates-keep-properties"),
    ("polaris", "polaris.grant.table.renamed", "grants-lost-by-rename"),
    ("polaris", "polaris.policy.renamed", "policies-lost-by-rename"),
    ("iceberg", "iceberg.view.load.location", "changed-answer-field:loadView:metadata-location"),
]


@pytest.mark.parametrize("name", USABLE)
def test_what_a_client_can_use_is_no_must(name):
    assert requirements(name.partition(".")[0])[name].level == "SHOULD"


@pytest.mark.parametrize("name", ["lance.name.table.leading_dot", "lance.name.table.space", "lance.name.table.slash"])
def test_other_names_are_a_must(name):
    assert requirements("lance")[name].level == "MUST"


@pytest.mark.parametrize(("api", "name", "fault"), LOSING)
def test_a_loss_fails_the_gate(api, name, fault, tmp_path):
    result = found(api, name, fault, tmp_path)
    assert (result.level, result.verdict) == ("MUST", "fail")
