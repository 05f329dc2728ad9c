"""Kinds of notes about requests: what each is about, how much it weighs, and the rule behind it.

MUST: the request violates the document. SHOULD: a server may refuse it, or a standard advises against it. MAY: the
request is allowed, and a careful client avoids it. `clauses` are those of the APIs that state the rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

MUST, SHOULD, MAY = LEVELS = ("MUST", "SHOULD", "MAY")


class Note(NamedTuple):
    """A note about a request: its kind, the part of the request that it is about, and a sentence.

    Notes with the same kind, operation and subject have the same cause.
    """

    kind: str
    subject: str
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class NoteKind:
    """A kind of notes: its level, its title, and the document or standard that has the rule."""

    level: str
    title: str
    source: str
    clauses: Sequence[str] = ()


RETRY_AFTER = "RFC 9110, section 10.2.3: a client waits as long as Retry-After says"
KINDS: Mapping[str, NoteKind] = {
    "no-operation": NoteKind(MUST, "request without an operation", "the paths of the document"),
    "invalid-body": NoteKind(MUST, "body that violates the schema", "the request body of the operation"),
    "unknown-page-token": NoteKind(
        MUST,
        "page token that no answer had",
        "the page token of the document is opaque",
        ("pagination-token-opaque", "page-token"),
    ),
    "unknown-parameter": NoteKind(SHOULD, "undeclared query parameter", "the parameters of the operation"),
    "unknown-field": NoteKind(SHOULD, "undeclared field", "the request body of the operation"),
    "null-field": NoteKind(SHOULD, "null for a field that is not nullable", "the request body of the operation"),
    "secret-in-url": NoteKind(SHOULD, "secret in the URL", "RFC 6750, section 2.3: tokens belong into a header"),
    "early-retry": NoteKind(SHOULD, "repetition before Retry-After", RETRY_AFTER, ("retry-after",)),
    "encoded-twice": NoteKind(MAY, "path encoded twice", "RFC 3986, section 2.4: a text is percent-encoded once"),
    "deprecated": NoteKind(MAY, "deprecated operation", "the operation is deprecated in the document"),
    "no-requirements": NoteKind(MAY, "commit without requirements", "the requirements of the operation"),
    "no-pause": NoteKind(MAY, "repetition without a pause", "RFC 9110, section 9.2.2: retries need care"),
    "no-key": NoteKind(
        MAY, "repetition without an idempotency key", "the header Idempotency-Key", ("idempotency-client",)
    ),
}
