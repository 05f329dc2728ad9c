"""Comparison of clauses with their requirements: the statuses of errors that each names or accepts, and their levels.

A requirement accepts the statuses that its checks of its own operations allow; they are measured, in a run on the
reference server. `accepted.toml` has the reason of each difference that is meant.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from conformance.apis import requirements
from conformance.http.client import Client, Expected
from conformance.values.exchange import Exchange
from specs.clauses import LEVELS, clauses

STATUS = re.compile(r"\b4(?:\d\d|xx)\b")
EVERY, MANY = "4xx", 50  # a check that allows so many statuses allows all of the class
REASONS = Path(__file__).with_suffix(".toml")
Statuses = Mapping[str, frozenset[str]]  # by the id of the requirement


@dataclass(frozen=True, slots=True)
class Difference:
    """Requirement that differs from its clause, or from its own statement.

    `kind` is "clause" (it accepts statuses that its clause does not name), "statement" (that its statement does not
    name), "promised" (its statement names statuses that it does not accept) or "level" (it is below its clause).
    """

    id: str
    kind: str
    values: tuple[str, ...]

    def __str__(self) -> str:
        """Return the difference in words."""
        return f"{self.id}: {self.kind} {' '.join(self.values)}"


@dataclass(frozen=True, slots=True)
class Reason:
    """Reason of meant differences: those of one kind, of the requirements whose id matches, with these values."""

    ids: str
    kind: str
    values: tuple[str, ...]
    why: str

    def explains(self, difference: Difference) -> bool:
        """True for a difference that has this reason."""
        return (
            self.kind == difference.kind
            and fnmatchcase(difference.id, self.ids)
            and set(difference.values) <= set(self.values)
        )


def reasons() -> list[Reason]:
    """Return the reasons of all differences."""
    raw = tomllib.loads(REASONS.read_text(encoding="utf-8"))["difference"]
    return [Reason(entry["ids"], entry["kind"], tuple(entry["values"]), entry["why"]) for entry in raw]


class Accepting:
    """Plugin of pytest that notes the statuses that requirements accept; `noted` is its part in the client."""

    def __init__(self) -> None:
        self.accepted: dict[str, frozenset[str]] = {}
        self._id = ""

    def pytest_runtest_setup(self, item: Any) -> None:
        """Note the requirement that is tested next."""
        marker = item.get_closest_marker("lakeproof_requirement")
        self._id = marker.args[0].id if marker else ""

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Note within the block what checks allow, in the requirements of runs in this process."""
        check_status = Client.check_status

        def noted(client: Client, exchange: Exchange, expect: Expected) -> None:
            self._allow(client, exchange, expect)
            check_status(client, exchange, expect)

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(Client, "check_status", noted)
            yield

    def _allow(self, client: Client, exchange: Exchange, expect: Expected) -> None:
        """Note the errors that a check of a subject allows."""
        if expect is None or exchange.operation not in client.subjects or not client.recording.checking:
            return
        allowed = [str(status) for status in ({expect} if isinstance(expect, int) else expect) if 400 <= status < 500]
        known = self.accepted.setdefault(self._id, frozenset())
        self.accepted[self._id] = known | ({EVERY} if len(allowed) >= MANY else set(allowed))


def differences(api: str, accepted: Statuses) -> list[Difference]:
    """Return the differences of an API's requirements from their clauses and statements."""
    return [*_of_statuses(api, accepted), *_of_levels(api)]


def unexplained(found: Iterable[Difference]) -> list[str]:
    """Return the differences without a reason."""
    known = reasons()
    return [str(entry) for entry in found if not any(reason.explains(entry) for reason in known)]


def _of_statuses(api: str, accepted: Statuses) -> Iterator[Difference]:
    known, texts = requirements(api), clauses(api)
    for id in sorted(set(accepted) & set(known)):
        requirement, own = known[id], accepted[id]
        said, stated = STATUS.findall(texts[requirement.clause].text), STATUS.findall(requirement.statement)
        for kind, named in (("clause", said), ("statement", stated)):
            if named and (extra := _beyond(own, named)):
                yield Difference(id, kind, extra)
        if own and (promised := _beyond(set(stated) - {EVERY}, own)):
            yield Difference(id, "promised", promised)


def _beyond(statuses: Iterable[str], named: Collection[str]) -> tuple[str, ...]:
    """Return the statuses that are not among the named ones; 4xx names all."""
    return () if EVERY in named else tuple(sorted(set(statuses) - set(named)))


def _of_levels(api: str) -> Iterator[Difference]:
    texts = clauses(api)
    for id, requirement in sorted(requirements(api).items()):
        if LEVELS.index(requirement.level) > LEVELS.index(texts[requirement.clause].level):
            yield Difference(id, "level", (requirement.level,))
