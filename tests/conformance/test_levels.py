"""Levels that were wrong: what a client can use all the same is no MUST, and what loses something is one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conformance.apis import requirements
from lakeproof import check, serve
from tests.conformance.mutants import found
from tests.conformance.proxy import Answer, Proxy

FORBIDDEN = 403

USABLE = {  # requirement -> why a client can use the answer
    "iceberg.table.load.snapshots_refs": "the answer has more snapshots than were asked for",
    "iceberg.refusal.set_refs.main_tag": "a tag main names the snapshot that a branch main would",
    "iceberg.key.format": "the server carries out the request as without a key",
    "lance.query.run.vector_and_text": "the document leaves open whether both may be searched for at once",
    "lance.query.explain.vector_and_text": "the document leaves open whether both may be searched for at once",
    "lance.query.analyze.vector_and_text": "the document leaves open whether both may be searched for at once",
    "lance.name.table.dot": "clients resolve dot segments before they send",
    "lance.name.table.dot_dot": "clients resolve dot segments before they send",
    "lance.name.namespace.climbing": "clients resolve dot segments before they send",
}
LOSING = [  # faults that lose something, with a requirement that notices each
    ("polaris", "polaris.effect.update_principal", "updates-keep-properties"),
    ("polaris", "polaris.grant.table.renamed", "grants-lost-by-rename"),
    ("polaris", "polaris.policy.renamed", "policies-lost-by-rename"),
    ("polaris", "polaris.reach.object.table", "grants-by-beginnings"),
    ("lance", "lance.version.create.twice", "first-answer:CreateTableVersion"),
    ("lance", "lance.version.describe.as_listed", "changed-answer-field:DescribeTableVersion:version.manifest_path"),
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


class Hiding(Proxy):
    """A proxy that answers 404 where the server behind answers 403."""

    def ask(self, method: str, path: str, headers: dict[str, str] | None = None, body: bytes = b"") -> Answer:
        """Ask the server behind, and hide what it refuses."""
        answer = super().ask(method, path, headers, body)
        if answer.status != FORBIDDEN:
            return answer
        error = {"message": "not found", "type": "NotFoundException", "code": 404}
        return Answer(404, answer.headers, json.dumps({"error": error}).encode())


@pytest.mark.parametrize("name", ["polaris.reach.object.table", "polaris.access.revoked.grant"])
def test_a_refusal_by_404_is_one(name, tmp_path):
    with serve("polaris", bootstrap="root:secret") as server, Hiding(server.url) as proxy:
        given: dict[str, Any] = {"credential": "root:secret", "depth": "smoke", "world": "plain"}
        results, _ = check(proxy.url, api="polaris", select=name, report=str(tmp_path), **given)
    assert [entry.verdict for entry in results.requirements] == ["pass"]
