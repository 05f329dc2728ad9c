"""Conditions of calls: the name, the place and the history of an object, and the form of a request.

A fault with a condition misbehaves only where the condition holds: `names=dot`, `state=renamed`. Each API lists its
conditions in `reference_server/<api>/faults/conditions.py`, with the objects of its requests, the entries of its lists
and what its operations change. The history of objects is noted while a fault with a condition is active.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import orjson

from reference_server.context import Reply
from reference_server.faults import UNREADABLE, Call, content
from specs.apis import find_api
from specs.profiles import every_operation

HISTORY = "history"  # in the state of a server
LONG = 100  # characters of a long name
CODED = re.compile(r"%[0-9A-Fa-f]{2}")
RENAMED, REMADE, COMMITTED, BESIDE = "renamed", "remade", "committed", "beside other kinds"
FREED = "freed"  # of a name: its object was dropped, and none has it now
NAMESPACE = "namespace"


class Thing(NamedTuple):
    """An object of a catalog: its kind and its name, from the outermost level to its own."""

    kind: str
    name: tuple[str, ...]

    @property
    def own(self) -> str:
        """The last level of the name, "" for the root."""
        return self.name[-1] if self.name else ""

    @property
    def home(self) -> Thing:
        """The namespace that it is or lies in."""
        return self if self.kind == NAMESPACE else Thing(NAMESPACE, self.name[:-1])

    @property
    def depth(self) -> int:
        """The number of levels of the namespace that it is or lies in."""
        return len(self.name) - (self.kind != NAMESPACE)


@dataclass
class History:
    """Labels of the objects that exist: how they came into their state."""

    labels: dict[Thing, set[str]] = field(default_factory=dict)
    gone: dict[Thing, set[str]] = field(default_factory=dict)  # with the labels that they had
    pending: set[Thing] = field(default_factory=set)
    children: defaultdict[tuple[str, ...], set[Thing]] = field(default_factory=lambda: defaultdict(set))
    commits: dict[Thing, int] = field(default_factory=dict)

    def create(self, thing: Thing, *labels: str) -> None:
        """Note a new object."""
        self.labels[thing] = {*labels, *((REMADE,) if thing in self.gone else ())}
        self.children[thing.name[:-1]].add(thing)
        self.commits[thing] = 0

    def drop(self, thing: Thing) -> None:
        """Note that an object does not exist any more."""
        if (labels := self.labels.pop(thing, None)) is not None:
            self.gone[thing] = labels
        self.children[thing.name[:-1]].discard(thing)

    def move(self, thing: Thing, to: Thing) -> None:
        """Note that an object has another name."""
        labels, commits = self.labels.get(thing, set()), self.commits.get(thing, 0)
        self.drop(thing)
        self.create(to, *labels, RENAMED)
        self.commits[to] = commits

    def commit(self, thing: Thing, *labels: str) -> None:
        """Note a change of an object; the second and later ones make it one with several commits."""
        self.commits[thing] = self.commits.get(thing, 0) + 1
        several = (COMMITTED,) if self.commits[thing] > 1 else ()
        self.labels.setdefault(thing, set()).update(labels, several)

    def of(self, thing: Thing) -> Collection[str]:
        """Return the labels of an object; one beside or around objects of several kinds has a label for it, too."""
        labels = set(self.labels.get(thing, {FREED} if thing in self.gone else ()))
        return labels | {BESIDE} if any(map(self._has_kinds, {thing.home.name, thing.name[:-1]})) else labels

    def _has_kinds(self, home: tuple[str, ...]) -> bool:
        return len({other.kind for other in self.children[home]}) > 1


Holds = Callable[[Thing, History], bool]


@dataclass(frozen=True, slots=True)
class Condition:
    """A value of a dimension in which a fault occurs alone.

    `words` complete a sentence about a fault: "for a renamed table". `holds` judges an object, `asks` a request; one of
    them is given. `operations` are patterns of the operations that depend on it, `except_for` those of exceptions.
    """

    dimension: str
    value: str
    words: str
    operations: tuple[str, ...]
    holds: Holds | None = None
    asks: Callable[[Call], bool] | None = None
    except_for: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The form in names of faults: `names=dot`."""
        return f"{self.dimension}={self.value}"

    def touches(self, operation_id: str) -> bool:
        """Return whether an operation depends on the condition."""
        return _matches(operation_id, self.operations) and not _matches(operation_id, self.except_for)

    def of(self, thing: Thing, call: Call) -> bool:
        """Return whether the condition holds for an object."""
        return self.holds is not None and self.holds(thing, history_of(call))


class Conditions(ABC):
    """The conditions of an API.

    Class attributes: the `api`, its `conditions`, the operations that list objects (`lists`), and the dimensions that
    concern the entries of a list, not the request for it (`of_entries`).
    """

    api: ClassVar[str]
    conditions: ClassVar[Sequence[Condition]]
    lists: ClassVar[Collection[str]] = ()
    of_entries: ClassVar[Collection[str]] = ()

    @abstractmethod
    def things(self, call: Call) -> Iterator[Thing]:
        """Yield the objects that a request names."""

    @abstractmethod
    def listed(self, call: Call, body: Any, keep: Callable[[Thing], bool]) -> Any:
        """Return the answer of a list without the objects that are not kept."""

    @abstractmethod
    def note(self, call: Call, reply: Reply, history: History) -> None:
        """Note what a successful call has changed."""

    @cached_property
    def operations(self) -> frozenset[str]:
        """The operations of every revision of the API."""
        return frozenset(operation.id for operation in every_operation(self.api))

    @cached_property
    def reading(self) -> Collection[str]:
        """The operations that read by POST."""
        return find_api(self.api).reading.posts

    def of(self, operation_id: str) -> list[Condition]:
        """Return the conditions on which an operation depends."""
        return [condition for condition in self.conditions if condition.touches(operation_id)]

    def met(self, condition: Condition, call: Call) -> bool:
        """Return whether a condition holds for a request."""
        if condition.asks:
            return condition.asks(call)
        return any(condition.of(thing, call) for thing in self.things(call))

    def shown(self, condition: Condition, call: Call, reply: Reply) -> bool:
        """Return whether a condition holds for an entry of an answer."""
        entries: list[Thing] = []

        def note(thing: Thing) -> bool:
            entries.append(thing)
            return True

        if call.operation.id in self.lists and reply.status == 200:
            self.listed(call, orjson.loads(reply.body), note)
        return any(condition.of(thing, call) for thing in entries)

    def noted(self, call: Call, reply: Reply) -> None:
        """Note what a call has changed, if it has; requests that cannot be read change nothing."""
        if reply.status < 300:
            try:
                self.note(call, reply, history_of(call))
            except UNREADABLE:
                return


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


REGISTERED: list[Conditions] = []


def register_conditions(conditions: Conditions) -> None:
    """Add the conditions of an API."""
    REGISTERED.append(conditions)


def conditions_of(operation_id: str) -> Conditions | None:
    """Return the conditions of the API that an operation belongs to, None if it has none."""
    return next((entry for entry in REGISTERED if operation_id in entry.operations), None)


def history_of(call: Call) -> History:
    """Return the history of the objects of a server."""
    history: History = call.state.setdefault(HISTORY, History())
    return history


def labelled(label: str) -> Holds:
    """Return the condition that an object came into its state in this way."""
    return lambda thing, history: label in history.of(thing)


def deep(levels: int) -> Holds:
    """Return the condition that an object lies in a namespace of at least so many levels."""
    return lambda thing, _history: thing.depth >= levels


def in_root(thing: Thing, _history: History) -> bool:
    """Return whether an object lies in the root."""
    return len(thing.name) == (1 if thing.kind != NAMESPACE else 0)


def _own(is_so: Callable[[str], bool]) -> Holds:
    return lambda thing, _history: is_so(thing.own)


def of_home(holds: Holds) -> Holds:
    """Return a condition of the namespace that an object is or lies in, for a namespace of the one around it, too."""

    def judge(thing: Thing, history: History) -> bool:
        homes = (thing.home, Thing(NAMESPACE, thing.name[:-1]))
        return any(bool(home.name) and holds(home, history) for home in homes)

    return judge


def beside_prefix(thing: Thing, history: History) -> bool:
    """Return whether another namespace has a name that starts with the name of an object's namespace."""
    home = thing.home
    others = history.children[home.name[:-1]] if home.name else ()
    return any(other.kind == NAMESPACE and other != home and other.own.startswith(home.own) for other in others)


def beside_many(number: int) -> Holds:
    """Return the condition that an object lies beside so many, or is a namespace with so many."""
    return lambda thing, history: any(len(history.children[home]) >= number for home in _homes(thing))


def beside_several(number: int, kind: str) -> Holds:
    """Return the condition that an object lies beside so many of a kind, or is a namespace with so many."""
    return lambda thing, history: any(
        sum(other.kind == kind for other in history.children[home]) >= number for home in _homes(thing)
    )


def _homes(thing: Thing) -> tuple[tuple[str, ...], ...]:
    """Return the namespace of an object; of a namespace itself and the one around it."""
    return thing.home.name, thing.name[:-1]


def beside_case(thing: Thing, history: History) -> bool:
    """Return whether a name differs from another one in the case of its letters alone."""
    others = history.children[thing.name[:-1]] if thing.name else ()
    return any(other.own != thing.own and other.own.lower() == thing.own.lower() for other in others)


NAMES: dict[str, tuple[str, Holds]] = {
    "blank": ("for a name with a blank", _own(lambda name: " " in name)),
    "dot": ("for a name with a dot", _own(lambda name: "." in name)),
    "percent": ("for a name with a percent sign", _own(lambda name: "%" in name)),
    "coded": ("for a name with percent-coded letters", _own(lambda name: CODED.search(name) is not None)),
    "plus": ("for a name with a plus sign", _own(lambda name: "+" in name)),
    "unicode": ("for a name with letters beyond ASCII", _own(lambda name: not name.isascii())),
    "case": ("beside a name that differs in case", beside_case),
    "long": ("for a name of 100 letters", _own(lambda name: len(name) >= LONG)),
    "underscore": ("for a name that begins with an underscore", _own(lambda name: name.startswith("_"))),
    "digits": ("for a name that begins with digits", _own(lambda name: name[:1].isdigit())),
}


def of_names(*values: str) -> dict[str, tuple[str, Holds]]:
    """Return some of the conditions on names."""
    return {value: NAMES[value] for value in values}


def of_objects(
    dimension: str,
    operations: Sequence[str],
    values: Mapping[str, tuple[str, Holds]],
    except_for: Sequence[str] = (),
) -> list[Condition]:
    """Return conditions on objects: words and judgement by value."""
    return [
        Condition(dimension, value, words, tuple(operations), holds, except_for=tuple(except_for))
        for value, (words, holds) in values.items()
    ]


def of_requests(
    dimension: str,
    operations: Sequence[str],
    values: Mapping[str, tuple[str, Callable[[Call], bool]]],
    except_for: Sequence[str] = (),
) -> list[Condition]:
    """Return conditions on the form of requests: words and judgement by value."""
    return [
        Condition(dimension, value, words, tuple(operations), asks=asks, except_for=tuple(except_for))
        for value, (words, asks) in values.items()
    ]


def sent_by(client: str) -> Callable[[Call], bool]:
    """Return the condition that a request names a client."""
    return lambda call: client in call.request.headers.get("User-Agent", "")


def spelled(*parameters: str) -> Callable[[Call], bool]:
    """Return the condition that a body has an empty or false field, or a query one of these parameters."""

    def asks(call: Call) -> bool:
        values = (content(call) or {}).values()
        empty = any(value is None or value is False or value in ({}, []) for value in values)
        return empty or any(name in call.request.query for name in parameters)

    return asks


def in_connection_of_its_own(call: Call) -> bool:
    """Return whether a request asks to close its connection."""
    return call.request.headers.get("Connection", "").lower() == "close"


def in_chunks(call: Call) -> bool:
    """Return whether a body comes in chunks."""
    return "Transfer-Encoding" in call.request.headers
