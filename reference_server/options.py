"""The options of one API's server: a dataclass in the API's package; its fields are flags of `lakeproof serve` too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

from specs.openapi import Document

METADATA = "option"


@dataclass(frozen=True, slots=True)
class Option:
    """How a field is given on a command line. One that holds several values may be repeated.

    `help` says what it does, `choices` are all that it may be, `show_default` is what is shown as its default.
    """

    flag: str
    help: str
    metavar: str | None = None
    choices: Sequence[str] = ()
    show_default: bool | str = False


def option(default: Any, flag: str, help: str, **more: Any) -> Any:
    """Return a field of a class of options; see Option for the arguments."""
    return field(default=default, metadata={METADATA: Option(flag, help, **more)})


@dataclass(frozen=True)
class Options:
    """The options of an API's server beside ServerSettings; an API without options uses this class."""

    @classmethod
    def embedded(cls, _document: Document, _given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return options for a server that a run starts for itself, and settings of the run that follow from them.

        `_given` are the settings of the run by name. The server should offer all that the API has, to be tested.
        """
        return {}, {}


def flags(options: type[Options]) -> list[tuple[str, Any, Option]]:
    """Return the name of each option, its default, and how it is given."""
    return [
        (option.name, option.default, option.metadata[METADATA])
        for option in fields(options)
        if option.default is not MISSING
    ]
