"""Conditions of Iceberg's faults in worlds: names, places, states of tables and forms of requests."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
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
    Holds,
    Thing,
    beside_many,
    beside_prefix,
    deep,
    in_chunks,
    in_connection_of_its_own,
    labelled,
    of_home,
    of_names,
    of_objects,
    of_requests,
    register_conditions,
    sent_by,
    spelled,
)
from reference_server.context import Reply
from reference_server.faults import Call, content
from specs.identifiers import UNIT_SEPARATOR

TABLE, VIEW = "table", "view"
STAGED, REGISTERED, EVOLVED, SPECS, SORTED = "staged", "registered", "evolved", "specs", "sorted"
SNAPSHOTS, REFS, STATISTICS, PROPERTIES = "snapshots", "refs", "statistics", "properties"
REPLACED, DIALECTS, FIRST_SNAPSHOT = "replaced", "dialects", "first snapshot"
EVERYWHERE = (
    *("*Table", "*Tables", "*View", "*Views", "*Namespace*", "*Scan*", "*Planning*", "loadCredentials"),
    *("updateProperties", "reportMetrics", "tableExists", "viewExists", "namespaceExists", "commitTransaction"),
    "listFunctions",
)
ON_TABLES = (
    *("loadTable", "updateTable", "dropTable", "tableExists", "renameTable", "commitTransaction", "unregisterTable"),
    *("loadCredentials", "reportMetrics", "listTables"),
)
ON_VIEWS = ("loadView", "dropView", "viewExists", "renameView", "listViews")
CREATED = ("createNamespace", "createTable", "registerTable", "createView", "registerView")
TOKENS = ("getToken",)
WITH_BODIES = (
    *("create*", "update*", "register*", "rename*", "replaceView", "commitTransaction"),
    *("planTableScan", "fetchScanTasks", "reportMetrics"),
)
SPELLED_OUT = (
    *("createNamespace", "createTable", "createView", "updateProperties", "updateTable", "replaceView"),
    *("registerTable", "planTableScan", "loadTable", "dropTable"),
)
OF_NAMESPACES = ("*Namespace*", "namespaceExists", "updateProperties")
OF_LISTS = ("listTables", "listViews", "listNamespaces")
LISTED = {"listTables": TABLE, "listViews": VIEW}
NAMES = ("blank", "dot", "percent", "plus", "unicode", "long", "underscore", "digits")
PLACES: Mapping[str, tuple[str, Holds]] = {
    "nested": ("in a namespace of two levels", deep(2)),
    "deep": ("in a namespace of three levels", deep(3)),
}
HOMES: Mapping[str, tuple[str, Holds]] = {
    **{
        value: (words.replace("for a name", "in a namespace") + " in its name", of_home(holds))
        for value, (words, holds) in of_names("blank", "dot", "percent", "unicode").items()
    },
    PROPERTIES: ("in a namespace with properties", of_home(labelled(PROPERTIES))),
    REMADE: ("in a namespace under the name of a dropped one", of_home(labelled(REMADE))),
}
SIBLINGS: Mapping[str, tuple[str, Holds]] = {
    "kinds": ("beside objects of other kinds", labelled(BESIDE)),
    "prefix": ("beside a namespace whose name begins alike", beside_prefix),
}
CROWDED: Mapping[str, tuple[str, Holds]] = {"many": ("beside many objects", beside_many(10))}
STATES: Mapping[str, tuple[str, Holds]] = {
    value: (f"for a {words}", labelled(value))
    for value, words in {
        COMMITTED: "table with several commits",
        EVOLVED: "table whose schema was changed",
        RENAMED: "renamed table",
        REMADE: "table under the name of a dropped one",
        REGISTERED: "registered table",
        STAGED: "table that was staged and then committed",
        SNAPSHOTS: "table with snapshots",
        REFS: "table with a branch or a tag",
        STATISTICS: "table with statistics",
        "v1": "table of format version 1",
        "v3": "table of format version 3",
        SPECS: "table with two partition specs",
        SORTED: "table with a sort order",
        PROPERTIES: "table with properties",
    }.items()
}
VIEW_STATES: Mapping[str, tuple[str, Holds]] = {
    REPLACED: ("for a view that was replaced twice", labelled(COMMITTED)),
    RENAMED: ("for a renamed view", labelled(RENAMED)),
    REMADE: ("for a view under the name of a dropped one", labelled(REMADE)),
}
VIEW_TEXTS: Mapping[str, tuple[str, Holds]] = {DIALECTS: ("for a view with texts in two dialects", labelled(DIALECTS))}
FREE_NAMES: Mapping[str, tuple[str, Holds]] = {REMADE: ("under the name of a dropped object", labelled(FREED))}
COMMITS = {
    "add-schema": EVOLVED,
    "add-spec": SPECS,
    "add-sort-order": SORTED,
    "set-statistics": STATISTICS,
    "set-partition-statistics": STATISTICS,
}
EMPTY_FIELDS = spelled("snapshots", "purgeRequested")


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
    return EMPTY_FIELDS(call) or "identifier" in (content(call) or {})


def _of_client(version: str, *, delegates: bool = False) -> Callable[[Call], bool]:
    """Return the condition that a request states such a version of its client, and whether it asks for credentials."""

    def asks(call: Call) -> bool:
        headers = call.request.headers
        asked = "X-Iceberg-Access-Delegation" in headers
        return asked == delegates and re.match(version, headers.get("X-Client-Version", "")) is not None

    return asks


FORMS: Mapping[str, tuple[str, Callable[[Call], bool]]] = {
    "pyiceberg": ("for requests as PyIceberg sends them", sent_by("PyIceberg")),
    "java": ("for requests as the Java client sends them", _of_client("Apache Iceberg")),
    "go": ("for requests as iceberg-go sends them", _of_client(r"\d", delegates=True)),
    "rust": ("for requests as iceberg-rust sends them", _of_client(r"\d")),
    "js": ("for requests as iceberg-js sends them", sent_by("node")),
    "duckdb": ("for requests as DuckDB sends them", sent_by("duckdb")),
}


class IcebergConditions(Conditions):
    """Objects of Iceberg's requests, and their history."""

    api: ClassVar[str] = "iceberg"
    lists: ClassVar[Collection[str]] = OF_LISTS
    of_entries: ClassVar[Collection[str]] = ("names", "state", "view")
    conditions: ClassVar[Sequence[Condition]] = [
        *of_objects("place", EVERYWHERE, PLACES),
        *of_objects("home", EVERYWHERE, HOMES),
        *of_objects("beside", EVERYWHERE, SIBLINGS),
        *of_objects("beside", OF_LISTS, CROWDED),
        *of_objects("names", EVERYWHERE, of_names(*NAMES), ("listFunctions",)),
        *of_objects("names", EVERYWHERE, of_names("case"), (*OF_NAMESPACES, "listFunctions")),
        *of_objects("state", ON_TABLES, STATES),
        *of_objects(
            "state", ("createTable", "registerTable"), {REMADE: ("under a name that is free again", labelled(FREED))}
        ),
        *of_objects("view", (*ON_VIEWS, "replaceView"), VIEW_STATES),
        *of_objects("view", ON_VIEWS, VIEW_TEXTS),
        *of_objects(
            "view", ("createView", "registerView"), {REMADE: ("under a name that is free again", labelled(FREED))}
        ),
        *of_requests("form", SPELLED_OUT, {"spelled": ("for requests with optional fields spelled out", _spelled)}),
        *of_requests("form", ("*",), FORMS, TOKENS),
        *of_requests(
            "connection", ("*",), {"fresh": ("for requests in own connections", in_connection_of_its_own)}, TOKENS
        ),
        *of_requests("connection", WITH_BODIES, {"chunked": ("for bodies in chunks", in_chunks)}),
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
        if call.operation.id in CREATED:
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
        if operation in CREATED:
            made = _made(call)
            if body.get("stage-create"):
                history.pending.add(made)
            else:
                history.create(made, *_labels(operation, body), *_version(reply))
        elif operation in ("dropTable", "unregisterTable", "dropView", "dropNamespace"):
            history.drop(next(self.things(call)))
        elif operation in ("renameTable", "renameView"):
            history.move(_named(_kind(call), body["source"]), _named(_kind(call), body["destination"]))
        elif operation in ("updateTable", "replaceView"):
            _commit(history, next(self.things(call)), body, _version(reply))
        elif operation == "commitTransaction":
            for change in body["table-changes"]:
                _commit(history, _named(TABLE, change["identifier"]), change, ())


def _labels(operation: str, body: Any) -> Iterator[str]:
    """Yield the labels of a new object, by the body of its creation."""
    if operation.startswith("register"):
        yield REGISTERED
    if body.get("properties"):
        yield PROPERTIES
    if (body.get("write-order") or {}).get("fields"):
        yield SORTED
    if len((body.get("view-version") or {}).get("representations", ())) > 1:
        yield DIALECTS


def _version(reply: Reply) -> tuple[str, ...]:
    """Return the label of the format version in an answer."""
    metadata = orjson.loads(reply.body).get("metadata", {}) if reply.body else {}
    return (f"v{metadata['format-version']}",) if "table-uuid" in metadata else ()


def _commit(history: History, thing: Thing, change: Any, labels: tuple[str, ...]) -> None:
    """Note a commit; the first one of a staged table creates it."""
    updates = change.get("updates", [])
    if thing not in history.labels:
        staged = (STAGED,) if thing in history.pending else ()
        history.pending.discard(thing)
        history.create(thing, *staged, *labels)
        return
    actions = [update.get("action") for update in updates]
    added = [COMMITS[action] for action in actions if action in COMMITS]
    added += [REFS for update in updates if update.get("ref-name", "main") != "main"]
    if "add-snapshot" in actions:
        added.append(SNAPSHOTS if FIRST_SNAPSHOT in history.labels[thing] else FIRST_SNAPSHOT)
    history.commit(thing, *added, *labels)


register_conditions(IcebergConditions())
