"""Differences of two revisions in words: operations, parameters, fields and defaults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from specs.openapi import JSON_TYPE, Document, Operation

NONE = "none"
MOST = 12  # names in a line


@dataclass(frozen=True, slots=True)
class Move:
    """Additions and changes of a revision: names of operations; arguments by name, with the operations that have them.

    A default is different if an argument of an operation in both has another one, `NONE` without one.
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    arguments: Mapping[str, tuple[str, ...]]
    answers: Mapping[str, tuple[str, ...]]
    defaults: Mapping[str, tuple[str, ...]]

    @property
    def nothing(self) -> bool:
        """True if there is no such difference."""
        return not (self.added or self.removed or self.arguments or self.answers or self.defaults)

    def counts(self) -> str:
        """Return the numbers of differences in one text."""
        numbers = (
            (len(self.added), "operation more", "operations more"),
            (len(self.removed), "operation less", "operations less"),
            (len(self.arguments), "new argument", "new arguments"),
            (len(self.defaults), "other default", "other defaults"),
        )
        said = [f"{number} {one if number == 1 else several}" for number, one, several in numbers if number]
        return ", ".join(said) or "no other operation, argument or default"

    def lines(self) -> list[str]:
        """Return the differences as sentences."""
        lines = [f"{name} is new." for name in self.added]
        lines += [f"{name} is no more." for name in self.removed]
        lines += [f"{default} ({_listed(names)})." for default, names in self.defaults.items()]
        lines += [f"New argument `{name}`: {_listed(names)}." for name, names in self.arguments.items()]
        lines += [f"New in answers, `{name}`: {_listed(names)}." for name, names in self.answers.items()]
        return lines


def move(old: Document, new: Document) -> Move:
    """Compare two revisions of an API by operationId."""
    arguments: dict[str, list[str]] = {}
    answers: dict[str, list[str]] = {}
    defaults: dict[str, list[str]] = {}
    for id in old.operations.keys() & new.operations.keys():
        before, after = (_arguments(document, document.operations[id]) for document in (old, new))
        for name in after.keys() - before.keys():
            arguments.setdefault(name, []).append(id)
        for name in after.keys() & before.keys():
            left, right = (schema.get("default", NONE) for schema in (before[name], after[name]))
            if left != right:
                defaults.setdefault(f"The default of `{name}` is {_said(right)}, was {_said(left)}", []).append(id)
        fields = {*_answer(new, new.operations[id])} - {*_answer(old, old.operations[id])}
        for name in fields:
            answers.setdefault(name, []).append(id)
    return Move(
        tuple(id for id in new.operations if id not in old.operations),
        tuple(id for id in old.operations if id not in new.operations),
        _sorted(arguments),
        _sorted(answers),
        _sorted(defaults),
    )


def _arguments(document: Document, operation: Operation) -> dict[str, Any]:
    """Return the schemas of an operation's parameters and of the fields of its JSON body by name."""
    schema = operation.request.content.get(JSON_TYPE, {}) if operation.request else {}
    fields = document.resolve(schema).get("properties", {})
    parameters = {parameter.name: parameter.schema for parameter in operation.parameters}
    return {name: document.resolve(argument) for name, argument in {**fields, **parameters}.items()}


def _answer(document: Document, operation: Operation) -> Iterator[str]:
    """Yield the fields of an operation's JSON answers."""
    for status, response in operation.responses.items():
        if status.startswith("2"):
            yield from document.resolve(response.content.get(JSON_TYPE, {})).get("properties", {})


def _sorted(found: Mapping[str, list[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(sorted(found[name])) for name in sorted(found)}


def _said(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _listed(names: tuple[str, ...]) -> str:
    more = len(names) - MOST
    return ", ".join(names[:MOST]) + (f" and {more} more" if more > 0 else "")
