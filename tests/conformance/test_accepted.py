"""Comparison of clauses with requirements: test_whole_runs.py compares all of them, with what a whole run accepts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.apis import requirements
from specs.clauses import clauses
from tests.conformance import accepted
from tests.conformance.accepted import Difference, differences

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
