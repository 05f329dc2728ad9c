"""Options that take one of a few values; a wrong one is refused with the nearest."""

from __future__ import annotations

from typing import Any

import click

from specs.problems import did_you_mean


class OneOf(click.Choice):  # type: ignore[type-arg]  # before click 8.2 it takes none
    """A choice that says which value was probably meant."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """See click.ParamType."""
        if value not in self.choices:
            hint = did_you_mean(str(value), map(str, self.choices), most=1)
            self.fail(f"unknown value {value!r}. {hint}", param, ctx)
        return str(value)
