"""Rules of one catalog, and the methods by which tests add them."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any, TypedDict, Unpack

from reference_server.api import Api
from reference_server.faults import Fault
from reference_server.rules.fitting import check_rule, operation_ids
from reference_server.rules.rule import ANY, Rule
from reference_server.rules.running import RunningRule, running_rule
from reference_server.rules.text import rule_from
from specs.problems import Problem


class Requests(TypedDict, total=False):
    """Which requests a rule is for, and when: see Rule. `table` and `namespace` are conditions of `where`."""

    times: int | None
    after: int
    every: int
    table: str
    namespace: str
    where: Mapping[str, str | None]


class RuleSet:
    """The rules of one catalog, in their order: the first one is asked first.

    `faults` are the rules as the server applies them, an empty tuple where there are none.
    """

    def __init__(self, apis: Sequence[Api], rules: Sequence[Any] = ()) -> None:
        """Make the set of some rules, texts or JSON objects. Raises Problem for one that does not fit the APIs."""
        self.faults: tuple[Fault, ...] = ()
        self._apis = apis
        self._numbers = count(1)
        self._running: dict[int, RunningRule] = {}
        self._changing = threading.Lock()
        self.add(*rules)

    def __iter__(self) -> Iterator[RunningRule]:
        return iter(list(self._running.values()))

    def add(self, *rules: Rule | str | Mapping[str, Any]) -> list[RunningRule]:
        """Add rules after the others. Raises Problem, and adds none, where one of them does not fit."""
        documents = [api.document for api in self._apis]
        ids = operation_ids(self._apis)
        parsed = [rule_from(rule, ids) for rule in rules]
        for rule in parsed:
            check_rule(rule, self._apis)
        added = [running_rule(next(self._numbers), rule, documents) for rule in parsed]
        with self._changing:
            self._set({**self._running, **{running.id: running for running in added}})
        return added

    def replace(self, *rules: Rule | str | Mapping[str, Any]) -> list[RunningRule]:
        """Put other rules in the place of all. Raises Problem, and changes nothing, where one does not fit."""
        before = list(self._running)
        added = self.add(*rules)
        self.remove(*before)
        return added

    def remove(self, *ids: int) -> None:
        """Remove the rules of these numbers. Raises Problem for an unknown number."""
        with self._changing:
            if unknown := sorted(set(ids) - self._running.keys()):
                known = ", ".join(map(str, self._running)) or "none"
                raise Problem(f"There is no rule {unknown[0]}.", f"Rules: {known}.")
            self._set({id: running for id, running in self._running.items() if id not in ids})

    def clear(self) -> None:
        """Remove all rules."""
        with self._changing:
            self._set({})

    def _set(self, running: dict[int, RunningRule]) -> None:
        self._running = running
        self.faults = tuple(each.as_fault() for each in running.values())


class Ruled:
    """A server or a catalog with rules, as a test uses it.

    server.fail("updateTable", status=504, applied=True, times=2)
    server.rule("updateTable: 504 applied x2")    # the same
    """

    @property
    def rules(self) -> RuleSet:
        """The rules in force."""
        raise NotImplementedError

    def rule(self, rule: Rule | str | Mapping[str, Any]) -> RunningRule:
        """Add a rule: a Rule, its text, or its fields by name. Raises Problem for one that does not fit.

        server.rule("updateTable table=events: 504 applied x2")
        """
        return self.rules.add(rule)[0]

    def fail(
        self,
        operation: str,
        *,
        status: int = 500,
        error: str = "",
        message: str = "",
        applied: bool = False,
        headers: Mapping[str, str] | None = None,
        **requests: Unpack[Requests],
    ) -> RunningRule:
        """Refuse requests of an operation, or of "any", with an error; `applied` ones are done all the same."""
        chosen = _chosen(operation, requests)
        return self.rule(
            Rule(**chosen, status=status, error=error, message=message, applied=applied, headers=headers or {})
        )

    def delay(self, operation: str, seconds: float, **requests: Unpack[Requests]) -> RunningRule:
        """Delay the answers to requests of an operation, or of "any"."""
        return self.rule(Rule(**_chosen(operation, requests), delay=seconds))

    def cut(self, operation: str, *, applied: bool = False, **requests: Unpack[Requests]) -> RunningRule:
        """Close the connection without an answer, before a request is done, or after it where `applied`."""
        return self.rule(Rule(**_chosen(operation, requests), cut=True, applied=applied))


def _chosen(operation: str, requests: Requests) -> dict[str, Any]:
    """Return the fields of a rule that say which requests it is for, and when."""
    kinds = {kind: str(name) for kind, name in requests.items() if kind in ("table", "namespace")}
    when = {name: value for name, value in requests.items() if name in ("times", "after", "every")}
    return {
        "operation": "" if operation == ANY else operation,
        "where": {**kinds, **requests.get("where", {})},
        **when,
    }
