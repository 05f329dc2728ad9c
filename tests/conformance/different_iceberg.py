"""Freedoms of Iceberg catalogs: order, own properties, policies on locations and names, missing operations."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import quote

from conformance.iceberg.operations import endpoint
from conformance.target.local_files import local_path
from specs.profiles import find_profile
from specs.validation import Validators
from tests.conformance.different_server import (
    FREEDOMS,
    PLAIN,
    Call,
    Freedom,
    after,
    before,
    of_json,
    text,
    with_json,
)
from tests.conformance.proxy import Answer

API = "iceberg"
LISTINGS = {"listNamespaces": "namespaces", "listTables": "identifiers", "listViews": "identifiers"}
DOCUMENT = find_profile(API).document()
VALIDATORS = Validators(DOCUMENT)
VIEW_REQUIREMENTS = {"assert-view-uuid"}
CONSTANTS = set(re.findall(r'"const": "([a-z-]+)"', json.dumps(DOCUMENT.raw["components"]["schemas"])))
TABLE_REQUIREMENTS = {name for name in CONSTANTS if name.startswith("assert-")} - VIEW_REQUIREMENTS
LISTS = ("schemas", "partition-specs", "sort-orders", "snapshots", "statistics", "metadata-log", "versions")
OWN = {"server.tier": "gold", "server.owner": "nobody"}
READ_ONLY = {
    "add-schema": ("schema", "schema-id", "schemas"),
    "add-spec": ("spec", "spec-id", "partition-specs"),
    "add-sort-order": ("sort-order", "order-id", "sort-orders"),
}
CREATIONS = ("createTable", "createView", "registerTable", "registerView")


def refusal(status: int, kind: str, message: str = "not here") -> Answer:
    """A refusal in the words of the document."""
    error = {"message": message, "type": kind, "code": status}
    return Answer(status, {"Content-Type": "application/json"}, json.dumps({"error": error}).encode())


def table_path(call: Call) -> str:
    """The path of the table or view that a request is about."""
    kind = "view" if "view" in call.values else "table"
    return f"/v1/namespaces/{quote(call.values['namespace'], safe='')}/{kind}s/{quote(call.values[kind], safe='')}"


def metadata(call: Call, path: str = "") -> Any:
    """The metadata of the table or view, as the server behind has it."""
    return (of_json(call.behind("GET", path or table_path(call))) or {}).get("metadata") or {}


def changes(call: Call) -> list[tuple[str, dict[str, Any]]]:
    """The paths and updates of what a commit changes."""
    if b"assert-create" in call.body:
        return []
    if call.operation in ("updateTable", "replaceView"):
        return [(table_path(call), update) for update in call.json.get("updates") or () if isinstance(update, dict)]
    if call.operation != "commitTransaction":
        return []
    pairs = []
    for change in call.json.get("table-changes") or ():
        id = change.get("identifier") if isinstance(change, dict) else None
        if isinstance(id, dict) and isinstance(change.get("updates"), list):
            space = quote("\x1f".join(map(str, id.get("namespace") or ())), safe="")
            path = f"/v1/namespaces/{space}/tables/{quote(str(id.get('name')), safe='')}"
            pairs += [(path, update) for update in change["updates"] if isinstance(update, dict)]
    return pairs


# Order


@after(API)
def other_order_of_listings(call: Call, answer: Answer) -> Answer:
    """Listings come in any order."""
    value, field = of_json(answer), LISTINGS.get(call.operation, "")
    if value is None or answer.status != 200 or not field:
        return answer
    return with_json(answer, {**value, field: call.chance.sample(value[field], len(value[field]))})


@after(API)
def other_order_of_metadata(_: Call, answer: Answer) -> Answer:
    """Snapshots, schemas and the like come the other way round."""
    value = of_json(answer)
    if not isinstance(value, dict) or not isinstance(value.get("metadata"), dict):
        return answer
    lists = {name: value["metadata"][name][::-1] for name in LISTS if value["metadata"].get(name)}
    return with_json(answer, {**value, "metadata": {**value["metadata"], **lists}})


@before(API)
def short_pages(call: Call) -> Answer | None:
    """Pages end before they are full."""
    if call.operation in LISTINGS and "pageToken" in call.query:
        size = call.query.get("pageSize", "4")
        call.query["pageSize"] = str(max(1, int(size) // 2)) if size.isdecimal() and int(size) else size
    return None


# What is the server's own


@after(API)
def own_properties(call: Call, answer: Answer) -> Answer:
    """Namespaces, tables and views have properties that nobody gave them."""
    value = of_json(answer)
    if not isinstance(value, dict) or answer.status != 200:
        return answer
    if isinstance(value.get("metadata"), dict):
        inner = value["metadata"]
        return with_json(answer, {**value, "metadata": {**inner, "properties": OWN | (inner.get("properties") or {})}})
    if call.operation in ("createNamespace", "loadNamespaceMetadata"):
        return with_json(answer, {**value, "properties": OWN | (value.get("properties") or {})})
    return answer


MAPS = ("properties", "summary", "refs", "config")  # from names that clients choose


def _with_own(value: Any) -> Any:
    if isinstance(value, dict):
        inner = {name: child if name in MAPS else _with_own(child) for name, child in value.items()}
        return {**inner, "x-vendor": "1"}
    return [_with_own(child) for child in value] if isinstance(value, list) else value


@after(API)
def own_metadata_fields(_: Call, answer: Answer) -> Answer:
    """Metadata and all their parts have fields that nobody else knows."""
    value = of_json(answer)
    if not isinstance(value, dict) or not isinstance(value.get("metadata"), dict):
        return answer
    return with_json(answer, {**value, "metadata": _with_own(value["metadata"])})


EMPTY = ("snapshots", "refs", "properties", "snapshot-log", "metadata-log", "statistics", "partition-statistics")


@after(API)
def empty_fields_left_out(_: Call, answer: Answer) -> Answer:
    """Leave empty optional fields out of metadata, and write -1 for no current snapshot."""
    value = of_json(answer)
    if not isinstance(value, dict) or "table-uuid" not in (value.get("metadata") or {}):
        return answer
    inner = {name: part for name, part in value["metadata"].items() if part or name not in EMPTY}
    if inner.get("current-snapshot-id") is None:
        inner["current-snapshot-id"] = -1
    return with_json(answer, {**value, "metadata": inner})


@after(API)
def upper_case_uuids(_: Call, answer: Answer) -> Answer:
    """UUIDs are written in upper case."""
    value = of_json(answer)
    if not isinstance(value, dict) or not isinstance(value.get("metadata"), dict):
        return answer
    ids = {name: value["metadata"][name].upper() for name in ("table-uuid", "view-uuid") if name in value["metadata"]}
    return with_json(answer, {**value, "metadata": {**value["metadata"], **ids}})


@after(API)
def weak_tags(call: Call, answer: Answer) -> Answer:
    """Entity tags are weak: a gateway compresses answers."""
    tags = {name: f"W/{tag}" for name, tag in answer.headers.items() if name.lower() == "etag" and tag[:1] == '"'}
    return Answer(answer.status, {**answer.headers, **tags}, answer.body)


@after(API)
def no_tags(_: Call, answer: Answer) -> Answer:
    """There are no entity tags."""
    kept = {name: value for name, value in answer.headers.items() if name.lower() != "etag"}
    return Answer(answer.status, kept, answer.body)


@after(API)
def renamings_are_noted(call: Call, answer: Answer) -> Answer:
    """A renamed table or view has a property that says so, and another time of its last change."""
    renamed = call.state.setdefault("renamed", set())
    if call.operation in ("renameTable", "renameView") and answer.status == 204:
        to = call.json["destination"]
        renamed.add(("\x1f".join(to["namespace"]), to["name"]))
    value = of_json(answer)
    name = call.values.get("table") or call.values.get("view") or ""
    if (call.values.get("namespace"), name) not in renamed or not isinstance(value, dict) or "metadata" not in value:
        return answer
    inner = value["metadata"]
    noted = {**inner, "properties": {**(inner.get("properties") or {}), "server.renamed": "true"}}
    return with_json(answer, {**value, "metadata": noted})


@after(API)
def batched_commits(_: Call, answer: Answer) -> Answer:
    """Several commits make one metadata file: the log is shorter than commits are many."""
    value = of_json(answer)
    if not isinstance(value, dict) or not (value.get("metadata") or {}).get("metadata-log"):
        return answer
    log = value["metadata"]["metadata-log"]
    return with_json(answer, {**value, "metadata": {**value["metadata"], "metadata-log": log[-2:]}})


@after(API)
def other_messages(_: Call, answer: Answer) -> Answer:
    """Errors say it in their own words, and more than they have to."""
    value = of_json(answer)
    if answer.status < 400 or not isinstance(value, dict) or not isinstance(value.get("error"), dict):
        return answer
    return with_json(answer, {"error": {**value["error"], "message": "Nein.", "stack": []}})


# Policies


@before(API)
def own_places(call: Call) -> Answer | None:
    """Everything of a table lies below its location, which the server chooses."""
    status = 400 if call.chance.random() < 0.5 else 403
    kind = "BadRequestException" if status == 400 else "ForbiddenException"
    if call.operation in ("createTable", "createView") and call.json.get("location"):
        return refusal(status, kind)
    if call.operation in ("registerTable", "registerView"):
        place, name = call.json.get("metadata-location"), str(call.json.get("name"))
        own = not isinstance(place, str) or f"/{name}/metadata/" in place or f"/{name}-" in place
        return None if own else refusal(status, kind)
    for path, update in changes(call):
        places = [update.get("location"), *(_places(update.get(part)) for part in ("snapshot", "statistics"))]
        places.append(_places(update.get("partition-statistics")))
        base = str(metadata(call, path).get("location", "")).rstrip("/")
        if any(place and base and not str(place).startswith(base) for place in places):
            return refusal(status, kind)
    return None


def _places(part: Any) -> Any:
    return (part.get("manifest-list") or part.get("statistics-path")) if isinstance(part, dict) else None


@before(API)
def fixed_locations(call: Call) -> Answer | None:
    """The location of a table stays."""
    for path, update in changes(call):
        if update.get("action") == "set-location":
            place = metadata(call, path).get("location")
            if place and update.get("location") != place:
                return refusal(400, "BadRequestException", "tables stay where they are")
    return None


@before(API)
def unknown_transforms_are_kept(call: Call) -> Answer | None:
    """A partition transform that a server does not know is for readers to ignore."""
    if call.operation == "createTable":
        call.body = call.body.replace(b'"bucket[0]"', b'"void"')
    return None


@before(API)
def plain_names(call: Call) -> Answer | None:
    """Names have few letters."""
    if call.operation == "createNamespace":
        names = call.json.get("namespace") or ()
    elif call.operation in CREATIONS:
        names = [call.json.get("name")]
    elif call.operation in ("renameTable", "renameView"):
        to = call.json.get("destination")
        names = [to.get("name")] if isinstance(to, dict) else []
    else:
        return None
    odd = [name for name in names if isinstance(name, str) and not (PLAIN.fullmatch(name) and len(name) < 65)]
    return refusal(400, "BadRequestException", "letters, digits and underscores only") if odd else None


@before(API)
def two_format_versions(call: Call) -> Answer | None:
    """There are no tables of format version 3."""
    given = call.json.get("properties") if call.operation == "createTable" else None
    asked = given.get("format-version") if isinstance(given, dict) else None
    upgrades = [update.get("format-version") for _, update in changes(call)]
    return refusal(400, "BadRequestException") if asked == "3" or 3 in upgrades else None


@before(API)
def ids_are_given_once(call: Call) -> Answer | None:
    """A schema, spec or order is refused whose id, which is read-only, another one has."""
    for path, update in changes(call):
        part, id, entries = READ_ONLY.get(str(update.get("action")), ("", "", ""))
        own = update.get(part)
        if isinstance(own, dict) and isinstance(own.get(id), int) and own.get("fields"):
            taken = [there.get(id) for there in metadata(call, path).get(entries) or ()]
            if own[id] in taken or own[id] < 0:
                return refusal(400, "BadRequestException")
    return None


@before(API)
def foreign_requirements_do_not_hold(call: Call) -> Answer | None:
    """Return 409 for a commit of a table with a requirement of views, or of a view with one of tables."""
    kinds = {"updateTable": VIEW_REQUIREMENTS, "replaceView": TABLE_REQUIREMENTS}.get(call.operation, set())
    required = call.json.get("requirements") if isinstance(call.json, dict) else None
    types = {entry.get("type") for entry in required or () if isinstance(entry, dict)}
    return refusal(409, "CommitFailedException") if types & kinds and metadata(call) else None


@before(API)
def no_nesting(call: Call) -> Answer | None:
    """Namespaces have one level."""
    levels = call.json.get("namespace") if call.operation == "createNamespace" else None
    if isinstance(levels, list) and len(levels) > 1:
        return refusal(*call.chance.choice(((400, "BadRequestException"), (406, "UnsupportedOperationException"))))
    return None


@before(API)
def no_purging(call: Call) -> Answer | None:
    """Files are not for clients to purge."""
    if call.operation == "dropTable" and call.query.get("purgeRequested", "").lower() == "true":
        return refusal(*call.chance.choice(((400, "BadRequestException"), (403, "ForbiddenException"))))
    return None


@before(API)
def absent_is_not_removed(call: Call) -> Answer | None:
    """Return 400 for a commit that removes something that does not exist."""
    made = [update for _, update in changes(call) if not str(update.get("action")).startswith("remove-")]
    for path, update in changes(call):
        if not made and _absent(metadata(call, path), update):
            return refusal(400, "BadRequestException", "there is no such thing")
    return None


def _absent(table: Any, update: dict[str, Any]) -> bool:
    """True when an update removes something that is not there."""
    ids = {
        "remove-properties": (update.get("removals"), table.get("properties")),
        "remove-snapshot-ref": ([update.get("ref-name")], table.get("refs")),
        "remove-snapshots": (update.get("snapshot-ids"), _ids(table, "snapshots", "snapshot-id")),
        "remove-partition-specs": (update.get("spec-ids"), _ids(table, "partition-specs", "spec-id")),
        "remove-schemas": (update.get("schema-ids"), _ids(table, "schemas", "schema-id")),
        "remove-statistics": ([update.get("snapshot-id")], _ids(table, "statistics", "snapshot-id")),
        "remove-partition-statistics": (
            [update.get("snapshot-id")],
            _ids(table, "partition-statistics", "snapshot-id"),
        ),
        "remove-encryption-key": ([update.get("key-id")], _ids(table, "encryption-keys", "key-id")),
    }
    wanted, there = ids.get(str(update.get("action")), ((), ()))
    return bool(table) and any(name not in (there or ()) for name in wanted or ())


def _ids(table: Any, field: str, key: str) -> list[Any]:
    return [entry.get(key) for entry in table.get(field) or ()]


@after(API)
def other_statuses(call: Call, answer: Answer) -> Answer:
    """A commit that no table can have is a conflict rather than a bad request."""
    value = of_json(answer)
    known = all(update.get("action") in CONSTANTS for _, update in changes(call))
    if answer.status != 400 or not known or not changes(call) or not well_formed(call):
        return answer
    return refusal(409, "CommitFailedException", value["error"]["message"])


def well_formed(call: Call) -> bool:
    """True when a body fits its schema, and its requirements are those of the document."""
    kinds = re.findall(r'"type" ?: ?"(assert-[a-z-]+)"', call.body.decode())
    known = VIEW_REQUIREMENTS if call.operation == "replaceView" else TABLE_REQUIREMENTS
    nameless = any("identifier" not in change for change in call.json.get("table-changes") or ())
    return not nameless and not VALIDATORS.first_request_mismatch(call.operation, call.json) and set(kinds) <= known


# What is not there

LACKING = {
    "no_views": ("View",),
    "no_transactions": ("commitTransaction",),
    "no_renames": ("rename",),
    "no_registrations": ("register",),
    "no_reports": ("reportMetrics",),
    "no_plans": ("Scan", "Planning"),
    "no_functions": ("Function",),
    "no_properties_of_namespaces": ("updateProperties",),
    "no_existence": ("Exists",),
}
REFUSALS = (refusal(406, "UnsupportedOperationException"), text(404, "no such route"), text(405, "no"))


def _without_properties(call: Call) -> Answer | None:
    """Namespaces have no properties: what would give them some is not supported."""
    given = call.json.get("properties") if call.operation == "createNamespace" else None
    texts = isinstance(given, dict) and all(isinstance(setting, str) for setting in given.values())
    return REFUSALS[0] if (given and texts) or call.operation == "updateProperties" else None


def _null_properties(call: Call, answer: Answer) -> Answer:
    value = of_json(answer)
    if call.operation != "loadNamespaceMetadata" or answer.status != 200:
        return answer
    return with_json(answer, {**value, "properties": None})


def lacks(name: str, words: tuple[str, ...], api: str = API) -> Freedom:
    """The freedom to lack some operations: the configuration does not name them, and they are refused."""
    known = find_profile(api).document().operations.values()
    gone = {endpoint(operation) for operation in known if any(word in operation.id for word in words)}
    said = REFUSALS[len(name) % len(REFUSALS)]

    def refused(call: Call) -> Answer | None:
        return said if any(word in call.operation for word in words) else None

    def untold(call: Call, answer: Answer) -> Answer:
        value = of_json(answer)
        if call.operation != "getConfig" or answer.status != 200 or not value.get("endpoints"):
            return answer
        return with_json(answer, {**value, "endpoints": [route for route in value["endpoints"] if route not in gone]})

    return Freedom(name, api, refused, untold)


FREEDOMS.update({name: lacks(name, words) for name, words in LACKING.items()})
FREEDOMS["plain_namespaces"] = Freedom("plain_namespaces", API, _without_properties, _null_properties)


def _of_an_existing_one(call: Call) -> Answer | None:
    """The metadata file of an existing table or view is registered under no other name."""
    body = call.json
    files = call.state.setdefault("one name per file", {})
    if not call.operation.startswith("register") or body.get("overwrite") or not well_formed(call):
        return None
    return refusal(409, "AlreadyExistsException") if body.get("metadata-location") in files.values() else None


def _noted_locations(call: Call, answer: Answer) -> Answer:
    files = call.state.setdefault("one name per file", {})
    if call.operation in ("loadTable", "loadView") and answer.status == 200:
        files[table_path(call)] = of_json(answer).get("metadata-location")
    elif call.operation in ("dropTable", "dropView", "unregisterTable") and answer.status < 300:
        files.pop(table_path(call), None)
    elif call.operation in ("renameTable", "renameView") and answer.status < 300:
        files.clear()
    return answer


FREEDOMS["one_name_per_file"] = Freedom("one_name_per_file", API, _of_an_existing_one, _noted_locations)


# Defects of which only the requirements that are about them may speak


def _properties_lost(_: Call, answer: Answer) -> Answer:
    """Tables lose the property of the name client."""
    value = of_json(answer)
    if not isinstance(value, dict) or "client" not in ((value.get("metadata") or {}).get("properties") or {}):
        return answer
    kept = {name: setting for name, setting in value["metadata"]["properties"].items() if name != "client"}
    return with_json(answer, {**value, "metadata": {**value["metadata"], "properties": kept}})


def _noted_file(call: Call) -> None:
    if call.operation == "dropTable":
        loaded = of_json(call.behind("GET", table_path(call))) or {}
        call.state[call.path] = local_path(loaded.get("metadata-location") or "nowhere:/")


def _file_gone(call: Call, answer: Answer) -> Answer:
    """Dropping a table deletes its metadata file."""
    path = call.state.pop(call.path, None) if call.operation == "dropTable" else None
    if path and answer.status == 204:
        path.unlink(missing_ok=True)
    return answer


DEFECTS = {
    "lost_property": Freedom("lost_property", API, after=_properties_lost),
    "lost_file": Freedom("lost_file", API, before=_noted_file, after=_file_gone),
}
