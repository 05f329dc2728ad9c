"""Rules from Python: methods of a server, which use its control paths."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict, Unpack

from reference_server.rules.rule import ANY, Rule

RULES = "/rules"


@dataclass(frozen=True, slots=True)
class SetRule:
    """A rule of a server: its number and its text."""

    id: int
    text: str
    _control: Callable[..., Any] = field(repr=False, compare=False)

    @property
    def seen(self) -> int:
        """Number of requests that the rule was for. Raises Problem for a removed rule."""
        return int(self._control("GET", f"{RULES}/{self.id}")["seen"])

    @property
    def used(self) -> int:
        """Number of requests that the rule has changed. Raises Problem for a removed rule."""
        return int(self._control("GET", f"{RULES}/{self.id}")["used"])

    def remove(self) -> None:
        """Remove the rule. Raises Problem for a removed rule."""
        self._control("DELETE", f"{RULES}/{self.id}")


class Requests(TypedDict, total=False):
    """Conditions of a rule, see Rule; `table` and `namespace` are short for conditions of `where`."""

    times: int | None
    after: int
    every: int
    table: str
    namespace: str
    where: Mapping[str, str | None]


class RuleControls(ABC):
    """Methods of a server about its rules, over its control paths.

    server.fail("updateTable", status=504, applied=True, times=2)
    server.rule("updateTable: 504 applied x2")    # the same
    """

    @abstractmethod
    def control(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request to a control path and return the JSON of the answer. Raises Problem."""

    def rule(self, rule: Rule | str | Mapping[str, Any]) -> SetRule:
        """Add a rule: a Rule, its text, or its fields by name. Raises Problem for one that does not fit."""
        return self.add_rules(rule)[0]

    def add_rules(self, *rules: Rule | str | Mapping[str, Any]) -> list[SetRule]:
        """Add rules after the others; none where one of them does not fit, which raises Problem."""
        return self._set(self.control("POST", RULES, [_plain(rule) for rule in rules]))

    def rules(self) -> list[SetRule]:
        """Return the rules in force, in their order."""
        return self._set(self.control("GET", RULES))

    def clear_rules(self) -> None:
        """Remove all rules."""
        self.control("DELETE", RULES)

    def _set(self, answer: Any) -> list[SetRule]:
        return [SetRule(entry["id"], entry["rule"], self.control) for entry in answer["rules"]]

    def expire_tokens(self, status: int | None = None) -> None:
        """Let all tokens that the server has issued expire; it refuses them with 401 or 419.

        Raises Problem for a server that issues no tokens.
        """
        self.control("POST", "/tokens/expire", {"status": status})

    def fail(
        self,
        operation: str,
        status: int = 500,
        *,
        error: str = "",
        message: str = "",
        applied: bool = False,
        headers: Mapping[str, str] | None = None,
        **requests: Unpack[Requests],
    ) -> SetRule:
        """Refuse requests of an operation, or of "any", with an error; `applied` ones are done all the same.

        server.fail("loadTable", 503, times=2)
        """
        chosen = _chosen(operation, requests)
        return self.rule(
            Rule(**chosen, status=status, error=error, message=message, applied=applied, headers=headers or {})
        )

    def delay(self, operation: str, seconds: float, **requests: Unpack[Requests]) -> SetRule:
        """Delay the answers to requests of an operation, or of "any"."""
        return self.rule(Rule(**_chosen(operation, requests), delay=seconds))

    def cut(self, operation: str, *, applied: bool = False, **requests: Unpack[Requests]) -> SetRule:
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


def _plain(rule: Rule | str | Mapping[str, Any]) -> Any:
    return rule.fields if isinstance(rule, Rule) else rule
