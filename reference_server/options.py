"""Options of one API's server: a dataclass in the API's package, whose fields are also flags of `lakeproof serve`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

from specs.openapi import Document

METADATA = "option"


@dataclass(frozen=True, slots=True)
class Option:
    """Command line form of a field. An option with several values may be repeated.

    `help` describes its effect, `choices` are all valid values, `show_default` is the displayed default.
    """

    flag: str
    help: str
    metavar: str | None = None
    choices: Sequence[str] = ()
    show_default: bool | str = False


def option(default: Any, flag: str, help: str, **more: Any) -> Any:
    """Return a field of an options class; see Option for the arguments."""
    return field(default=default, metadata={METADATA: Option(flag, help, **more)})


@dataclass(frozen=True)
class Options:
    """The options of an API's server beside ServerSettings; an API without options uses this class."""

    @classmethod
    def embedded(cls, _document: Document, _given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return options for the server that a run starts for itself, and settings of the run that follow from them.

        `_given` are the settings of the run by name. The options should enable the whole API, so that it is tested.
        """
        return {}, {}


def flags(options: type[Options]) -> list[tuple[str, Any, Option]]:
    """Return the name, the default and the Option of each field."""
    return [
        (option.name, option.default, option.metadata[METADATA])
        for option in fields(options)
        if option.default is not MISSING
    ]
