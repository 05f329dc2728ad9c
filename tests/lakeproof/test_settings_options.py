"""One name for a setting: as a flag, a variable, a key of the file, an option of pytest, an argument in Python."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from conformance.values.settings import SETTINGS, Settings, load_settings
from lakeproof import pytest_plugin
from lakeproof.commands.check import check_command
from lakeproof.commands.list import list_command
from lakeproof.commands.repro import repro_command

ROOT = Path(__file__).parent.parent.parent
GIVEN = {"credential": "me:secret", "location": "/srv/lake", "prefix": "x", "cert": "c.pem"}  # not every text is one
HTTPS = {"server": "https://h"}
NEEDS: dict[str, dict[str, Any]] = {
    "key": {"cert": "c.pem", **HTTPS},
    **dict.fromkeys(("ca", "insecure", "cert", "wait"), HTTPS),
    "path_prefix": {"api": "iceberg"},
    "scope": {"credential": "me:secret"},
    "table": {"read_only": True},
    "view": {"read_only": True},
}
MOST_SECONDS = 0.5
SUITE = "conformance.http.client"


def example(name):
    """Return a value that a setting can have and is not its default."""
    setting, default = SETTINGS[name], getattr(Settings(), name)
    if setting.choices:
        last = [*setting.choices()][-1]
        return (last,) if isinstance(default, tuple) else last
    if setting.between:
        return (f"a{setting.between}b, c", f"d{setting.between}e")
    if isinstance(default, tuple):
        return ("A", "B")
    return True if default is False else GIVEN.get(name, "text") if isinstance(default, str) else default + 2


def words(flag, value):
    """Return a value on a command line."""
    values = value if isinstance(value, tuple) else [value]
    return [word for part in values for word in ([flag] if part is True else [flag, str(part)])]


def by_flag(name, value):
    if name == "server":
        return {name: check_command.make_context("check", [value]).params["url"]}
    return {name: check_command.make_context("check", words("--" + name.replace("_", "-"), value)).params[name]}


def by_pytest(name, value):
    parser = pytest.Parser(_ispytest=True)
    pytest_plugin.pytest_addoption(parser)
    arguments = words("--lakeproof-" + name.replace("_", "-"), value)
    return {name: getattr(parser.parse(arguments), f"lakeproof_{name}")}


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_has_one_name_everywhere(tmp_path, name):
    value, needed = example(name), NEEDS.get(name, {})
    assert value != getattr(Settings(), name)
    (tmp_path / "lakeproof.toml").write_text(f"{name} = {json.dumps(value)}\n")
    text = ("\n" if SETTINGS[name].between else ",").join(value) if isinstance(value, tuple) else str(value)
    empty = tmp_path / "empty"
    empty.mkdir()
    loaded = {
        "Python": load_settings({**needed, name: value}, {}, empty),
        "flag": load_settings({**needed, **by_flag(name, value)}, {}, empty),
        "pytest": load_settings({**needed, **by_pytest(name, value)}, {}, empty),
        "variable": load_settings(needed, {f"LAKEPROOF_{name.upper()}": text}, empty),
        "key": load_settings(needed, {}, tmp_path),
    }
    assert {way: getattr(settings, name) for way, settings in loaded.items()} == dict.fromkeys(loaded, value)


def test_pytest_says_what_the_command_line_says():
    written = {setting.name: (setting.help, setting.metavar) for setting in pytest_plugin.settings()}
    assert written == {name: (setting.help, setting.metavar) for name, setting in SETTINGS.items()}


@pytest.mark.parametrize("command", [check_command, list_command, repro_command])
def test_options_that_were_not_given_say_nothing(tmp_path, command):
    arguments = ["lance.table.x"] if command is repro_command else []
    given = {name: value for name, value in command.make_context("x", arguments).params.items() if name in SETTINGS}
    assert given
    assert load_settings(given, {}, tmp_path) == Settings()


@pytest.mark.parametrize("arguments", [["--depth", "none"], ["--api", "none"], ["--jobs", "many"]])
def test_a_wrong_value_names_the_option(arguments):
    with pytest.raises(click.BadParameter, match=arguments[1]):
        check_command.make_context("check", arguments)


def test_help_is_quick_and_fits_a_terminal():
    program = f"import sys; from lakeproof.cli import main\ntry: main()\nfinally: assert {SUITE!r} not in sys.modules"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environ = {**os.environ, "COLUMNS": "80"}
    arguments = [sys.executable, "-c", program, "check", "--help"]
    ended = subprocess.run(arguments, capture_output=True, text=True, check=False, env=environ, cwd=ROOT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert [line for line in ended.stdout.splitlines() if len(line) > 80] == []
    assert [name for name in SETTINGS if name != "server" and "--" + name.replace("_", "-") not in ended.stdout] == []
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < MOST_SECONDS
