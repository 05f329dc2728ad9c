"""Rules of one catalog."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from reference_server.api import Api
from reference_server.faults import Fault
from reference_server.rules.fitting import check_rule, operation_names
from reference_server.rules.rule import Rule
from reference_server.rules.running import RunningRule, running_rule
from reference_server.rules.text import rule_from
from specs.problems import Problem

MOST_REMOVED = 1_000
"""Removed rules that are remembered."""


def idle_sentence(name: str, reason: str) -> str:
    """Return the sentence about a rule that has changed nothing."""
    return f"The rule {name!r} changed nothing: {reason}."


def join_idle(*several: Mapping[str, str]) -> dict[str, str]:
    """Return why rules have changed nothing, of several catalogs: a rule that one of them used was used."""
    joined: dict[str, str] = {}
    for reasons in several:
        for name, reason in reasons.items():
            joined[name] = reason and joined.get(name, reason)
    return joined


class RuleSet:
    """The rules of one catalog, in their order: the first one is asked first.

    `faults` are the rules as the server applies them, an empty tuple where there are none.
    """

    def __init__(self, apis: Sequence[Api]) -> None:
        """Make a set without rules, for requests to these APIs."""
        self.faults: tuple[Fault, ...] = ()
        self._apis = apis
        self._numbers = count(1)
        self._running: dict[int, RunningRule] = {}
        self._removed: dict[str, str] = {}
        self._changing = threading.Lock()

    def __iter__(self) -> Iterator[RunningRule]:
        return iter(list(self._running.values()))

    def add(self, *rules: Rule | str | Mapping[str, Any]) -> list[RunningRule]:
        """Add rules after the others. Raises Problem, and adds none, where one of them does not fit."""
        ids = operation_names(self._apis)
        parsed = [rule_from(rule, ids) for rule in rules]
        for rule in parsed:
            check_rule(rule, self._apis)
        return self.take(parsed)

    def take(self, rules: Sequence[Rule]) -> list[RunningRule]:
        """Add rules that were checked before."""
        added = [running_rule(next(self._numbers), rule, self._apis) for rule in rules]
        with self._changing:
            self._set({**self._running, **{running.id: running for running in added}})
        return added

    def replace(self, *rules: Rule | str | Mapping[str, Any]) -> list[RunningRule]:
        """Put other rules in the place of all. Raises Problem, and changes nothing, where one does not fit."""
        before = list(self._running)
        added = self.add(*rules)
        self.remove(*before)
        return added

    def find(self, id: str) -> RunningRule:
        """Return the rule of a number. Raises Problem for an unknown number."""
        running = self._running.get(int(id)) if id.isdecimal() else None
        if running is None:
            known = ", ".join(map(str, self._running)) or "none"
            raise Problem(f"There is no rule {id!r:.20}.", f"Rules: {known}.")
        return running

    def remove(self, *ids: int) -> None:
        """Remove the rules of these numbers."""
        with self._changing:
            self._set({id: running for id, running in self._running.items() if id not in ids})

    def clear(self) -> None:
        """Remove all rules."""
        with self._changing:
            self._set({})

    @property
    def idle(self) -> dict[str, str]:
        """Why each rule has changed nothing, by its name, "" for a rule that was used; with removed rules."""
        return join_idle(self._removed, *({running.name: running.idle} for running in self))

    def idle_on(self, operation: str) -> list[str]:
        """Return a sentence for each rule on an operation that has changed nothing."""
        touching = [running for running in self if not running.operations or operation in running.operations]
        return [idle_sentence(running.name, running.idle) for running in touching if running.idle]

    def _set(self, running: dict[int, RunningRule]) -> None:
        removed = [old for id, old in self._running.items() if id not in running]
        if len(self._removed) < MOST_REMOVED:
            self._removed = join_idle(self._removed, *({old.name: old.idle} for old in removed))
        self._running = running
        self.faults = tuple(each.as_fault() for each in running.values())
