"""What pytest loads wherever lakeproof is installed: options and one fixture. Nothing else is imported until used.

pytest --pyargs conformance --lakeproof-server http://127.0.0.1:2333 --lakeproof-depth smoke
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from lakeproof.packages import bind_packages

if TYPE_CHECKING:
    from conformance.plugin import SuitePlugin
    from reference_server.serve import Server

PLUGIN = "lakeproof-suite"  # conformance.fixtures.PLUGIN, without importing it for every run of pytest
MARK = "lakeproof_requirement"  # conformance.requirement.MARK, likewise
# The settings of a run (conformance.settings.Settings) by their names: what they take, and what they are for.
SETTINGS = {
    "server": ("URL", "test this server: pytest --pyargs conformance --lakeproof-server URL"),
    "name": ("NAME", "what the reports call the server"),
    "api": ("API", "the API that the server speaks"),
    "profile": ("PROFILE", "a revision of the API, see lakeproof spec list"),
    "spec": ("FILE", "this copy of the document instead of lakeproof's own"),
    "warehouse": ("NAME", "the warehouse to ask the catalog for"),
    "namespace": ("NAME", "stay in this existing namespace"),
    "prefix": ("NAME", "what the names of the run's things start with"),
    "location": ("URI", "where tables may lie; the run has a folder of its own below it"),
    "storage_options": ("KEY=VALUE", "reach the files of tables by this setting; may be repeated"),
    "functions": ("NAME", "an existing namespace that has functions"),
    "token": ("TOKEN", "send this bearer token"),
    "credential": ("ID:SECRET", "get tokens from the catalog for this"),
    "scope": ("SCOPE", "the scope of tokens that are got for the credential"),
    "headers": ("'NAME: VALUE'", "send this header too; may be repeated"),
    "depth": ("DEPTH", "how many examples to draw: smoke, gate or deep"),
    "seed": ("N", "where a deep run starts"),
    "strict": ("", "a SHOULD counts like a MUST"),
    "kinds": ("KIND,...", "only requirements of these kinds"),
    "operations": ("OPERATION", "only requirements on this operation; may be repeated"),
    "clauses": ("CLAUSE", "only requirements that follow this clause; may be repeated"),
    "last_failed": ("", "only what the run in the report folder did not find to be met"),
    "fail_fast": ("", "end at the first requirement that breaks the gate"),
    "no_shrink": ("", "show a drawn counterexample as it was found, without the time to make it small"),
    "expect": ("FILE", "the known deviations of the server"),
    "timeout": ("SECONDS", "for a whole request and its answer"),
    "max_time": ("SECONDS", "for the whole run"),
    "wait": ("SECONDS", "to wait for a server that is not up yet"),
    "ca": ("FILE", "the authorities that sign the server's certificate (PEM)"),
    "cert": ("FILE", "the client's certificate (PEM)"),
    "key": ("FILE", "the key of the client's certificate, if it is in another file"),
    "insecure": ("", "take any certificate"),
    "leave_behind": ("", "go on where a server cannot drop what the run makes"),
    "jobs": ("N", "test so many requirements at the same time"),
    "report": ("DIR", "where the reports go"),
}
REPEATED = ("headers", "storage_options", "operations", "clauses")
SECRET = ("token", "credential", "headers", "storage_options")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add an option for every setting of a run: `max_time` is `--lakeproof-max-time`."""
    group = parser.getgroup("lakeproof", "lakeproof: requirements on a server")
    for name, (metavar, help) in SETTINGS.items():
        action = "append" if name in REPEATED else "store" if metavar else "store_true"
        takes = {"metavar": metavar} if metavar else {}
        group.addoption(_option(name), dest=_key(name), action=action, default=None, help=help, **takes)


def _option(name: str) -> str:
    return "--lakeproof-" + name.replace("_", "-")


def _key(name: str) -> str:
    return f"lakeproof_{name}"


def pytest_configure(config: pytest.Config) -> None:
    """Register the suite when there is a server to test."""
    config.addinivalue_line("markers", f"{MARK}(requirement): a requirement on a server")
    if config.getoption(_key("server")):
        config.pluginmanager.register(_suite_plugin(config))


def _suite_plugin(config: pytest.Config) -> SuitePlugin:
    if hasattr(config, "workerinput") or getattr(config.option, "numprocesses", None):
        raise pytest.UsageError(
            "pytest -n cannot make one report of a run: leave it out and give --lakeproof-jobs N, which can"
        )
    _bind()
    from conformance.plugin import SuitePlugin  # noqa: PLC0415 - only a run with a server pays for it
    from conformance.session import Session  # noqa: PLC0415
    from conformance.settings import load_settings  # noqa: PLC0415
    from lakeproof.command_line import without_secrets  # noqa: PLC0415
    from specs.problems import Problem  # noqa: PLC0415

    given: dict[str, Any] = {name: config.getoption(_key(name)) for name in SETTINGS}
    command = without_secrets(["pytest", *config.invocation_params.args], [_option(name) for name in SECRET])
    try:
        return SuitePlugin(Session(load_settings(given), command))
    except Problem as problem:
        raise pytest.UsageError(str(problem)) from None


def _bind() -> None:
    try:
        bind_packages()
    except ImportError as error:
        raise pytest.UsageError(str(error)) from None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse to run requirements without a server."""
    if not config.pluginmanager.has_plugin(PLUGIN) and any(item.get_closest_marker(MARK) for item in items):
        raise pytest.UsageError("these are requirements on a server: say which one with --lakeproof-server URL")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say how the run ended and where its report is."""
    plugin: SuitePlugin | None = config.pluginmanager.get_plugin(PLUGIN)
    if plugin is None:
        return
    from conformance.report import write_reports  # noqa: PLC0415

    results = plugin.session.results()
    if not results.run.selected:
        terminalreporter.write_sep("-", "lakeproof: nothing selected")
        return
    paths = write_reports(results, plugin.session.settings)
    counts = ", ".join(f"{count} {verdict}" for verdict, count in results.totals.items() if count)
    terminalreporter.write_sep("-", f"lakeproof: {counts or 'nothing tested'}")
    terminalreporter.write_line(f"report: {paths['html']}")


@pytest.fixture
def lakeproof_server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """Run a reference server for the length of a test; its base URLs are in `urls`.

    It serves every API, or the one that an indirect parameter names.
    """
    bind_packages()
    from reference_server.serve import serve  # noqa: PLC0415

    with serve(*filter(None, [getattr(request, "param", None)])) as server:
        yield server
