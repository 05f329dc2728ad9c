"""Options that also stand in the environment and in a table of `lakeproof.toml`, under the name that they have."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from conformance.values.settings import ENV_PREFIX, FILE_NAME
from specs.files import read_toml
from specs.problems import Problem, did_you_mean


class FileOptionsCommand(click.Command):
    """A command whose options have three places: the command line, else the environment, else the file.

    `--page-size` of `serve` is `LAKEPROOF_SERVE_PAGE_SIZE` in the environment, where several values have spaces between
    them, and `page_size` in the table `[serve]` of `lakeproof.toml` in the working directory.
    """

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """See click.Command. Raises Problem for a file with options that the command does not have."""
        options = {
            _key(param): param for param in self.params if isinstance(param, click.Option) and param.expose_value
        }
        for key, option in options.items():
            option.envvar = self._variable(key)
        self.check_variables(os.environ)
        defaults = self._file_defaults(options, Path(FILE_NAME))
        return super().make_context(info_name, args, parent, default_map=defaults, **extra)

    def check_variables(self, environ: Mapping[str, str]) -> None:
        """Raise Problem for a variable of the environment that is for this command, and none of its options."""
        known = [self._variable(_key(param)) for param in self.params if isinstance(param, click.Option)]
        for name in sorted(environ):
            if name.startswith(self._variable("")) and name not in known:
                raise Problem(f"The environment has an unknown setting: {name}.", did_you_mean(name, known, most=1))

    def _variable(self, key: str) -> str:
        return f"{ENV_PREFIX}{self.name}_{key}".upper()

    def _file_defaults(self, options: dict[str, click.Option], path: Path) -> dict[str, Any]:
        given = read_toml(path).get(str(self.name), {}) if path.exists() else {}
        if not isinstance(given, dict):
            raise Problem(f"`{self.name}` in {path} is no table.", f"Write [{self.name}], and its options below.")
        if unknown := sorted(given.keys() - options.keys()):
            hint = did_you_mean(unknown[0], options, most=1)
            raise Problem(f"[{self.name}] in {path} has an unknown option: {unknown[0]}.", hint)
        return {str(options[key].name): _values(options[key], value) for key, value in given.items()}


def _key(option: click.Option) -> str:
    """Return the name of an option as its flag has it: `--page-size` is `page_size`."""
    return option.opts[0].lstrip("-").replace("-", "_")


def _values(option: click.Option, value: Any) -> Any:
    return [value] if option.multiple and not isinstance(value, list) else value
