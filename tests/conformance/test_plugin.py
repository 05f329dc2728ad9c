"""The pytest side: inert without a target, the same run with one, verdicts of every kind.

What pytest does with the plugin as it is installed is seen in processes of their own; the others run in this one.
"""

from __future__ import annotations

import json
from dataclasses import fields

import lance
import pytest

from conformance.author import fixtures, requirement
from conformance.author.requirement import REQUIREMENTS
from conformance.values.settings import Settings
from lakeproof import check, pytest_plugin, serve

# pytester forgets what was imported during a test, and the native library of lance can be loaded only once.
assert lance.__version__

pytest_plugins = ["pytester"]
FLAGS = ("-p", "no:cacheprovider", "-q")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server, and a run against it: what pytester forgets would be imported again by each test."""
    faults = ("unsupported:RestoreTable",)
    with serve("lance", storage="memory:pure", allow_faults=True, faults=faults) as server:
        check(server.url, select="lance.namespace.create", report=str(tmp_path_factory.mktemp("first")))
        yield server


@pytest.fixture(autouse=True)
def requirements_of_a_test(server):
    """Requirements that a test declares are gone after it."""
    before = dict(REQUIREMENTS)
    yield
    REQUIREMENTS.clear()
    REQUIREMENTS.update(before)


def test_ordinary_tests_do_not_notice_that_it_is_installed(pytester):
    pytester.makepyfile(
        """
        from hypothesis import given, strategies as st

        @given(st.integers())
        def test_counterexamples_are_still_told(number):
            assert number < 1000

        def test_other():
            pass
        """
    )
    outcome = pytester.runpytest_subprocess(*FLAGS, "-p", "no:schemathesis")  # which leaves out the numbers
    outcome.assert_outcomes(passed=1, failed=1)
    outcome.stdout.fnmatch_lines(["*number=1000*"])
    outcome.stdout.no_fnmatch_line("*lakeproof*")


def test_the_server_fixture_is_there_for_everybody(pytester):
    pytester.makepyfile(
        """
        import urllib.request

        def test_mock(lakeproof_server):
            assert urllib.request.urlopen(lakeproof_server.urls["lance"] + "/v1/table").status == 200
        """
    )
    pytester.runpytest_subprocess(*FLAGS).assert_outcomes(passed=1)


def test_requirements_without_a_target_are_a_usage_error(pytester):
    outcome = pytester.runpytest_inprocess(*FLAGS, "--pyargs", "conformance.lance")
    assert outcome.ret == 4
    outcome.stderr.fnmatch_lines(["*--lakeproof-server URL*"])


def test_pytest_and_check_are_the_same_run(pytester, server):
    outcome = pytester.runpytest_subprocess(
        *FLAGS,
        "--pyargs",
        "conformance",
        "--lakeproof-server",
        server.url,
        "-k",
        "lance.namespace",
        "--lakeproof-report",
        "out",
    )
    assert outcome.ret == 0
    outcome.stdout.fnmatch_lines(["*lakeproof: * pass*", "report: out/report.html"])
    results = json.loads((pytester.path / "out" / "results.json").read_text())
    assert {entry["id"].split(".")[1] for entry in results["requirements"]} == {"namespace"}
    assert results["totals"]["pass"] == len(results["requirements"])


def test_without_a_url_a_storage_starts_the_embedded_server(pytester):
    arguments = ["--pyargs", "conformance.lance", "--lakeproof-storage", "memory:pure", "--lakeproof-report", "out"]
    words = "lance.namespace.create"
    assert pytester.runpytest_inprocess(*FLAGS, *arguments, "--lakeproof-select", words).ret == 0
    results = json.loads((pytester.path / "out" / "results.json").read_text())
    assert results["target"]["name"] == "embedded reference server"
    assert results["run"]["again"] == "lakeproof check --api lance --storage memory:pure --report out"
    assert results["totals"]["pass"] == len(results["requirements"]) > 1


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_failing_requirement_fails_the_run(pytester, server, jobs):
    own = ["--lakeproof-server", server.url, "--lakeproof-report", "out", "--lakeproof-jobs", jobs]
    arguments = ["--pyargs", "conformance.lance", *own]
    fault = ["--lakeproof-header", "X-Lakeproof-Fault: conflict-as-400"]
    outcome = pytester.runpytest_inprocess(
        *FLAGS,
        *arguments,
        *fault,
        "-k",
        " or ".join(("lance.namespace.create.conflict", "lance.namespace.create.properties")),
    )
    assert outcome.ret == 1
    results = json.loads((pytester.path / "out" / "results.json").read_text())
    (entry,) = (one for one in results["requirements"] if one["id"] == "lance.namespace.create.conflict")
    assert entry["verdict"] == "fail"
    assert len(results["requirements"]) > 1, "as many as jobs, or there is one"
    assert entry["steps"][-1]["mark"] == "status"
    assert entry["steps"][-1]["response"]["status"] == 400
    assert entry["message"] == "CreateNamespace: expected 409, got 400"
    shown = outcome.stdout.str()
    outcome.stdout.fnmatch_lines(
        [
            "lance.namespace.create.conflict: CreateNamespace: expected 409, got 400",
            f"MUST  {entry['statement']}",
            "2. POST /v1/namespace/*/create {*}",
            "   → 400 {*}",
            f"again: lakeproof check {server.url} * -k lance.namespace.create.conflict",
            "steps: lakeproof repro lance.namespace.create.conflict --results out",
        ]
    )
    assert "Traceback" not in shown
    assert "refused = catalog" not in shown, "the source of the kit says nothing about the server"


def test_findings_are_told_as_such_and_bugs_of_the_kit_with_their_traceback(pytester, server):
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_own=OWN)
    options = ["--lakeproof-server", server.url, "--lakeproof-report", "out"]
    shown = pytester.runpytest_inprocess(*FLAGS, *options, "-k", "own.fail or own.error or own.pass").stdout.str()
    assert "lance.own.fail: " in shown
    assert ">       assert catalog" not in shown
    assert "KeyError: 'planted'" in shown
    assert "raise KeyError" in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--lakeproof-server", "http://127.0.0.1:9"], "cannot be reached"),
        (["--lakeproof-server", "nonsense"], "not an http"),
        (["--lakeproof-server", "http://127.0.0.1:9", "--lakeproof-depth", "none"], "--depth: unknown depth"),
        (["--lakeproof-storage", "tape"], "no storage"),
        (["--lakeproof-server", "http://127.0.0.1:9", "-n", "2"], "use --lakeproof-jobs N instead"),
    ],
)
def test_wrong_options_are_usage_errors(pytester, arguments, words):
    outcome = pytester.runpytest_inprocess(*FLAGS, "--pyargs", "conformance.lance", *arguments)
    assert outcome.ret == 4
    outcome.stderr.fnmatch_lines([f"*{words}*"])


def test_a_report_that_cannot_be_written_is_a_usage_error(pytester, server):
    (pytester.path / "out" / "report.html").mkdir(parents=True)
    arguments = ["--pyargs", "conformance.lance", "--lakeproof-server", server.url, "--lakeproof-report", "out"]
    outcome = pytester.runpytest_inprocess(*FLAGS, *arguments, "-k", "lance.namespace.create.conflict")
    assert outcome.ret == 4
    outcome.stderr.fnmatch_lines(["*The report folder out cannot be written: report.html is a folder."])
    assert "Traceback" not in outcome.stderr.str() + outcome.stdout.str()


def test_every_setting_is_an_option_of_pytest():
    assert {setting.name for setting in pytest_plugin.settings()} == {field.name for field in fields(Settings)}
    assert (pytest_plugin.PLUGIN, pytest_plugin.MARK) == (fixtures.PLUGIN, requirement.MARK)


OWN = """
    from conformance.author.checks import equal
    from conformance.values.outcomes import Blocked
    from conformance.author.requirement import must, should, may

    @must("lance.own.pass", operations=["ListTables"], clause="page-token")
    def test_pass(catalog):
        '''It passes.'''

    @must("lance.own.fail", operations=["ListTables"], clause="page-token")
    def test_fail(catalog):
        '''It fails.'''
        assert catalog.list_tables(()).get("tables") == "none"

    @should("lance.own.warn", operations=["ListTables"], clause="page-token")
    def test_warn(catalog):
        '''It warns.'''
        assert False

    @may("lance.own.inform", operations=["ListTables"], clause="page-token")
    def test_inform(catalog):
        '''It informs.'''
        assert False

    @must("lance.own.blocked", operations=["ListTables"], clause="page-token")
    def test_blocked(catalog):
        '''It is blocked by an operation.'''
        catalog.describe_table(("none",))

    @must("lance.own.prepared", operations=["ListTables"], clause="page-token")
    def test_prepared(catalog):
        '''What is wrong before it asks for what it is about says nothing about that.'''
        equal(catalog.list_namespaces(()).get("namespaces"), "none", "the namespaces")
        catalog.list_tables(())

    @must("lance.own.needs", operations=["ListTables"], clause="page-token", needs=["lance.own.fail"])
    def test_needs(catalog):
        '''It is blocked by a requirement.'''

    @must("lance.own.unoffered", operations=["RestoreTable"], clause="page-token")
    def test_unoffered(catalog):
        '''It is not offered.'''
        catalog.send("RestoreTable", ("t",), {"version": 1})

    @must("lance.own.error", operations=["ListTables"], clause="page-token")
    def test_error(catalog):
        '''The kit fails.'''
        raise KeyError("planted")
"""
CONFTEST = "from conformance.lance.conftest import catalog\n"


def judge(pytester, server, *arguments):
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_own=OWN)
    options = ["--lakeproof-server", server.url, "--lakeproof-report", "out"]
    outcome = pytester.runpytest_inprocess(*FLAGS, *options, *arguments)
    results = json.loads((pytester.path / "out" / "results.json").read_text())
    return outcome.ret, {entry["id"].removeprefix("lance.own."): entry for entry in results["requirements"]}


def test_every_verdict_is_given(pytester, server):
    code, entries = judge(pytester, server)
    assert {name: entry["verdict"] for name, entry in entries.items()} == {
        "pass": "pass",
        "fail": "fail",
        "warn": "warn",
        "inform": "warn",
        "blocked": "blocked",
        "prepared": "blocked",
        "needs": "blocked",
        "unoffered": "unoffered",
        "error": "error",
    }
    assert code == 1
    assert entries["blocked"]["blocked_by"] == "DescribeTable"
    assert entries["prepared"]["blocked_by"] == "ListNamespaces"
    assert entries["needs"]["blocked_by"] == "lance.own.fail"
    assert entries["fail"]["steps"][0]["mark"] == "body:/tables"
    assert "planted" in entries["error"]["message"]


STRICT = ["--lakeproof-strict"]


@pytest.mark.parametrize(
    ("select", "extra", "code"),
    [
        ("own.warn", STRICT, 1),
        ("own.inform", STRICT, 0),
        ("own.error", [], 3),
    ],
)
def test_verdicts_decide_the_exit_code(pytester, server, select, extra, code):
    assert judge(pytester, server, "-k", select, *extra)[0] == code


def test_where_nothing_is_selected_no_report_is_written(pytester, server):
    pytester.makepyfile(test_own=OWN)
    options = ("--lakeproof-server", server.url, "--lakeproof-report", "out", "--lakeproof-kinds", "model")
    outcome = pytester.runpytest_inprocess(*FLAGS, *options)
    assert outcome.ret == 5
    assert list((pytester.path / "out").iterdir()) == []


def test_a_module_that_cannot_be_imported_is_the_kits_fault(pytester, server):
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_broken="import nothing_of_this_name")
    outcome = pytester.runpytest_inprocess(*FLAGS, "--lakeproof-server", server.url, "--lakeproof-report", "out")
    assert outcome.ret == 3


DEEP = """
    from conformance.author.requirement import must

    @must("lance.own.a", operations=["ListTables"], clause="page-token", needs=["lance.own.b"])
    def test_a(catalog):
        '''It needs b.'''

    @must("lance.own.b", operations=["ListTables"], clause="page-token", needs=["lance.own.c"])
    def test_b(catalog):
        '''It needs c.'''

    @must("lance.own.c", operations=["ListTables"], clause="page-token", needs=[NEEDED])
    def test_c(catalog):
        '''It fails.'''
        assert False
"""


def judge_deep(pytester, server, needed):
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_deep=DEEP.replace("[NEEDED]", str(needed)))
    return pytester.runpytest_inprocess(*FLAGS, "--lakeproof-server", server.url, "--lakeproof-report", "out")


def test_needs_are_judged_first_at_any_depth(pytester, server):
    assert judge_deep(pytester, server, []).ret == 1
    results = json.loads((pytester.path / "out" / "results.json").read_text())
    assert {entry["id"]: entry["blocked_by"] for entry in results["requirements"]} == {
        "lance.own.a": "lance.own.b",
        "lance.own.b": "lance.own.c",
        "lance.own.c": None,
    }


def test_requirements_that_need_each_other_are_the_kits_fault(pytester, server):
    outcome = judge_deep(pytester, server, ["lance.own.a"])
    assert outcome.ret == 3
    outcome.stdout.fnmatch_lines(["*these requirements need each other: *lance.own.*"])


UNTIDY = """
    import pytest
    from conformance.values.outcomes import Blocked, Unoffered, Violation
    from conformance.author.requirement import must, should

    ENDS = {
        "pass": None,
        "fail": Violation("seen"),
        "blocked": Blocked("before", "ListTables"),
        "unoffered": Unoffered("not there"),
    }

    @pytest.fixture
    def planted():
        yield
        raise KeyError("planted")

    @pytest.fixture
    def late():
        yield
        raise Blocked("too late", "DropTable")

    @must("lance.own.{}", operations=["ListTables"], clause="page-token", each=ENDS)
    def test_untidy(planted, case):
        '''It ends as {}.'''
        if case:
            raise case

    @should("lance.own.warn", operations=["ListTables"], clause="page-token")
    def test_untidy_warning(planted):
        '''It warns.'''
        raise Violation("seen")

    @must("lance.own.late", operations=["ListTables"], clause="page-token")
    def test_late(late):
        '''It passes.'''
"""


def test_what_breaks_while_cleaning_up_takes_no_verdict_away(pytester, server):
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_untidy=UNTIDY)
    pytester.runpytest_inprocess(*FLAGS, "--lakeproof-server", server.url, "--lakeproof-report", "out")
    results = json.loads((pytester.path / "out" / "results.json").read_text())
    assert {entry["id"].removeprefix("lance.own."): entry["verdict"] for entry in results["requirements"]} == {
        "pass": "error",
        "fail": "fail",
        "blocked": "blocked",
        "unoffered": "error",
        "warn": "warn",
        "late": "pass",
    }
    assert {entry["message"] for entry in results["requirements"] if entry["verdict"] in ("fail", "warn")} == {"seen"}


HEARING = """
    from pathlib import Path

    class Listener:
        def selected(self, requirements):
            pass

        def tested(self, result):
            with Path("heard").open("a") as file:
                file.write(f"{result.id} {result.verdict}\\n")

    def pytest_sessionstart(session):
        session.config.pluginmanager.get_plugin("lakeproof-suite").reporter.listener = Listener()
"""


def test_listeners_hear_each_verdict_once(pytester, server):
    pytester.makeconftest(HEARING)
    pytester.makepyfile(test_untidy=UNTIDY)
    pytester.runpytest_inprocess(*FLAGS, "--lakeproof-server", server.url, "-k", "own.pass or own.fail or own.late")
    heard = (pytester.path / "heard").read_text().splitlines()
    assert sorted(heard) == ["lance.own.fail fail", "lance.own.late pass", "lance.own.pass error"]
