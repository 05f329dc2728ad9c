"""Commits of a document, translated to the updates that the rules for metadata know.

A dialect may call an update something else, and may lack updates without which no table can be created:
then the server adds them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.metadata.requirements import is_creation
from specs.iceberg.commits import actions, spelling
from specs.openapi import Document

# What a table that no update sorts is created with.
UNSORTED: tuple[Json, ...] = (
    {"action": "add-sort-order", "sort-order": {"order-id": 0, "fields": []}},
    {"action": "set-default-sort-order", "sort-order-id": 0},
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """`canonical_actions` are the known actions of updates, by the document's own; `implied` begin every creation."""

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
    """Return how commits of a document are meant."""
    canonical = {spelled: canonical for canonical, spelled in spelling(document).items()}
    named = frozenset(actions(document).values())
    return Dialect(canonical, tuple(update for update in UNSORTED if update["action"] not in named))
