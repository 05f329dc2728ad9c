"""Findings about a client: equal notes about its requests, counted, each with an example."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from reference_server.control.note_kinds import KINDS, LEVELS, MUST, SHOULD, NoteKind

VERSION = 1
LONGEST_BODY = 2_000
NOT_SHOWN = ("answer", "answer_headers", "answer_bytes", "notes", "id", "time", "ms", "bytes")
UNNAMED = "(no User-Agent)"


class CauseKey(NamedTuple):
    """Identity of a finding: the kind of its notes, the operation, and the part of the request."""

    kind: str
    operation: str
    subject: str


@dataclass
class LintFinding:
    """A cause of notes: how many requests have it, of which clients, and the first of them as an example."""

    cause: CauseKey
    text: str
    example: dict[str, Any]
    clients: Counter[str] = field(default_factory=Counter)

    @property
    def kind(self) -> NoteKind:
        """The kind of the notes."""
        return KINDS[self.cause.kind]

    @property
    def count(self) -> int:
        """The number of requests."""
        return self.clients.total()

    @property
    def rank(self) -> tuple[int, int, CauseKey]:
        """Position among findings: by level, then the most frequent first."""
        return LEVELS.index(self.kind.level), -self.count, self.cause

    def as_json(self) -> dict[str, Any]:
        """Return the finding as a JSON value."""
        kind = self.kind
        return {
            **self.cause._asdict(),
            "level": kind.level,
            "title": kind.title,
            "rule": kind.source,
            "clauses": list(kind.clauses),
            "text": self.text,
            "count": self.count,
            "clients": dict(self.clients.most_common()),
            "example": self.example,
        }


@dataclass
class Lint:
    """Requests of a client's tests, which `add` counts, and the findings about them."""

    requests: int = 0
    operations: Counter[str] = field(default_factory=Counter)
    clients: Counter[str] = field(default_factory=Counter)
    _findings: dict[CauseKey, LintFinding] = field(default_factory=dict)

    def add(self, entry: Mapping[str, Any]) -> None:
        """Add an entry of a journal."""
        client, operation = entry["headers"].get("user-agent", UNNAMED), entry["operation"] or ""
        self.requests += 1
        self.clients[client] += 1
        self.operations[operation] += 1
        notes = {CauseKey(note["kind"], operation, note["subject"]): note["text"] for note in entry["notes"]}
        for cause, text in notes.items():
            if cause not in self._findings:
                self._findings[cause] = LintFinding(cause, text, _example(entry))
            self._findings[cause].clients[client] += 1

    @property
    def findings(self) -> list[LintFinding]:
        """The findings: those that violate a MUST first, and the most frequent first."""
        return sorted(self._findings.values(), key=lambda finding: finding.rank)

    def fails(self, *, strict: bool) -> bool:
        """Return whether a finding violates a MUST, or with `strict` a SHOULD."""
        return any(finding.kind.level in ((MUST, SHOULD) if strict else (MUST,)) for finding in self.findings)

    def as_json(self) -> dict[str, Any]:
        """Return requests and findings as a JSON value."""
        return {
            "version": VERSION,
            "requests": self.requests,
            "clients": dict(self.clients.most_common()),
            "operations": dict(sorted(self.operations.items())),
            "findings": [finding.as_json() for finding in self.findings],
        }


def _example(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request of an entry; a long body is left out."""
    shown = {name: value for name, value in entry.items() if name not in NOT_SHOWN}
    if len(str(shown["body"])) > LONGEST_BODY:
        shown["body"] = f"{str(shown['body'])[:LONGEST_BODY]}..."
    return shown
