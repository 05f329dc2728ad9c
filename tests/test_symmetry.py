"""Every API is complete: every operation has a handler, requirements and statuses accounted for."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.apis import requirements
from conformance.coverage.statuses import GAP, clause_coverage
from reference_server.api import find_handlers
from reference_server.serve import api_class
from specs.apis import apis
from specs.clauses import clauses
from specs.profiles import find_profile

ROOT = Path(__file__).parent.parent
APIS = list(apis())
OPERATIONS = [(api, operation) for api in APIS for operation in find_profile(api).document().operations]


@pytest.mark.parametrize("api", APIS)
def test_every_operation_has_a_handler(api):
    document = find_profile(api).document()
    assert set(find_handlers(document, api_class(api).handler_modules)) == set(document.operations)


@pytest.mark.parametrize(("api", "operation"), OPERATIONS)
def test_every_operation_has_requirements(api, operation):
    suite = find_profile(api).suite_of(operation)
    kinds = {requirement.kind for requirement in requirements(suite).values() if operation in requirement.operations}
    assert {"wire", "behaviour", "error"} <= kinds


@pytest.mark.parametrize("api", APIS)
def test_every_clause_is_judged_or_excluded(api):
    assert [entry.clause for entry in clause_coverage(api) if entry.state == GAP] == []


@pytest.mark.parametrize("api", APIS)
def test_every_requirement_has_a_clause_and_known_operations(api):
    document = find_profile(api).document()
    for requirement in requirements(api).values():
        assert requirement.clause in clauses(api), requirement.id
        assert set(requirement.operations) <= set(document.operations), requirement.id
        assert set(requirement.needs) <= set(requirements(api)), requirement.id
        assert requirement.statement.endswith("."), requirement.id


@pytest.mark.parametrize("api", APIS)
def test_a_must_has_a_place_in_the_norms(api):
    """A clause that is a MUST has one (`specs/clauses.py`), so a requirement that is one needs such a clause."""
    known = clauses(api)
    assert [
        requirement.id
        for requirement in requirements(api).values()
        if requirement.level == "MUST" != known[requirement.clause].level
    ] == []


@pytest.mark.parametrize("api", APIS)
def test_a_must_needs_nothing_less(api):
    """A server that breaks a SHOULD may conform, so no MUST is blocked by one."""
    known = requirements(api)
    levels = {
        (requirement.id, needed): known[needed].level for requirement in known.values() for needed in requirement.needs
    }
    assert [pair for pair, level in levels.items() if known[pair[0]].level == "MUST" and level != "MUST"] == []


@pytest.mark.parametrize("api", APIS)
def test_server_files_are_mirrored_by_requirements(api):
    modules = [module.__name__ for module in api_class(api).handler_modules]
    handlers = {name.rpartition(".")[2] for name in modules if name.split(".")[1] == api}
    paths = (ROOT / "conformance" / api / "requirements").glob("test_*.py")
    judged = {path.stem.removeprefix("test_") for path in paths}
    assert handlers - judged == set()
