"""Lists, requirements and transactions of which a part takes effect, or more than was named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from mutants.iceberg.blocks import request_follows, table_there, updates_become, updates_of
from reference_server.context import Reply
from reference_server.faults import Call, Proceed, content, each_of, fault, request_becomes
from reference_server.iceberg.faults.blocks import performed, requirements_become
from reference_server.iceberg.metadata.reading import Json
from specs.identifiers import UNIT_SEPARATOR

COMMIT, REPLACE, TRANSACTION, UPDATE = "updateTable", "replaceView", "commitTransaction", "updateProperties"
CREATE = "assert-create"


def _first(value: Any) -> Any:
    """Return a list or map of several with its first entry alone."""
    if isinstance(value, list):
        return value[:1]
    return dict(list(value.items())[:1]) if isinstance(value, dict) else value


LISTS = ("snapshot-ids", "schema-ids", "spec-ids", "removals")


def _first_of_lists(update: Json) -> Json:
    return {name: _first(value) if name in LISTS else value for name, value in update.items()}


fault("first-of-list", "Of the ids or keys that an update lists, the first alone is removed.", on=[COMMIT, REPLACE])(
    updates_become(lambda updates: [_first_of_lists(update) for update in updates])
)
fault("first-property-alone", "Of several properties of a namespace, the first alone changes.", on=[UPDATE])(
    request_becomes(lambda body: {name: _first(value) for name, value in body.items()})
)


def _last_of_actions(updates: list[Json]) -> list[Json]:
    """Return the last update of each action, in order."""
    last = {update.get("action"): number for number, update in enumerate(updates)}
    return [update for number, update in enumerate(updates) if last[update.get("action")] == number]


fault("one-update-of-an-action", "Of several updates with one action, a commit applies the last.", on=[COMMIT])(
    updates_become(_last_of_actions)
)

STATISTICS = {
    "remove-statistics": "remove-partition-statistics",
    "remove-partition-statistics": "remove-statistics",
}


def _beside(update: Json) -> list[Json]:
    other = STATISTICS.get(update["action"])
    return [update, {**update, "action": other}] if other else [update]


fault("statistics-together", "Removing statistics of either kind removes those of the other kind too.", on=[COMMIT])(
    updates_become(lambda updates: [part for update in updates for part in _beside(update)])
)


def _without_current(commit: Json, table: Json) -> Json:
    current = {"schema-ids": table["current-schema-id"], "spec-ids": table["default-spec-id"]}

    def edit(update: Json) -> Json:
        return {
            name: [id for id in value if id != current[name]] if name in current and isinstance(value, list) else value
            for name, value in update.items()
        }

    return {**commit, "updates": [edit(update) for update in commit["updates"]]}


fault("current-left-out", "Of a list with the current schema or spec, the others are removed.", on=[COMMIT])(
    request_follows(_without_current)
)


def _more_removed(commit: Json, table: Json) -> Json:
    """Return a commit that removes refs to the same snapshot too, and older snapshots, and all keys."""
    refs = table.get("refs") or {}
    more: list[Json] = []
    for update in commit["updates"]:
        if update.get("action") == "remove-snapshot-ref" and update["ref-name"] in refs:
            same = refs[update["ref-name"]]["snapshot-id"]
            names = [name for name, ref in refs.items() if ref["snapshot-id"] == same and name != "main"]
            more += [{**update, "ref-name": name} for name in names]
        elif update.get("action") == "remove-snapshots":
            ids = [entry["snapshot-id"] for entry in table["snapshots"]]
            oldest = max(ids.index(id) for id in update["snapshot-ids"] if id in ids)
            more.append({**update, "snapshot-ids": ids[: oldest + 1]})
        elif update.get("action") == "remove-encryption-key":
            more += [{**update, "key-id": key["key-id"]} for key in table.get("encryption-keys") or ()]
        else:
            more.append(update)
    return {**commit, "updates": more}


fault(
    "more-removed-than-named",
    "With a ref, snapshot or key, a commit removes refs to the same snapshot, older snapshots, and all keys.",
    on=[COMMIT],
)(request_follows(_more_removed))

# Requirements


def _by_type(requirements: list[Json]) -> list[Json]:
    return list({requirement.get("type"): requirement for requirement in requirements}.values())


def _first_by_type(requirements: list[Json]) -> list[Json]:
    return _by_type(requirements[::-1])


fault("last-claim-of-a-type", "Of several requirements of one type, a commit checks the last.", on=[COMMIT])(
    requirements_become(_by_type)
)
fault("first-claim-of-a-type", "Of several requirements of one type, a commit checks the first.", on=[COMMIT])(
    requirements_become(_first_by_type)
)
fault("last-claim-alone", "Of several requirements, a commit checks the last.", on=[COMMIT])(
    requirements_become(lambda requirements: requirements[-1:])
)

# Transactions


def _of_types(*types: str) -> Callable[[list[Json]], list[Json]]:
    return lambda requirements: [requirement for requirement in requirements if requirement.get("type") in types]


fault("transaction-uuids-alone", "Transactions check UUIDs and creations, and no other requirement.", on=[TRANSACTION])(
    requirements_become(_of_types("assert-table-uuid", CREATE))
)
fault("transaction-uuids-unchecked", "Transactions check no UUIDs.", on=[TRANSACTION])(
    requirements_become(
        lambda requirements: [entry for entry in requirements if entry.get("type") != "assert-table-uuid"]
    )
)
fault("transaction-properties-alone", "Transactions set properties and pass over other updates.", on=[TRANSACTION])(
    updates_become(lambda updates: [update for update in updates if update.get("action") == "set-properties"])
)


def _first_level(body: Json) -> Json:
    changes = [
        {**change, "identifier": {**change["identifier"], "namespace": change["identifier"]["namespace"][:1]}}
        for change in body["table-changes"]
    ]
    return {**body, "table-changes": changes}


fault("transaction-first-level", "Transactions look for tables in namespaces of the first level.", on=[TRANSACTION])(
    request_becomes(_first_level)
)


@fault("transaction-in-parts", on=[TRANSACTION])
async def _in_parts(call: Call, proceed: Proceed) -> Reply:
    """A transaction that fails has done what comes before the change that fails."""
    reply = await proceed()
    body = content(call)
    if reply.status < 400 or body is None:
        return reply
    for change in body["table-changes"][:-1]:
        id = change["identifier"]
        path = {"namespace": UNIT_SEPARATOR.join(id["namespace"]), "table": id["name"]}
        await performed(call, proceed, COMMIT, {"requirements": [], "updates": change["updates"]}, **path)
    return reply


@fault("staged-last-alone", on=["createTable", COMMIT])
async def _last_staged(call: Call, proceed: Proceed) -> Reply:
    """Of several stagings of a name, the last alone can be committed; others are applied to its table."""
    staged = call.state.setdefault("staged-uuids", {})
    body = content(call) or {}
    if call.operation.id == "createTable":
        reply = await proceed()
        if reply.status == 200 and body.get("stage-create"):
            staged[(call.path["namespace"], body["name"])] = orjson.loads(reply.body)["metadata"]["table-uuid"]
        return reply
    uuid = staged.get((call.path["namespace"], call.path["table"]))
    assigned = [update for update in updates_of(call) if update.get("action") == "assign-uuid"]
    if uuid and assigned and await table_there(call, proceed) is None:
        updates = [{**update, "uuid": uuid} if update in assigned else update for update in body["updates"]]
        call.request = call.request.altered(body=orjson.dumps({**body, "updates": updates}))
    return await proceed()


# Letter case


def _folded(properties: Any) -> Any:
    return {key.lower(): value for key, value in properties.items()} if isinstance(properties, dict) else properties


def _keys_folded(body: Json) -> Json:
    return {name: _folded(value) if name in ("properties", "updates") else value for name, value in body.items()}


fault(
    "property-keys-folded",
    "Keys of properties are stored in lower case.",
    on=["createNamespace", UPDATE, "createTable", COMMIT, TRANSACTION, "createView", REPLACE],
)(
    each_of(
        request_becomes(_keys_folded),
        updates_become(
            lambda updates: [
                {**update, "updates": _folded(update["updates"])} if "updates" in update else update
                for update in updates
            ]
        ),
    )
)
