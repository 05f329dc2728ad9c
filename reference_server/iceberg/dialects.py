"""Translation of a document's commits to the updates that the metadata rules know.

A dialect may use another name for an update, and may lack updates that creating a table requires: the server adds them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.metadata.requirements import is_creation
from specs.iceberg.commits import actions, spelling
from specs.openapi import Document

# Implied sort order of a table whose creation sets none.
UNSORTED: tuple[Json, ...] = (
    {"action": "add-sort-order", "sort-order": {"order-id": 0, "fields": []}},
    {"action": "set-default-sort-order", "sort-order-id": 0},
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """Translation of updates: `canonical_actions` by the document's names; `implied` updates begin every creation."""

    canonical_actions: Mapping[str, str]
    implied: tuple[Json, ...]

    def translate(self, request: Json) -> Json:
        """Return a CommitTableRequest with the updates that the rules know."""
        if not self.canonical_actions and not self.implied:
            return request
        updates = [
            {**update, "action": self.canonical_actions.get(update["action"], update["action"])}
            for update in request["updates"]
        ]
        implied = self.implied if is_creation(request["requirements"]) else ()
        return {**request, "updates": [*implied, *updates]}


def dialect_of(document: Document) -> Dialect:
    """Return the dialect of a document's commits."""
    canonical = {spelled: canonical for canonical, spelled in spelling(document).items()}
    named = frozenset(actions(document).values())
    return Dialect(canonical, tuple(update for update in UNSORTED if update["action"] not in named))
