"""Options of the benchmarks that are several numbers in one text."""

from __future__ import annotations

import click


def numbers(_context: click.Context, option: click.Parameter, text: str) -> list[int]:
    """Return the numbers of an option, as its callback."""
    try:
        return [int(number) for number in text.split(",")]
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a list of numbers like {option.default}.") from None
