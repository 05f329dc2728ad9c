"""Fuzzing of an API: the objects that drawn bodies go to, and the fields that are never drawn.

The run creates the object that a drawn body goes to. Every field that could name another object or a location is copied
from the run's own body or removed: no draw decides which object a request names, or where its files lie.
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
from conformance.http.answers import Answer
from conformance.target.target import Target
from specs.openapi import Operation
from specs.profiles import every_operation

LEADS_AWAY = re.compile(r"[/\\]|\.\.")  # makes a string a path or a URI


@dataclass(frozen=True, slots=True)
class Subject:
    """Target of drawn bodies: the run's own valid body, and a function that sends another one to the same object."""

    own: Any
    send: Callable[[Any], Answer]


@dataclass(frozen=True, slots=True)
class Fuzzing:
    """Fuzzing of one API. `catalog` creates its catalog; `prepare` creates the object of an operation with it.

    `names` are the fields that name an object or a location at any depth, `top_names` those that do so only at the top
    level, both in any spelling. `left_out` maps operations whose bodies are not drawn to the reason.
    """

    catalog: Callable[[Target], Catalog]
    prepare: Callable[[Any, Operation], Subject]
    names: Collection[str]
    top_names: Collection[str] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)

    def harmless(self, drawn: Any, own: Any) -> Any:
        """Return a drawn body with the names of the run's own body, without any path or URI."""
        names, top = ({_plain(name) for name in some} for some in (self.names, self.top_names))
        return _with_own(drawn, own, names, names | top)


@dataclass(frozen=True, slots=True)
class FuzzCase:
    """Operation of an API whose bodies are drawn."""

    api: str
    operation: Operation

    @property
    def id(self) -> str:
        """The operationId, for the statement."""
        return self.operation.id


def fuzzing_of(api: str) -> Fuzzing:
    """Return the Fuzzing of an API."""
    fuzzing: Fuzzing = importlib.import_module(f"{PACKAGE}.{api}.fuzzing").FUZZING
    return fuzzing


def cases_of(api: str) -> dict[str, FuzzCase]:
    """Return the cases of an API by the last parts of their requirement ids, `<api>.<operation>`."""
    left_out = fuzzing_of(api).left_out
    drawn = with_json_body({operation.name: operation for operation in every_operation(api)})
    return {
        f"{api}.{name}": FuzzCase(api, operation) for name, operation in drawn.items() if operation.id not in left_out
    }


def _with_own(drawn: Any, own: Any, names: Collection[str], here: Collection[str]) -> Any:
    """Return a drawn value with the names of the run's own; `here` are the name fields at this level."""
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
    """Return the name of a field in lower case, without separators."""
    return re.sub(r"[^a-z0-9]", "", name.lower())
