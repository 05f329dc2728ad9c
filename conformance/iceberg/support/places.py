"""Requests that say where something lies: a server decides which places it allows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

CREATIONS = ("createTable", "createView")
REGISTRATIONS = ("registerTable", "registerView")  # of files in a place
RENAMINGS = ("renameTable", "renameView")
COMMITS = ("updateTable", "replaceView", "commitTransaction")


def names_place(operation: str, body: Any) -> bool:
    """True for a request with a location, and for a move into another namespace, whose tables lie elsewhere."""
    if not isinstance(body, dict):
        return False
    if operation in CREATIONS:
        return bool(body.get("location"))
    if operation in RENAMINGS:
        source, destination = body.get("source"), body.get("destination")
        if not isinstance(source, dict) or not isinstance(destination, dict):
            return False
        return bool(source.get("namespace") != destination.get("namespace"))
    if operation in COMMITS:
        return any(update.get("action") == "set-location" for update in _updates(body))
    return operation in REGISTRATIONS


def _updates(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for change in (body, *(body.get("table-changes") or ())):
        for update in change.get("updates") or () if isinstance(change, dict) else ():
            if isinstance(update, dict):
                yield update
