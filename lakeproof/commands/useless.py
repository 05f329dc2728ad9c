"""Options of commands that do nothing beside others: they are refused, not ignored.

Settings of a run have such a table of their own, NEEDS in conformance/values/settings.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from specs.problems import Problem

F = TypeVar("F", bound=Callable[..., Any])
OF_A_CATALOG = ("warehouse", "token", "credential", "scope")
BESIDE: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "race": {"url": ("faults",)},
    "repro": {"form": ("token", "credential", "header")},
    "coverage": {"results": ("api", "profile", "storage")},
    "expect": {"prune": ("reason", "link", "expires")},
    "mutants": {
        "published": ("derived", "patterns", "sample", "seed", "write", "jobs", "keep", "only_list", "as_json"),
        "only_list": ("write", "jobs", "keep", "as_json"),
    },
    "load": {"catalog": ("folder",)},
    "report": {"catalog": ("folder",)},
}
"""By command, and by an option or argument: the options that do nothing beside it."""
WITHOUT: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "mutants": {"sample": ("seed",)},
    "load": {"catalog": OF_A_CATALOG},
    "report": {"catalog": OF_A_CATALOG},
}
"""By command, and by an option: the options that do nothing without it."""


def checked(command: F) -> F:
    """Have a command refuse options that would do nothing; see BESIDE and WITHOUT."""

    @wraps(command)
    def run(*arguments: Any, **given: Any) -> Any:
        _check(click.get_current_context())
        return command(*arguments, **given)

    return run  # type: ignore[return-value]


def _check(context: click.Context) -> None:
    """Raise Problem for an option on the command line that does nothing."""
    shown = {
        str(parameter.name): parameter.opts[0] if isinstance(parameter, click.Option) else str(parameter.name).upper()
        for parameter in context.command.params
    }
    given = {name for name in shown if context.get_parameter_source(name) is ParameterSource.COMMANDLINE}
    for table, beside in ((BESIDE, True), (WITHOUT, False)):
        for other, options in table.get(str(context.command.name), {}).items():
            for name in options:
                if name in given and (other in given) is beside:
                    word = "beside" if beside else "without"
                    way_out = "Leave out one of them." if beside else f"Give {shown[other]}, or leave it out."
                    raise Problem(f"{shown[name]} does nothing {word} {shown[other]}.", way_out)
