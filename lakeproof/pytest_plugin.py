"""What pytest loads wherever lakeproof is installed: three options and one fixture, inert until used.

pytest --pyargs conformance --server http://127.0.0.1:2333 --lakeproof depth=smoke
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conformance.plugin import SuitePlugin
    from reference_server.serve import Server

PLUGIN = "lakeproof-suite"  # conformance.fixtures.PLUGIN, without importing it for every run of pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that point the suite at a target."""
    group = parser.getgroup("lakeproof", "lakeproof: requirements on a server")
    group.addoption("--server", metavar="URL", help="judge this server: pytest --pyargs conformance --server URL")
    group.addoption("--api", metavar="API", help="the API that the server speaks")
    group.addoption(
        "--lakeproof",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a further setting, as in lakeproof.toml: depth=smoke, token=..., report=DIR",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the suite when there is a target, else a guard that says what is missing."""
    config.addinivalue_line("markers", "requirement(one): a requirement on a server")
    if config.getoption("--server"):
        config.pluginmanager.register(_suite_plugin(config))


def _suite_plugin(config: pytest.Config) -> SuitePlugin:
    from conformance.plugin import SuitePlugin  # noqa: PLC0415 - only a run with a target pays for it
    from conformance.session import Session  # noqa: PLC0415
    from conformance.settings import load_settings  # noqa: PLC0415
    from specs.problems import Problem  # noqa: PLC0415

    given = {"server": config.getoption("--server"), "api": config.getoption("--api")}
    for pair in config.getoption("--lakeproof"):
        name, equals, value = pair.partition("=")
        if not equals:
            raise pytest.UsageError(f"--lakeproof {pair}: write it as NAME=VALUE")
        given[name.replace("-", "_")] = value
    try:
        return SuitePlugin(Session(load_settings(given), "pytest " + " ".join(config.invocation_params.args)))
    except (Problem, TypeError) as problem:
        raise pytest.UsageError(str(problem)) from None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse to run requirements without a target."""
    if not config.pluginmanager.has_plugin(PLUGIN) and any(item.get_closest_marker("requirement") for item in items):
        raise pytest.UsageError("these are requirements on a server: say which one with --server URL")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say how the run ended and where its report is."""
    plugin: SuitePlugin | None = config.pluginmanager.get_plugin(PLUGIN)
    if plugin is None:
        return
    from conformance.report import write_reports  # noqa: PLC0415

    results = plugin.session.results()
    paths = write_reports(results, plugin.session.settings)
    counts = ", ".join(f"{count} {verdict}" for verdict, count in results.totals.items() if count)
    terminalreporter.write_sep("-", f"lakeproof: {counts or 'nothing selected'}")
    terminalreporter.write_line(f"report: {paths['html']}")


@pytest.fixture
def lakeproof_server() -> Iterator[Server]:
    """Run a reference server for the length of a test; its base URLs are in `urls`."""
    from reference_server.serve import serve  # noqa: PLC0415

    with serve() as server:
        yield server
