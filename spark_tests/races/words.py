"""Descriptions of a race's operations for readers who do not know the kit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from conformance.history import OK, READ, REFUSED, Event
from conformance.history.chains import COMMIT
from conformance.history.events import EXISTS, MISSING
from conformance.history.registers import AGAIN, SET

HALVES = ("first", "second")
REASONS = {EXISTS: ", it exists already", MISSING: ", it does not exist"}


def describe(event: Event) -> str:
    """Return a client's action and its outcome, in one line."""
    phrase = PHRASES.get((str(event.key[0]), event.action)) or ACTIONS.get(event.action)
    did = phrase(event) if phrase else event.action
    if event.action == READ and event.outcome == OK:
        return did
    return f"{did}: {_answer(event)}"


def _answer(event: Event) -> str:
    if event.outcome == OK:
        return "acknowledged"
    return f"refused{REASONS.get(event.result, '')}" if event.outcome == REFUSED else "no answer"


def _version(state: Any) -> str:
    version, token = state
    return f"version {version}" + ("" if token is None else f", snapshot {token}")


def _reads(event: Event) -> str:
    return "reads the table" if event.result is None else f"reads {_version(event.result)}"


def _commits(event: Event) -> str:
    base, token = event.value
    answer = event.result if event.outcome == OK and isinstance(event.result, tuple) else None
    other = answer and (answer[0] != base + 1 or answer[1] not in (None, token))
    answered = f" and gets {_version(answer)}" if other else ""
    return f"commits snapshot {token} on version {base}{answered}"


def _reads_half(event: Event) -> str:
    return f"{_reads(event)}, of the {HALVES[event.value]} table"


def _commits_pair(event: Event) -> str:
    if not isinstance(event.value[0], tuple):
        return f"{_commits(event)}, and the same on the other table"
    (base, first), (other, second) = event.value
    return f"commits snapshot {first} on version {base} and snapshot {second} on version {other}"


def _looks(event: Event) -> str:
    seen = {None: "", 0: ": it does not exist", 1: ": it exists"}[event.result and event.result[0]]
    return f"looks for the {HALVES[event.value]} table{seen}"


def _value(event: Event) -> str:
    return f"reads {'nothing' if event.result is None else event.result}"


PHRASES: Mapping[tuple[str, str], Callable[[Event], str]] = {
    ("chain", READ): _reads,
    ("chain", COMMIT): _commits,
    ("pair", READ): _reads_half,
    ("pair", COMMIT): _commits_pair,
    ("batch", READ): _looks,
    ("batch", COMMIT): lambda event: "declares both tables",
    ("register", READ): _value,
    ("register", SET): lambda event: f"writes {event.value}",
    ("register", AGAIN): lambda event: f"writes {event.value} again, with the same key",
    ("sum", READ): lambda event: f"reads the sum {event.result}",
}
ACTIONS: Mapping[str, Callable[[Event], str]] = {
    "create": lambda event: "creates the table",
    "declare": lambda event: "declares the table",
    "drop": lambda event: "drops the table",
    "rename": lambda event: f"renames the table from name {event.value + 1} to {(event.value + 1) % 3 + 1}",
    "append": lambda event: f"appends {event.value}",
    "merge": lambda event: f"adds {event.value} by merging",
}
