"""A gate is stable: after `expect`, the same run of the same server ends with 0."""

from __future__ import annotations

import random
import threading
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import cycle
from typing import Any

import pytest

from conformance.after.expectations_update import updated
from conformance.after.runner import run
from conformance.replay.expectations_file import ExpectationFile, read_expectations, write_expectations
from lakeproof import check, serve
from specs.apis import apis
from specs.problems import Problem
from tests.amount import amount, seeds
from tests.conformance.drawing import of_every_suite, with_needed
from tests.conformance.framework_servers import FRAMEWORKS, FrameworkServer, lacking
from tests.conformance.partial_servers import Partial, partial_server, some_parts
from tests.conformance.small_servers import Meddler, say
from tests.conformance.strange_server import RUN_SETTINGS, SERVER_OPTIONS, Habits, StrangeServer
from tests.ten_minutes.catalog import IncompleteCatalog

BRACKETS = "iceberg.names.namespace.brackets"
CONFLICT = "lance.namespace.create.conflict"
MISSING = "lance.rows.update.missing"
NAMES = sorted(apis())
SHARE = 30  # one requirement in so many
UNSTEADY = (3, 0)  # seeds of strange servers whose first run sees findings that come and go
LACKING = (("iceberg", "views"), ("lance", "tags"), ("polaris", "policies"))
PARTS = (Partial("iceberg", "tables", "text_404", says=False), Partial("lance", "indices", "text_500"))
QUICK: dict[str, Any] = {"depth": "smoke", "world": ("plain",), "timeout": 2.0}
OVER_ALL = tuple(f"iceberg.wire.{name}" for name in ("list_tables", "drop_namespace", "load_namespace_metadata"))


@contextmanager
def incomplete():
    with IncompleteCatalog() as catalog:
        threading.Thread(target=catalog.serve_forever, args=(0.01,), daemon=True).start()
        yield catalog
        catalog.shutdown()


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_check_over_all_answers_judges_no_clean_up_and_no_replay(tmp_path, jobs):
    """Names with braces get a router's 404: only the clean-up lists their tables, and only some runs do."""
    path = tmp_path / "known.toml"
    given: dict[str, Any] = {
        "select": " or ".join([BRACKETS, *OVER_ALL]),
        "report": str(tmp_path / "out"),
        "jobs": jobs,
    }
    with incomplete() as catalog:
        results, code = check(catalog.url, api="iceberg", **given)
        verdicts = {result.id: result.verdict for result in results.requirements}
        assert (verdicts[BRACKETS], code) == ("warn", 1)
        assert {name: verdicts[name] for name in OVER_ALL} == dict(zip(OVER_ALL, ("pass", "pass", "fail"), strict=True))
        write_expectations(path, updated(ExpectationFile(profile=results.target.profile), results))
    with incomplete() as catalog:
        results, code = check(catalog.url, api="iceberg", expect=str(path), **given)
    assert (code, {record.state for record in results.expectations}) == (0, {"known"})
    assert not read_expectations(path).unsteady


def again(folder, servers, api, ids, **given):
    """Check a server with some requirements, record its findings as expectations, and check the next one by these.

    Return the first exit code, the file, and the results and exit code of the second run.
    """
    path = folder / "known.toml"
    given = {**QUICK, **given, "api": api, "leave_behind": True, "runner": partial(run, ids=ids)}
    first, second = servers
    with first as server:
        results, found = check(server.url, report=str(folder / "one"), **given)
    write_expectations(path, updated(ExpectationFile(profile=results.target.profile), results))
    with second as server:
        results, code = check(server.url, report=str(folder / "two"), expect=str(path), **given)
    return found, read_expectations(path), results, code


def some(api, seed, also=()):
    """Some of the requirements of an API, with those whose ids have such a part and those that they need."""
    known = of_every_suite(api)
    drawn = random.Random(seed).sample(sorted(known), len(known) // SHARE)
    return with_needed({*drawn, *(name for name in known if any(part in name for part in also))}, known)


@contextmanager
def strange(api, habits):
    with serve(api, **SERVER_OPTIONS.get(api, {})) as server, StrangeServer(server.url, habits) as proxy:
        yield proxy


@pytest.mark.parametrize("seed", seeds(UNSTEADY))
def test_findings_of_a_strange_server_that_come_and_go_fail_no_second_run(tmp_path, seed):
    habits, api = Habits.drawn(seed), NAMES[seed % len(NAMES)]
    servers = strange(api, habits), strange(api, replace(habits, seed=seed + 1))
    try:
        found, file, results, code = again(tmp_path, servers, api, some(api, seed), **RUN_SETTINGS.get(api, {}))
    except Problem:
        assert seed not in UNSTEADY
        return  # it is too strange to be told for a server of the API
    findings = {result.id: result.message for result in results.requirements if result.fails_gate(strict=False)}
    assert (code, findings) == (0, {}), habits
    assert seed not in UNSTEADY or (found, file.unsteady) == (1, True), habits


def test_a_steady_defect_is_a_finding_of_an_unsteady_server_too(tmp_path):
    path = tmp_path / "known.toml"
    write_expectations(path, ExpectationFile(profile="lance/0.11", unsteady=True))
    with serve("lance", storage="memory:pure", faults=["conflict-as-400"]) as server:
        results, code = check(server.url, select=CONFLICT, expect=str(path), report=str(tmp_path / "out"))
    assert (code, [result.verdict for result in results.requirements]) == (1, ["fail"])


def test_a_check_that_gets_another_type_in_each_test_comes_and_goes(tmp_path):
    codes = cycle([[None], 2**53, "", 2.5, {}])

    def meddle(_server, handler, _number):
        return handler.path.endswith("/update") and say(handler, 404, {"error": "gone", "code": next(codes)})

    path = tmp_path / "known.toml"
    write_expectations(path, ExpectationFile(profile="lance/0.11", unsteady=True))
    with serve("lance", storage="memory:pure") as server, Meddler(server.url, meddle) as changing:
        results, code = check(changing.url, select=MISSING, expect=str(path), report=str(tmp_path / "out"), **QUICK)
    assert (code, [(result.verdict, result.flaky) for result in results.requirements]) == (0, [("known", True)])


@contextmanager
def made_with(framework, api, group):
    with (
        serve(api, **SERVER_OPTIONS.get(api, {})) as server,
        FrameworkServer(server.url, framework, api, lacking(api, group)) as made,
    ):
        yield made


@pytest.mark.parametrize(("api", "group"), amount((LACKING[0],), LACKING))
@pytest.mark.parametrize("framework", amount(FRAMEWORKS[:2], FRAMEWORKS), ids=lambda framework: framework.name)
def test_a_server_in_the_style_of_a_framework_has_the_same_findings_again(tmp_path, framework, api, group):
    servers = made_with(framework, api, group), made_with(framework, api, group)
    ids, given = some(api, framework.name, (".wire.", ".offered.")), RUN_SETTINGS.get(api, {})
    found, file, results, code = again(tmp_path, servers, api, ids, strict=True, **given)
    assert (found, file.unsteady) == (1, False)
    assert (code, {record.state for record in results.expectations}) == (0, {"known"})


@pytest.mark.parametrize("case", amount(PARTS, [*some_parts()]), ids=Partial.name)
def test_a_part_of_an_api_has_the_same_findings_again(tmp_path, case):
    ids = some(case.api, case.name(), (".wire.", ".offered.", ".unsupported.", ".request."))
    servers = partial_server(case), partial_server(case)
    found, file, results, code = again(tmp_path, servers, case.api, ids, strict=True, **case.given)
    assert (found, file.unsteady) == (1 if file.known else 0, False)
    assert (code, {record.state for record in results.expectations} - {"known"}) == (0, set())
