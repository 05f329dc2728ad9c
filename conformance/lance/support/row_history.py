"""The history of a table as the histories of what is in it: what the judges of registers, sets and sums read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.history import READ, Event, Key
from conformance.history.registers import SET

COUNTER = 0  # the id of the row whose number is added to
REGISTERS = (-1, -2)  # the ids of the rows whose number is overwritten


def by_row(event: Event) -> list[Event]:
    """Return an operation on a table as operations on what is in it: a set of rows, a counter, registers."""
    if event.action != READ:
        action, *register = event.action.split()
        kind = {"insert": "set", "increment": "sum", "put": "register"}[action]
        return [replace(event, key=(kind, *event.key, *register), action=SET if register else action)]
    if event.result is None:
        return []
    rows = event.result
    first = {id: numbers[0] for id, numbers in rows.items()}
    seen: dict[Key, Any] = {
        ("set", *event.key): {id for id in rows if id > 0},
        ("sum", *event.key): first.get(COUNTER, 0),
        **{("register", *event.key, str(register)): first.get(register) or None for register in REGISTERS},
    }
    return [replace(event, key=key, result=result) for key, result in seen.items()]
