"""Options of commands: closed sets of values, values from environment and file, and options without effect.

A command rejects an option that has no effect in a combination, instead of ignoring it: BESIDE and WITHOUT. The
settings of a run have their own table, NEEDS in conformance/values/settings.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from conformance.values.settings import ENV_PREFIX, FILE_NAME, Settings, variable
from specs.files import read_toml
from specs.problems import Problem, did_you_mean

F = TypeVar("F", bound=Callable[..., Any])
OF_A_CATALOG = ("warehouse", "token", "credential", "scope")
Useless = Mapping[str, Mapping[str, tuple[str, ...]]]
BESIDE: Useless = {
    "race": {"url": ("faults",)},
    "repro": {"form": ("token", "credential", "header")},
    "coverage": {"results": ("api", "profile", "storage")},
    "expect": {"prune": ("reason", "link", "expires")},
    "load": {"catalog": ("folder",)},
    "report": {"catalog": ("folder",)},
}
"""By command, and by an option or argument: the options that have no effect together with it."""
WITHOUT: Useless = {
    "load": {"catalog": OF_A_CATALOG},
    "report": {"catalog": OF_A_CATALOG},
}
"""By command, and by an option: the options that have no effect without it."""


def check_may_write(settings: Settings, subject: str) -> None:
    """Raise Problem if the settings are read-only, for a command without --read-only whose `subject` writes."""
    if settings.read_only:
        way_out = f"Unset it in {FILE_NAME} or {variable('read_only')}."
        raise Problem(f"read_only is set, and {subject} writes.", way_out)


class OneOf(click.Choice):  # type: ignore[type-arg]  # before click 8.2 it takes none
    """Choice whose error suggests the nearest value."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the value if it is a choice. Raises click.BadParameter, with the nearest choice, if it is not."""
        if value not in self.choices:
            hint = did_you_mean(str(value), map(str, self.choices), most=1)
            self.fail(f"unknown value {value!r}. {hint}", param, ctx)
        return str(value)


class FileOptionsCommand(click.Command):
    """Command that reads an option from the command line, else from the environment, else from the file.

    `--page-size` of `serve` is `LAKEPROOF_SERVE_PAGE_SIZE` in the environment, where spaces separate several values,
    and `page_size` in the table `[serve]` of `lakeproof.toml` in the working directory.
    """

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Parse the arguments, with defaults from the file. Raises Problem for a file with unknown options."""
        options = {
            _key(param): param for param in self.params if isinstance(param, click.Option) and param.expose_value
        }
        for key, option in options.items():
            option.envvar = self._variable(key)
        self.check_variables(os.environ)
        defaults = self._file_defaults(options, Path(FILE_NAME))
        return super().make_context(info_name, args, parent, default_map=defaults, **extra)

    def check_variables(self, environ: Mapping[str, str]) -> None:
        """Raise Problem for a variable of the environment with this command's prefix that is none of its options."""
        known = [self._variable(_key(param)) for param in self.params if isinstance(param, click.Option)]
        for name in sorted(environ):
            if name.startswith(self._variable("")) and name not in known:
                raise Problem(f"The environment has an unknown setting: {name}.", did_you_mean(name, known, most=1))

    def _variable(self, key: str) -> str:
        return f"{ENV_PREFIX}{self.name}_{key}".upper()

    def _file_defaults(self, options: dict[str, click.Option], path: Path) -> dict[str, Any]:
        given = read_toml(path).get(str(self.name), {}) if path.exists() else {}
        if not isinstance(given, dict):
            raise Problem(f"`{self.name}` in {path} is not a table.", f"Write [{self.name}], and the options below it.")
        if unknown := sorted(given.keys() - options.keys()):
            hint = did_you_mean(unknown[0], options, most=1)
            raise Problem(f"[{self.name}] in {path} has an unknown option: {unknown[0]}.", hint)
        return {str(options[key].name): _values(options[key], value) for key, value in given.items()}


def _key(option: click.Option) -> str:
    """Return the key of an option in the file: `page_size` for `--page-size`."""
    return option.opts[0].lstrip("-").replace("-", "_")


def _values(option: click.Option, value: Any) -> Any:
    return [value] if option.multiple and not isinstance(value, list) else value


def checked(command: F, beside: Useless = BESIDE, without: Useless = WITHOUT) -> F:
    """Make a command reject options without effect, by tables such as BESIDE and WITHOUT."""

    @wraps(command)
    def run(*arguments: Any, **given: Any) -> Any:
        _check(click.get_current_context(), beside, without)
        return command(*arguments, **given)

    return run  # type: ignore[return-value]


def _check(context: click.Context, beside: Useless, without: Useless) -> None:
    """Raise Problem for an option on the command line that has no effect."""
    shown = {
        str(parameter.name): parameter.opts[0] if isinstance(parameter, click.Option) else str(parameter.name).upper()
        for parameter in context.command.params
    }
    given = {name for name in shown if context.get_parameter_source(name) is ParameterSource.COMMANDLINE}
    for table, together in ((beside, True), (without, False)):
        for other, options in table.get(str(context.command.name), {}).items():
            for name in options:
                if name in given and (other in given) is together:
                    word = "with" if together else "without"
                    way_out = "Leave out one of them." if together else f"Give {shown[other]}, or leave it out."
                    raise Problem(f"{shown[name]} has no effect {word} {shown[other]}.", way_out)
