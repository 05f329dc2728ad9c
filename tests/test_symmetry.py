"""Every API is complete: every operation has a handler, requirements and statuses accounted for."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from conformance.after.status_coverage import GAP, clause_coverage
from conformance.apis import requirements
from conformance.common.ordinary import Unprepared
from reference_server.api import find_handlers
from reference_server.serve import api_class
from specs.apis import apis
from specs.clauses import clauses
from specs.overlay import read_overlay
from specs.profiles import every_operation, find_profile, newest_profile, profiles

ROOT = Path(__file__).parent.parent
APIS = list(apis())
OPERATIONS = [(api, operation) for api in APIS for operation in newest_profile(api).document().operations]


@pytest.mark.parametrize("api", APIS)
def test_every_operation_has_a_handler(api):
    document = newest_profile(api).document()
    assert set(find_handlers(document, api_class(api).handler_modules)) == set(document.operations)


@pytest.mark.parametrize(("api", "operation"), OPERATIONS)
def test_every_operation_has_requirements(api, operation):
    suite = newest_profile(api).suite_of(operation)
    kinds = {requirement.kind for requirement in requirements(suite).values() if operation in requirement.operations}
    assert {"wire", "behaviour", "error"} <= kinds


@pytest.mark.parametrize("api", APIS)
def test_every_clause_is_judged_or_excluded(api):
    assert [entry.clause for entry in clause_coverage(api) if entry.state == GAP] == []


@pytest.mark.parametrize("api", APIS)
def test_every_requirement_has_a_clause_and_known_operations(api):
    known, every = {operation.id for operation in every_operation(api)}, requirements(api)
    for requirement in every.values():
        assert requirement.clause in clauses(api), requirement.id
        assert set(requirement.operations) <= known, requirement.id
        assert set(requirement.needs) <= every.keys(), requirement.id
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


@pytest.mark.parametrize("api", APIS)
def test_every_operation_has_an_ordinary_request(api):
    module = import_module(f"conformance.{api}.support.ordinary")
    own = [operation for operation in every_operation(api) if newest_profile(api).suite_of(operation.id) == api]
    lacking = [operation.id for operation in own if isinstance(module.preparation(operation), Unprepared)]
    assert [f"{module.__name__} prepares no ordinary request of {operation}." for operation in lacking] == []


@pytest.mark.parametrize(("api", "operation"), [("lance", "DropTable"), ("iceberg", "createView")])
def test_an_ordinary_request_that_is_missing_breaks_only_what_needs_it(api, operation):
    """The suite is still imported, with each of its requirements, and the operation is named."""
    code = (
        "import sys\n"
        f"from conformance.{api}.support import ordinary\n"
        f"del ordinary.PREPARATIONS[{operation!r}]\n"
        "from conformance.apis import requirements\n"
        "from specs.profiles import find_profile\n"
        f"operation = find_profile({api!r}).document().operation({operation!r})\n"
        f"print(len(requirements({api!r})), ordinary.preparation(operation))\n"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    count, what = told.split(maxsplit=1)
    assert int(count) > len(requirements(api)) * 0.99
    assert what.strip() == str(Unprepared(operation))


@pytest.mark.parametrize("profile", profiles().values(), ids=lambda profile: profile.name)
def test_every_error_is_listed(profile):
    assert import_module(f"specs.{profile.api}.errors").unlisted(profile) == []


@pytest.mark.parametrize("api", APIS)
def test_every_overlay_corrects_a_document(api):
    """An overlay that extends a document which no profile has any more would be lost without a word."""
    folder = find_profile(api).facts.folder
    applied = [action for profile in profiles().values() if profile.api == api for action in profile.overlay()]
    idle = [
        path.name
        for path in sorted(folder.glob("overlays/*.yaml"))
        for revision in find_profile(api).facts.profiles
        if not set(_said(read_overlay(path, revision).actions)) <= set(_said(applied))
    ]
    assert [f"{name} corrects no document of {api}." for name in idle] == []


def _said(actions):
    return [(action.target, action.description) for action in actions]


@pytest.mark.parametrize("api", [api for api in APIS if (ROOT / f"conformance/{api}/model/without_rows.toml").exists()])
def test_every_operation_has_a_row_in_the_model_or_a_reason(api):
    model = import_module(f"conformance.{api}.model.whole").MODEL
    rows = {row.operation for row in (*model.commands, *model.views)}
    reasons = tomllib.loads((ROOT / f"conformance/{api}/model/without_rows.toml").read_text())
    profile = newest_profile(api)
    own = {name for name in profile.document().operations if profile.suite_of(name) == api}
    assert own - rows == set(reasons)
    assert rows <= own
