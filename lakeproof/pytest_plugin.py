"""Plugin that pytest loads wherever lakeproof is installed: options and one fixture; all else is imported on use.

pytest --pyargs conformance --lakeproof-server http://127.0.0.1:2333 --lakeproof-depth smoke
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

import pytest

from lakeproof.packages import FOLDER, bind_packages

if TYPE_CHECKING:
    from conformance.run.plugin import SuitePlugin
    from conformance.values.settings import Settings
    from reference_server.control.client import TenantServer
    from reference_server.serve import Server

PLUGIN = "lakeproof-suite"  # conformance.author.fixtures.PLUGIN, without importing it for every run of pytest
SETTINGS = pytest.StashKey["Settings"]()
API = pytest.StashKey[str]()
MARK = "lakeproof_requirement"  # conformance.author.requirement.MARK, likewise


class Written(NamedTuple):
    """Setting of a run, read from its source."""

    name: str
    type: str
    help: str
    metavar: str = ""


@cache
def settings() -> list[Written]:
    """Return the settings of a run, read from the source: an import could find a project's package of the same name."""
    source = (FOLDER / "conformance" / "values" / "settings.py").read_text(encoding="utf-8")
    table = next(node for node in ast.parse(source).body if isinstance(node, ast.ClassDef) and node.name == "Settings")
    return [
        Written(ast.unparse(field.target), ast.unparse(field.annotation), *map(ast.literal_eval, field.value.args[1:]))
        for field in table.body
        if isinstance(field, ast.AnnAssign) and isinstance(field.value, ast.Call)
    ]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add an option for every setting of a run: `max_time` is `--lakeproof-max-time`."""
    group = parser.getgroup("lakeproof", "lakeproof: requirements on a server")
    for setting in settings():
        action = {"bool": "store_true", "tuple[str, ...]": "append"}.get(setting.type, "store")
        takes = {"metavar": setting.metavar} if setting.metavar else {}
        dest, help = _key(setting.name), setting.help.replace("%", "%%")
        group.addoption(_option(setting.name), dest=dest, action=action, default=None, help=help, **takes)


def _option(name: str) -> str:
    return "--lakeproof-" + name.replace("_", "-")


def _key(name: str) -> str:
    return f"lakeproof_{name}"


def pytest_configure(config: pytest.Config) -> None:
    """Register the suite if the options name a server, or a storage for the embedded server."""
    config.addinivalue_line("markers", f"{MARK}(requirement): a requirement on a server")
    if config.getoption(_key("server")) or config.getoption(_key("storage")):
        config.pluginmanager.register(_suite_plugin(config))


def _suite_plugin(config: pytest.Config) -> SuitePlugin:
    if hasattr(config, "workerinput") or getattr(config.option, "numprocesses", None):
        raise pytest.UsageError("pytest -n cannot write one report of a run: use --lakeproof-jobs N instead")
    _bind()
    from conformance.report.card import card  # noqa: PLC0415
    from conformance.run.choosing import begin  # noqa: PLC0415
    from conformance.run.plugin import SuitePlugin  # noqa: PLC0415 - only a run with a server needs it
    from conformance.values.settings import secret_settings  # noqa: PLC0415
    from lakeproof.checking import target_of  # noqa: PLC0415
    from lakeproof.command_line import without_secrets  # noqa: PLC0415
    from specs.problems import Problem  # noqa: PLC0415

    command = without_secrets(["pytest", *config.invocation_params.args], list(map(_option, secret_settings())))
    running = ExitStack()
    config.add_cleanup(running.close)
    try:
        config.stash[SETTINGS] = _loaded(config)
        target = running.enter_context(target_of(config.stash[SETTINGS]))
        return SuitePlugin(begin(target, command), card=card)
    except Problem as problem:
        raise pytest.UsageError(str(problem)) from None


def _loaded(config: pytest.Config) -> Settings:
    from conformance.values.settings import load_settings  # noqa: PLC0415
    from lakeproof.answering_api import answering_api  # noqa: PLC0415

    given = {setting.name: config.getoption(_key(setting.name)) for setting in settings()}
    return load_settings(given | answering_api(given, partial(config.stash.__setitem__, API)))


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Return the line with the API that answers at the server, if the options name none."""
    return [f"lakeproof: {config.stash[API]}"] if API in config.stash else []


def _bind() -> None:
    try:
        bind_packages()
    except ImportError as error:
        raise pytest.UsageError(str(error)) from None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Raise UsageError for requirements without a server."""
    if not config.pluginmanager.has_plugin(PLUGIN) and any(item.get_closest_marker(MARK) for item in items):
        raise pytest.UsageError("the collected requirements need a server: name it with --lakeproof-server URL")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Write the reports of the run, and print its totals and the path of the page."""
    plugin: SuitePlugin | None = config.pluginmanager.get_plugin(PLUGIN)
    if plugin is None:
        return
    from conformance.after.causes import with_causes  # noqa: PLC0415
    from conformance.replay.commands import again  # noqa: PLC0415
    from conformance.report import write_reports  # noqa: PLC0415
    from specs.writing import NotWritten  # noqa: PLC0415

    results = with_causes(plugin.session.results())
    results.run.again = again(config.stash[SETTINGS])
    if not results.run.selected:
        terminalreporter.write_sep("-", "lakeproof: nothing selected")
        return
    counts = ", ".join(f"{count:,} {verdict}" for verdict, count in results.totals.items() if count)
    terminalreporter.write_sep("-", f"lakeproof: {counts or 'nothing tested'}")
    try:
        paths = write_reports(results, plugin.session.settings)
    except NotWritten as problem:
        pytest.exit(str(problem), pytest.ExitCode.USAGE_ERROR)
    terminalreporter.write_line(f"report: {paths['html']}")


@pytest.fixture(scope="session")
def lakeproof_session() -> Iterator[Callable[..., Server]]:
    """Start each reference server once, by the APIs that it serves, and stop all of them after the session."""
    bind_packages()
    from reference_server.serve import serve  # noqa: PLC0415

    with ExitStack() as running:
        yield cache(lambda *apis: running.enter_context(serve(*apis)))


@pytest.fixture
def lakeproof_server(
    request: pytest.FixtureRequest, lakeproof_session: Callable[..., Server]
) -> Iterator[TenantServer]:
    """Make a tenant of the session's server for a test: empty catalogs of its own; `urls` are its base URLs.

    It has every API, or the API that an indirect parameter names.
    """
    server = lakeproof_session(*filter(None, [getattr(request, "param", None)]))
    with server.tenant() as tenant:
        yield tenant
