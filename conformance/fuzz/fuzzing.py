"""What an API says about drawn bodies: what they are about, and which fields of them are never drawn.

A drawn body goes to something that the run has made for it. Whatever in it could name something else is as in the
run's own request, or is left out: no draw decides what a request is about, or where its files lie.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.apis import PACKAGE
from conformance.author.catalog import Catalog
from conformance.common.operations import with_json_body
from conformance.http.client import Answer
from conformance.target.target import Target
from specs.openapi import Operation
from specs.profiles import every_operation

LEADS_AWAY = re.compile(r"[/\\]|\.\.")  # what makes a text a path or a URI, wherever it stands


@dataclass(frozen=True, slots=True)
class Subject:
    """What a drawn body is about: the run's own body for it, and how another one is sent there."""

    own: Any
    send: Callable[[Any], Answer]


@dataclass(frozen=True, slots=True)
class Fuzzing:
    """The part of one API. `prepare` makes what an operation is about, and `catalog` is what it does so with.

    `names` are the fields that name something or say where something lies, at any depth, `top_names` those that do so
    only at the top; spelling does not matter. `left_out` are operations whose bodies are not drawn, and why.
    """

    catalog: Callable[[Target], Catalog]
    prepare: Callable[[Any, Operation], Subject]
    names: Collection[str]
    top_names: Collection[str] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)

    def harmless(self, drawn: Any, own: Any) -> Any:
        """Return a drawn body that is about what the run's own body is about, with no path or URI in it."""
        names, top = ({_plain(name) for name in some} for some in (self.names, self.top_names))
        return _with_own(drawn, own, names, names | top)


@dataclass(frozen=True, slots=True)
class FuzzCase:
    """An operation of an API whose bodies are drawn."""

    api: str
    operation: Operation

    @property
    def id(self) -> str:
        """What the statement calls it."""
        return self.operation.id


def fuzzing_of(api: str) -> Fuzzing:
    """Return what an API says about drawn bodies."""
    fuzzing: Fuzzing = importlib.import_module(f"{PACKAGE}.{api}.fuzzing").FUZZING
    return fuzzing


def cases_of(api: str) -> dict[str, FuzzCase]:
    """Return the operations of an API whose bodies are drawn, by the ends of their requirements' ids."""
    left_out = fuzzing_of(api).left_out
    drawn = with_json_body({operation.name: operation for operation in every_operation(api)})
    return {
        f"{api}.{name}": FuzzCase(api, operation) for name, operation in drawn.items() if operation.id not in left_out
    }


def _with_own(drawn: Any, own: Any, names: Collection[str], here: Collection[str]) -> Any:
    """Return a drawn value with the names of the run's own; `here` are the fields that are names at this level."""
    if isinstance(drawn, list):
        first = own[0] if isinstance(own, list) and own else None
        return [_with_own(item, first, names, here) for item in drawn]
    if isinstance(drawn, str):
        return LEADS_AWAY.sub("", drawn)
    if not isinstance(drawn, dict):
        return drawn
    known = own if isinstance(own, dict) else {}
    kept = {
        LEADS_AWAY.sub("", name): _with_own(value, known.get(name), names, names)
        for name, value in drawn.items()
        if _plain(name) not in here
    }
    return {**kept, **{name: value for name, value in known.items() if _plain(name) in here}}


def _plain(name: str) -> str:
    """Return the name of a field without what spellings of it differ in."""
    return re.sub(r"[^a-z0-9]", "", name.lower())
