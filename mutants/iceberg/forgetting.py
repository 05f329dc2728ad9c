"""Writes that forget what earlier writes did, or bring back what they removed."""

from __future__ import annotations

from typing import Any

import orjson

from mutants.iceberg.blocks import request_follows, table_there
from reference_server.context import Reply
from reference_server.faults import Call, Proceed, body_becomes, content, fault
from reference_server.iceberg.faults.blocks import body_of, performed
from reference_server.iceberg.metadata.reading import Json

COMMIT, REPLACE, UPDATE = "updateTable", "replaceView", "updateProperties"
MOVED = "/moved"
# Lists of table metadata by the action that removes from them, with the id of an entry and the field of the update.
REMOVALS = {
    "remove-schemas": ("schemas", "schema-id", "schema-ids"),
    "remove-partition-specs": ("partition-specs", "spec-id", "spec-ids"),
    "remove-snapshots": ("snapshots", "snapshot-id", "snapshot-ids"),
    "remove-statistics": ("statistics", "snapshot-id", "snapshot-id"),
    "remove-partition-statistics": ("partition-statistics", "snapshot-id", "snapshot-id"),
    "remove-encryption-key": ("encryption-keys", "key-id", "key-id"),
}
MAPS = {"remove-properties": ("properties", "removals"), "remove-snapshot-ref": ("refs", "ref-name")}


def _action(action: str, **fields: Any) -> Json:
    return {"action": action, **{name.replace("_", "-"): value for name, value in fields.items()}}


def _forgotten(table: Json) -> list[Json]:
    """Return the updates that take a table back to its beginnings."""
    snapshots = [entry["snapshot-id"] for entry in table.get("snapshots") or ()]
    named = {ref["snapshot-id"] for ref in (table.get("refs") or {}).values()}
    loose = [id for id in snapshots if id not in named and id > 1999]
    schemas = [entry["schema-id"] for entry in table["schemas"]]
    specs = [entry["spec-id"] for entry in table["partition-specs"]]
    updates = [
        _action("set-current-schema", schema_id=max(schemas)),
        _action("set-default-spec", spec_id=max(specs)),
        _action("set-default-sort-order", sort_order_id=max(entry["order-id"] for entry in table["sort-orders"])),
        *(_action("remove-snapshot-ref", ref_name=name) for name in table.get("refs") or () if name != "main"),
        *(_action("remove-statistics", snapshot_id=entry["snapshot-id"]) for entry in table.get("statistics") or ()),
        *(
            _action("remove-partition-statistics", snapshot_id=entry["snapshot-id"])
            for entry in table.get("partition-statistics") or ()
        ),
        *(_action("remove-encryption-key", key_id=entry["key-id"]) for entry in table.get("encryption-keys") or ()),
        *([_action("remove-snapshots", snapshot_ids=loose)] if loose else []),
        _action("set-properties", updates={"a": "1"} if "a" in table["properties"] else {}),
    ]
    if table["location"].endswith(MOVED):
        updates.append(_action("set-location", location=table["location"].removesuffix(MOVED)))
    return updates


def _touches(commit: Json) -> bool:
    """True for a commit that sets the property `touched` alone."""
    return [list(update.get("updates") or ()) for update in commit.get("updates") or ()] == [["touched"]]


fault("next-commit-forgets", "A commit undoes what earlier commits did beside the last columns and rows.", on=[COMMIT])(
    request_follows(
        lambda commit, table: (
            {**commit, "updates": [*_forgotten(table), *commit["updates"]]} if _touches(commit) else commit
        )
    )
)


def _unused(table: Json) -> list[Json]:
    """Return the updates that remove what is neither current nor in use."""
    schemas = [entry["schema-id"] for entry in table["schemas"] if entry["schema-id"] != table["current-schema-id"]]
    specs = [entry["spec-id"] for entry in table["partition-specs"] if entry["spec-id"] != table["default-spec-id"]]
    return [_action("remove-schemas", schema_ids=schemas), _action("remove-partition-specs", spec_ids=specs)]


fault("next-commit-tidies", "A commit removes schemas and partition specs that are not current.", on=[COMMIT])(
    request_follows(
        lambda commit, table: (
            {**commit, "updates": [*_unused(table), *commit["updates"]]} if _touches(commit) else commit
        )
    )
)


def _key(call: Call) -> tuple[str, ...]:
    return tuple(str(call.path.get(name)) for name in ("namespace", "table", "view"))


def _with_old(table: Json, old: Json) -> Json:
    """Return metadata together with what older metadata had."""
    shown = dict(table)
    for name, id, _ in REMOVALS.values():
        known = [entry[id] for entry in table.get(name) or ()]
        shown[name] = [*(table.get(name) or ()), *(entry for entry in old.get(name) or () if entry[id] not in known)]
    for name, _ in MAPS.values():
        shown[name] = {**(old.get(name) or {}), **(table.get(name) or {})}
    return shown


@fault("removals-return", on=[COMMIT, "loadTable"])
async def _return(call: Call, proceed: Proceed) -> Reply:
    """A schema, snapshot, ref or property that a commit removed is there again after the next commit."""
    removed, back = (call.state.setdefault(name, {}) for name in ("removed-once", "back-again"))
    key, actions = _key(call), [update.get("action") for update in (content(call) or {}).get("updates") or ()]
    if call.operation.id == COMMIT and any(action in REMOVALS or action in MAPS for action in actions):
        removed[key] = await table_there(call, proceed)
        return await proceed()
    if call.operation.id == COMMIT and key in removed:
        back[key] = removed[key]
    if back.get(key):
        return await body_becomes(lambda body: {**body, "metadata": _with_old(body["metadata"], back[key])}, 200)(
            call, proceed
        )
    return await proceed()


@fault("format-falls-back", on=[COMMIT, "loadTable"])
async def _falls_back(call: Call, proceed: Proceed) -> Reply:
    """After an upgrade of its format version and another commit, a table shows the former version."""
    raised = call.state.setdefault("format-before", {})
    actions = [update.get("action") for update in (content(call) or {}).get("updates") or ()]
    if call.operation.id == COMMIT and "upgrade-format-version" in actions:
        before = await table_there(call, proceed)
        raised[_key(call)] = [before["format-version"] if before else 2, False]
        return await proceed()
    if _key(call) in raised:
        known = raised[_key(call)]
        known[1] = known[1] or call.operation.id == COMMIT
        if known[1]:
            return await body_becomes(
                lambda body: {**body, "metadata": {**body["metadata"], "format-version": known[0]}}, 200
            )(call, proceed)
    return await proceed()


@fault("view-next-commit-forgets", on=[REPLACE])
async def _view_forgets(call: Call, proceed: Proceed) -> Reply:
    """A commit of properties to a view takes its other properties and its version back to the first ones."""
    first = call.state.setdefault("first-view", {})
    view = body_of(await performed(call, proceed, "loadView")).get("metadata")
    body = content(call)
    if view is None or body is None:
        return await proceed()
    old = first.setdefault(_key(call), view)
    updates = body.get("updates") or []
    if all(update.get("action") == "set-properties" for update in updates):
        keys = [key for update in updates for key in update.get("updates") or ()]
        kept = {key: value for key, value in (old.get("properties") or {}).items() if key not in keys}
        back = [
            _action("set-properties", updates=kept),
            _action("set-current-view-version", view_version_id=old["versions"][0]["version-id"]),
        ]
        call.request = call.request.altered(body=orjson.dumps({**body, "updates": [*back, *updates]}))
    return await proceed()


@fault("namespace-properties-return", on=[UPDATE])
async def _namespace_returns(call: Call, proceed: Proceed) -> Reply:
    """Properties of a namespace that were removed or changed are as before after the next change."""
    known = call.state.setdefault("namespace-before", {})
    before = body_of(await performed(call, proceed, "loadNamespaceMetadata")).get("properties") or {}
    reply = await proceed()
    old = known.get(_key(call))
    known[_key(call)] = before
    if reply.status == 200 and old:
        await performed(call, proceed, UPDATE, {"updates": old, "removals": []})
    return reply


@fault("views-remember", on=["dropView", "createView"])
async def _views_remember(call: Call, proceed: Proceed) -> Reply:
    """A new view under the name of a dropped one has its properties."""
    known = call.state.setdefault("dropped-views", {})
    if call.operation.id == "dropView":
        shown = body_of(await performed(call, proceed, "loadView")).get("metadata") or {}
        known[(call.path["namespace"], call.path["view"])] = shown.get("properties") or {}
        return await proceed()
    body = content(call)
    old = known.get((call.path["namespace"], str((body or {}).get("name"))))
    if body is not None and old:
        properties = {**old, **(body.get("properties") or {})}
        call.request = call.request.altered(body=orjson.dumps({**body, "properties": properties}))
    return await proceed()


@fault("staged-properties-stay", on=["createTable"])
async def _staged_stay(call: Call, proceed: Proceed) -> Reply:
    """A table has the properties that its name was staged with."""
    staged = call.state.setdefault("staged-properties", {})
    body = content(call)
    if body is None:
        return await proceed()
    key = (call.path["namespace"], str(body.get("name")))
    if body.get("stage-create"):
        staged[key] = body.get("properties") or {}
    elif key in staged:
        properties = {**staged[key], **(body.get("properties") or {})}
        call.request = call.request.altered(body=orjson.dumps({**body, "properties": properties}))
    return await proceed()
