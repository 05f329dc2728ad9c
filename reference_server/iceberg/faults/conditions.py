"""Conditions of Iceberg's faults in worlds: names, places, states of tables and forms of requests."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, ClassVar

import orjson

from reference_server.conditions import (
    BESIDE,
    COMMITTED,
    FREED,
    NAMESPACE,
    REMADE,
    RENAMED,
    Condition,
    Conditions,
    History,
    Thing,
    deep,
    labelled,
    of_names,
    of_objects,
    of_requests,
)
from reference_server.context import Reply
from reference_server.faults import Call, content
from specs.identifiers import UNIT_SEPARATOR

TABLE, VIEW = "table", "view"
STAGED, REGISTERED, EVOLVED, RESPECCED, TAGS = "staged", "registered", "evolved", "respecced", "tags"
IN_NAMESPACES = ("*Table", "*Tables", "*View", "*Views", "*Namespace*", "*Scan*", "*Planning*", "loadCredentials")
ON_NAMESPACES = ("updateProperties", "reportMetrics", "tableExists", "viewExists", "namespaceExists")
EVERYWHERE = (*IN_NAMESPACES, *ON_NAMESPACES, "commitTransaction")
ON_TABLES = (
    *("loadTable", "updateTable", "dropTable", "tableExists", "renameTable", "commitTransaction", "unregisterTable"),
    *("planTableScan", "fetchScanTasks", "loadCredentials", "reportMetrics", "listTables"),
)
CREATED = ("createTable", "registerTable", "createView")
WITH_BODIES = ("create*", "updateTable", "updateProperties", "commitTransaction", "register*", "rename*", "replaceView")
ADDED = {"add-schema": EVOLVED, "add-spec": RESPECCED}
LISTED = {"listTables": TABLE, "listViews": VIEW}
VERSIONS = (1, 3)  # of the format that tables seldom have


def _levels(call: Call) -> tuple[str, ...]:
    return tuple(call.path["namespace"].split(UNIT_SEPARATOR)) if "namespace" in call.path else ()


def _named(kind: str, identifier: Any) -> Thing:
    return Thing(kind, (*identifier["namespace"], identifier["name"]))


def _kind(call: Call) -> str:
    return VIEW if "View" in call.operation.id or "view" in call.path else TABLE


def _made(call: Call) -> Thing:
    """Return the object that a creation or registration names."""
    body = content(call) or {}
    if call.operation.id == "createNamespace":
        return Thing(NAMESPACE, tuple(body["namespace"]))
    return Thing(_kind(call), (*_levels(call), body["name"]))


def _spelled(call: Call) -> bool:
    """Return whether a body has an optional field with an empty value or null."""
    return any(value in (None, False) or value in ({}, []) for value in (content(call) or {}).values())


def _nulls(call: Call) -> bool:
    return None in (content(call) or {}).values()


def _identified(call: Call) -> bool:
    return "identifier" in (content(call) or {})


class IcebergConditions(Conditions):
    """Objects of Iceberg's requests, and their history."""

    api: ClassVar[str] = "iceberg"
    lists: ClassVar[Collection[str]] = ("listTables", "listViews", "listNamespaces")
    conditions: ClassVar[Sequence[Condition]] = [
        *of_names(*EVERYWHERE),
        *of_objects(
            "place",
            EVERYWHERE,
            {
                "nested": ("in a nested namespace", deep(2)),
                "deep": ("three levels deep", deep(3)),
                "beside": ("beside objects of other kinds", labelled(BESIDE)),
            },
        ),
        *of_objects(
            "state",
            ON_TABLES,
            {
                "committed": ("for a table with several commits", labelled(COMMITTED)),
                "renamed": ("for a renamed table", labelled(RENAMED)),
                "remade": ("for a table under the name of a dropped one", labelled(REMADE)),
                "staged": ("for a table that was staged and then committed", labelled(STAGED)),
                "registered": ("for a registered table", labelled(REGISTERED)),
                "evolved": ("for a table whose schema changed", labelled(EVOLVED)),
                "respecced": ("for a table with two partition specs", labelled(RESPECCED)),
                "tags": ("for a table with branches or tags", labelled(TAGS)),
                **{f"v{n}": (f"for a table of format version {n}", labelled(f"v{n}")) for n in VERSIONS},
            },
        ),
        *of_objects("state", CREATED, {"remade": ("under the name of a dropped object", labelled(FREED))}),
        *of_requests(
            "form",
            WITH_BODIES,
            {
                "spelled": ("for a request with optional fields spelled out", _spelled),
                "nulls": ("for a request with null for an optional field", _nulls),
            },
        ),
        *of_requests(
            "form",
            ("updateTable", "replaceView"),
            {"identifier": ("for a request with the identifier in the body", _identified)},
        ),
    ]

    def things(self, call: Call) -> Iterator[Thing]:
        """Yield the namespaces, tables and views that a request names."""
        body, levels = content(call) or {}, _levels(call)
        if "table" in call.path:
            yield Thing(TABLE, (*levels, call.path["table"]))
        elif "view" in call.path:
            yield Thing(VIEW, (*levels, call.path["view"]))
        elif levels:
            yield Thing(NAMESPACE, levels)
        if call.operation.id in ("createNamespace", *CREATED, "registerView"):
            yield _made(call)
        for name in ("source", "destination"):
            if name in body:
                yield _named(_kind(call), body[name])
        for change in body.get("table-changes", ()):
            yield _named(TABLE, change["identifier"])
        for parent in call.request.query.get("parent", ()):
            yield Thing(NAMESPACE, tuple(parent.split(UNIT_SEPARATOR)))

    def listed(self, call: Call, body: Any, keep: Callable[[Thing], bool]) -> Any:
        """Return the answer of a list without the objects that are not kept."""
        if kind := LISTED.get(call.operation.id):
            return {**body, "identifiers": [entry for entry in body["identifiers"] if keep(_named(kind, entry))]}
        return {**body, "namespaces": [entry for entry in body["namespaces"] if keep(Thing(NAMESPACE, tuple(entry)))]}

    def note(self, call: Call, reply: Reply, history: History) -> None:
        """Note what a successful call has changed."""
        operation, body = call.operation.id, content(call) or {}
        if operation in ("createNamespace", *CREATED, "registerView"):
            made = _made(call)
            if body.get("stage-create"):
                history.pending.add(made)
            else:
                registered = (REGISTERED,) if operation.startswith("register") else ()
                history.create(made, *registered, *_version(reply))
        elif operation in ("dropTable", "unregisterTable", "dropView", "dropNamespace"):
            history.drop(next(self.things(call)))
        elif operation in ("renameTable", "renameView"):
            history.move(_named(_kind(call), body["source"]), _named(_kind(call), body["destination"]))
        elif operation in ("updateTable", "replaceView"):
            _commit(history, next(self.things(call)), body, _version(reply))
        elif operation == "commitTransaction":
            for change in body["table-changes"]:
                _commit(history, _named(TABLE, change["identifier"]), change, ())


def _version(reply: Reply) -> tuple[str, ...]:
    """Return the label of the format version in an answer."""
    metadata = orjson.loads(reply.body).get("metadata", {}) if reply.body else {}
    return (f"v{metadata['format-version']}",) if "view-uuid" not in metadata and metadata else ()


def _commit(history: History, thing: Thing, change: Any, labels: tuple[str, ...]) -> None:
    """Note a commit; the first one of a staged table creates it."""
    updates = change.get("updates", [])
    if thing not in history.labels:
        staged = (STAGED,) if thing in history.pending else ()
        history.pending.discard(thing)
        history.create(thing, *staged, *labels)
        return
    added = [ADDED[update["action"]] for update in updates if update.get("action") in ADDED]
    tagged = [
        TAGS for update in updates if update.get("action") == "set-snapshot-ref" and update.get("ref-name") != "main"
    ]
    history.commit(thing, *added, *tagged, *labels)
