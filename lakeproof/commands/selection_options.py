"""The options of every command that chooses among requirements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from conformance.kinds import EVERY_KIND, FUZZ

F = TypeVar("F", bound=Callable[..., Any])
SELECTION = (
    click.option(
        "--kinds",
        metavar="KIND,...",
        help=f"Only these kinds: {', '.join(EVERY_KIND)}. {FUZZ} runs only where it is named.",
    ),
    click.option(
        "--operation",
        "operations",
        multiple=True,
        metavar="OPERATION",
        help="Only requirements on this operation, by its operationId; may be repeated.",
    ),
    click.option(
        "--clause",
        "clauses",
        multiple=True,
        metavar="CLAUSE",
        help="Only requirements that follow this clause; may be repeated.",
    ),
    click.option(
        "-k",
        "select",
        metavar="EXPR",
        help="Only requirements with these words in their ids, as in pytest -k: 'table and not rename'. "
        "A whole id means that requirement alone.",
    ),
)
RERUN = (
    click.option(
        "--last-failed",
        is_flag=True,
        default=None,
        help="Only what the last run with this --report did not find to be met.",
    ),
    click.option("--fail-fast", is_flag=True, default=None, help="End at the first requirement that breaks the gate."),
)


def selection_options(command: F) -> F:
    """Give a command the options that select requirements by what they are."""
    return _with(command, SELECTION)


def rerun_options(command: F) -> F:
    """Give a command the options that go by how requirements ended before, and end now."""
    return _with(command, RERUN)


def _with(command: F, options: tuple[Callable[[F], F], ...]) -> F:
    for option in reversed(options):
        command = option(command)
    return command
