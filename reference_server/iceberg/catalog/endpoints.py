"""The field `endpoints` of getConfig: the operations that the server offers."""

from __future__ import annotations

from collections.abc import Collection

from specs.openapi import JSON_TYPE, Document

CONFIG, FIELD = "getConfig", "endpoints"


def endpoints(document: Document, offered: Collection[str]) -> dict[str, list[str]]:
    """Return the field with these operations, in the document's order; nothing for a revision without the field."""
    answer = document.resolve(document.operation(CONFIG).responses["200"].content[JSON_TYPE])
    if FIELD not in answer["properties"]:
        return {}
    operations = document.operations.values()
    return {FIELD: [f"{entry.method} {entry.own_path}" for entry in operations if entry.id in offered]}
