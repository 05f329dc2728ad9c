"""Clauses and requirements agree: a requirement accepts the statuses that its clause and its own statement name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.after.runner import run
from conformance.apis import requirements
from conformance.http.client import Client
from lakeproof.server_process import ServerProcess
from reference_server.serve import server_settings
from specs.apis import apis
from specs.clauses import clauses
from tests.conformance import accepted
from tests.conformance.accepted import Accepting, Difference, differences, names_statuses, reasons, unexplained
from tests.conformance.mutants import SERVED, TOKEN, settings_for


@pytest.fixture(scope="module", params=apis())
def found(request, tmp_path_factory):
    """The differences of an API, as a run of all requirements that name a status shows them."""
    api, accepting = request.param, Accepting()
    texts = clauses(api)
    ids = {
        id
        for id, requirement in requirements(api).items()
        if names_statuses(requirement, texts[requirement.clause].text)
    }
    check_status = Client.check_status

    def noted(client, exchange, expect):
        accepting.allow(client, exchange, expect)
        check_status(client, exchange, expect)

    with (
        pytest.MonkeyPatch.context() as patched,
        ServerProcess(server_settings(api, auth=f"token:{TOKEN}", **SERVED.get(api, {}))) as server,
    ):
        patched.setattr(Client, "check_status", noted)
        folder = tmp_path_factory.mktemp("accepted")
        settings = settings_for(server, folder, depth="smoke", world="plain", jobs="1")
        _, code = run(settings, ids=ids, plugins=[accepting])
    assert code == 0
    assert len(accepting.accepted) > len(ids) / 3
    return api, differences(api, accepting.accepted)


def test_each_difference_has_a_reason(found):
    _, own = found
    assert unexplained(own) == []


def test_each_reason_explains_a_difference(found):
    api, own = found
    assert [
        reason.ids
        for reason in reasons()
        if reason.ids.startswith(f"{api}.") and not any(reason.explains(entry) for entry in own)
    ] == []


STALE = "iceberg.snapshot.stale_sequence"


@pytest.mark.parametrize(
    ("said", "stated", "own", "due"),
    [
        ("It is 409.", "It returns 409.", {"409"}, []),
        ("It is 409.", "It returns 400 or 409.", {"400", "409"}, [Difference(STALE, "clause", ("400",))]),
        ("It is refused.", "It returns 409.", {"400", "409"}, [Difference(STALE, "statement", ("400",))]),
        ("It is refused.", "It returns 400 or 409.", {"400"}, [Difference(STALE, "promised", ("409",))]),
        ("It is refused with 4xx.", "It returns 4xx.", {"400", "422"}, []),
        ("It is 400.", "It returns 4xx.", {"4xx"}, [Difference(STALE, "clause", ("4xx",))]),
    ],
)
def test_what_is_a_difference(monkeypatch, said, stated, own, due):
    requirement = requirements("iceberg")[STALE]
    clause = clauses("iceberg")[requirement.clause]
    known = {STALE: replace(requirement, statement=stated)}
    monkeypatch.setattr(accepted, "requirements", lambda api: known)
    monkeypatch.setattr(accepted, "clauses", lambda api: {clause.id: replace(clause, text=said)})
    assert differences("iceberg", {STALE: frozenset(own)}) == due


def test_a_requirement_below_its_clause_is_a_difference(monkeypatch):
    requirement = requirements("iceberg")[STALE]
    clause = clauses("iceberg")[requirement.clause]
    monkeypatch.setattr(accepted, "requirements", lambda api: {STALE: replace(requirement, level="SHOULD")})
    monkeypatch.setattr(accepted, "clauses", lambda api: {clause.id: replace(clause, level="MUST")})
    assert differences("iceberg", {}) == [Difference(STALE, "level", ("SHOULD",))]
