"""Faults that occur in one place, state or form alone: `FAMILY:OPERATION:CONDITION`, made on request like derived ones.

    missing-in-world:loadTable:state=renamed

Each combines a damage with a condition (`conditions.py`) of the operation. `world_faults` lists them for a document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from reference_server import derived_effects as effects
from reference_server.answer_fields import answer_fields
from reference_server.conditions import Condition, Conditions, conditions_of
from reference_server.context import Reply
from reference_server.derived_effects import READING
from reference_server.errors import CatalogError, Internal, InvalidInput, NotFound
from reference_server.faults import FAMILIES, Around, Call, Fault, Proceed, body_becomes
from specs.openapi import Document, Operation

KIND = "DIMENSION=VALUE"
EMPTY: dict[type, Any] = {list: [], int: 0, float: 0}
Damage = Callable[[Conditions, Condition], Around]
Has = Callable[[Document, Operation, Conditions, Condition], bool]


@dataclass(frozen=True, slots=True)
class FamilyInWorlds:
    """Faults with one damage: `breaks` is a sentence about an operation, with `{}` for the words of a condition.

    `has` decides whether an operation can have the damage under a condition.
    """

    name: str
    breaks: str
    has: Has
    damage: Damage
    kind: str = KIND

    def subjects(self, document: Document, operation: Operation) -> list[str]:
        """Return the conditions under which an operation can have the damage."""
        part = conditions_of(operation.id)
        conditions = part.of(operation.id) if part else []
        return [each.name for each in conditions if part and self.has(document, operation, part, each)]

    def fault(self, operation: str, subject: str) -> Fault:
        """Return the fault of an operation and a condition; of an unknown condition it never occurs."""
        part = conditions_of(operation)
        condition = next((each for each in part.of(operation) if each.name == subject), None) if part else None
        around = self.damage(part, condition) if part and condition else _none
        sentence = f"{operation} {self.breaks.format(condition.words if condition else f'where {subject}')}"
        return Fault(f"{self.name}:{operation}:{subject}", sentence, frozenset({operation}), around, notes=_note)


def world_faults(document: Document) -> Iterator[Fault]:
    """Yield the faults in worlds of every operation of a document."""
    for family in FAMILIES_IN_WORLDS:
        for operation in document.operations.values():
            for subject in family.subjects(document, operation):
                yield family.fault(operation.id, subject)


def _note(call: Call, reply: Reply) -> None:
    """Note the history of objects, whatever operation changes it."""
    if part := conditions_of(call.operation.id):
        part.noted(call, reply)


async def _none(_call: Call, proceed: Proceed) -> Reply:
    return await proceed()


# Damages: what an operation does where a condition holds.


def refused(error: type[CatalogError]) -> Damage:
    """Refuse requests about objects of the condition, and lists that have one, in the error body of the API."""

    def damage(part: Conditions, condition: Condition) -> Around:
        async def around(call: Call, proceed: Proceed) -> Reply:
            if part.met(condition, call):
                raise error(f"This does not work {condition.words}.")
            reply = await proceed()
            if part.shown(condition, call, reply):
                raise error(f"This does not work {condition.words}.")
            return reply

        return around

    return damage


def entries_lost(part: Conditions, condition: Condition) -> Around:
    """List no object of the condition."""

    async def around(call: Call, proceed: Proceed) -> Reply:
        reply = await proceed()
        if part.shown(condition, call, reply):
            body = part.listed(call, orjson.loads(reply.body), lambda thing: not condition.of(thing, call))
            reply.body = orjson.dumps(body)
        return reply

    return around


def only_there(make: Callable[[str], Around]) -> Damage:
    """Misbehave where the condition holds for the request, of one that names nothing for an entry of its list.

    `make` gets the name of the condition.
    """

    def damage(part: Conditions, condition: Condition) -> Around:
        inner = make(condition.name)

        async def around(call: Call, proceed: Proceed) -> Reply:
            if part.met(condition, call):
                return await inner(call, proceed)
            reply = await proceed()
            shown = not any(part.things(call)) and part.shown(condition, call, reply)
            return await inner(call, _known(reply)) if shown else reply

        return around

    return damage


def _known(reply: Reply) -> Proceed:
    """Return the rest of a call whose reply is known already."""

    async def proceed() -> Reply:
        return reply

    return proceed


def emptied(_subject: str) -> Around:
    """Answer empty lists and zeros, at the top of the body."""
    return body_becomes(_emptied, *effects.DONE)


def _emptied(body: Any) -> Any:
    if isinstance(body, dict):
        return {name: EMPTY.get(type(value), value) for name, value in body.items()}
    return EMPTY.get(type(body), body)


# Operations that can have a damage.


def _every(_document: Document, _operation: Operation, _part: Conditions, _condition: Condition) -> bool:
    return True


def _lists(_document: Document, operation: Operation, part: Conditions, condition: Condition) -> bool:
    return operation.id in part.lists and condition.holds is not None


def _reads(document: Document, operation: Operation, part: Conditions, condition: Condition) -> bool:
    reading = operation.method in READING or operation.id in part.reading
    return reading and _met_by_requests(operation, part, condition) and bool(answer_fields(document, operation))


def _counts(document: Document, operation: Operation, part: Conditions, condition: Condition) -> bool:
    if not _met_by_requests(operation, part, condition):
        return False
    fields = [field for field in answer_fields(document, operation) if "." not in field.path]
    kinds = {field.type for field in fields if field.required or operation.id in part.lists}
    return not kinds.isdisjoint(("array", "integer", "number"))


def _met_by_requests(operation: Operation, part: Conditions, condition: Condition) -> bool:
    """Return whether a request can meet a condition: that for a list does not name the entries."""
    return operation.id not in part.lists or condition.dimension not in part.of_entries


def _writes(_document: Document, operation: Operation, part: Conditions, _condition: Condition) -> bool:
    return operation.method not in READING and operation.id not in part.reading


_ROWS: tuple[tuple[str, str, Has, Damage], ...] = (
    ("refused-in-world", "returns 400 {}.", _every, refused(InvalidInput)),
    ("missing-in-world", "returns 404 {}.", _every, refused(NotFound)),
    ("failing-in-world", "returns 500 {}.", _every, refused(Internal)),
    ("unlisted-in-world", "lists no entry {}.", _lists, entries_lost),
    ("stale-in-world", "repeats its first response {}.", _reads, only_there(effects.first_answer)),
    ("emptied-in-world", "returns empty lists and zeros {}.", _counts, only_there(emptied)),
    ("said-only-in-world", "reports success without effect {}.", _writes, only_there(effects.said_only)),
)
FAMILIES_IN_WORLDS = tuple(FamilyInWorlds(*row) for row in _ROWS)
FAMILIES.update({family.name: family for family in FAMILIES_IN_WORLDS})
