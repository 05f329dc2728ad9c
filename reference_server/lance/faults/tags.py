"""Tags, versions and transactions, kept or told carelessly."""

from __future__ import annotations

from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.faults import (
    Call,
    Proceed,
    answers,
    arguments_lost,
    body_becomes,
    declare,
    fields_lost,
    status_becomes,
)
from reference_server.lance.faults.building import request_becomes

TAGS = ("CreateTableTag", "UpdateTableTag", "DeleteTableTag", "GetTableTagVersion", "ListTableTags")
VERSIONS = ("ListTableVersions", "DescribeTableVersion", "RestoreTable")
TRANSACTIONS = ("DescribeTransaction", "AlterTransaction")

# Tags

declare(
    "tags-forgotten",
    "Changes of tags are answered with success, but nothing changes.",
    answers(200, {}),
    kills=[
        "lance.tag.create.get",
        "lance.tag.create.name.*",
        "lance.tag.create.taken",
        "lance.tag.create.version_missing",
        "lance.tag.create.stays",
        "lance.tag.update.moves",
        "lance.tag.delete.gone",
        "lance.tag.delete.twice",
        "lance.tag.list.versions",
        "lance.tag.case",
        "lance.listing.shows.list_table_tags",
    ],
    on=TAGS[:3],
)


declare(
    "tags-move",
    "A tag is said to name another version than it was given.",
    body_becomes(lambda body: {"version": body["version"] + 1}, 200),
    kills=[
        "lance.tag.create.get",
        "lance.tag.create.stays",
        "lance.tag.create.name.*",
        "lance.tag.update.moves",
        "lance.tag.update.version_missing",
        "lance.tag.case",
        "lance.tag.body.*",
    ],
    on=["GetTableTagVersion"],
)
declare(
    "tags-replaced",
    "Creating a tag that exists moves it.",
    status_becomes(409, 200),
    kills=["lance.tag.create.taken", "lance.model.rows"],
    on=["CreateTableTag"],
)
declare(
    "tag-case-ignored",
    "Tags are kept in lower case.",
    request_becomes(lambda body: {**body, "tag": str(body.get("tag", "")).lower()} if "tag" in body else body),
    kills=["lance.tag.case", "lance.tag.create.name.upper"],
    on=TAGS[:4],
)
declare(
    "declared-has-tags",
    "A declared table is said to have a tag.",
    answers(200, {"tags": {"x": {"version": 1, "manifestSize": 1}}, "version": 1}),
    kills=["lance.tag.*.declared"],
    on=TAGS,
)
declare(
    "tag-sizes-lost",
    "Tags are listed with a size of 0.",
    body_becomes(
        lambda body: {**body, "tags": {name: {**tag, "manifestSize": 0} for name, tag in body["tags"].items()}}, 200
    ),
    kills=["lance.tag.list.size"],
    on=["ListTableTags"],
)
declare(
    "missing-as-400",
    "What does not exist about tags, versions and transactions is refused as a bad request.",
    status_becomes(404, 400),
    kills=[
        "lance.tag.*.tag_missing",
        "lance.tag.*.missing",
        "lance.tag.*.version_missing",
        "lance.tag.delete.twice",
        "lance.version.*.missing",
        "lance.version.*.version_missing",
        "lance.transaction.*.missing",
    ],
    on=(*TAGS, *VERSIONS, *TRANSACTIONS, "CreateTableVersion", "BatchDeleteTableVersions"),
)
declare(
    "bad-tags-accepted",
    "Bad requests about tags, versions and transactions are answered with success.",
    status_becomes(400, 200),
    kills=[
        "lance.tag.create.no_name.*",
        "lance.tag.body.*",
        "lance.version.body.*",
        "lance.transaction.alter.body.*",
    ],
    on=(*TAGS, *VERSIONS, *TRANSACTIONS),
)

# Versions


def _reversed(body: dict[str, Any]) -> dict[str, Any]:
    return {**body, "versions": body["versions"][::-1]}


declare(
    "versions-mixed",
    "Versions are listed the other way round, and each has the time and the manifest of the first.",
    body_becomes(
        lambda body: _reversed(
            {
                **body,
                "versions": [
                    {**one, "timestamp_millis": 1000 - place, "manifest_path": ""}
                    for place, one in enumerate(body["versions"])
                ],
            }
        ),
        200,
    ),
    kills=["lance.version.list.descending", "lance.version.list.times", "lance.version.list.manifests"],
    on=["ListTableVersions"],
)
declare(
    "versions-ascending",
    "Versions are listed oldest first, whatever is asked for.",
    arguments_lost("descending"),
    kills=["lance.version.list.descending", "lance.version.list.latest"],
    on=["ListTableVersions"],
)
declare(
    "versions-cut",
    "The latest version is not listed.",
    body_becomes(lambda body: {**body, "versions": body["versions"][:-1]}, 200),
    kills=["lance.version.list.all", "lance.listing.shows.list_table_versions"],
    on=["ListTableVersions"],
)
declare(
    "version-described-wrong",
    "Another version is described than the one that was asked for.",
    body_becomes(
        lambda body: {"version": {**body["version"], "version": 1, "manifest_path": "x", "manifest_size": 0}}, 200
    ),
    kills=["lance.version.describe.number", "lance.version.describe.latest", "lance.version.describe.size"],
    on=["DescribeTableVersion"],
)
declare(
    "restore-forgets",
    "RestoreTable is answered with success, but the table stays as it is.",
    answers(200, {}),
    kills=[
        "lance.version.restore.rows",
        "lance.version.restore.new_version",
        "lance.version.restore.columns",
        "lance.version.restore.version_missing",
        "lance.model.rows",
    ],
    on=["RestoreTable"],
)
declare(
    "restore-first",
    "RestoreTable brings the first version back, whichever is asked for.",
    request_becomes(lambda body: {**body, "version": 1} if "version" in body else body),
    kills=["lance.version.restore.undone", "lance.version.restore.rows"],
    on=["RestoreTable"],
)
declare(
    "declared-has-versions",
    "A declared table is said to have a version.",
    answers(200, {"versions": [{"version": 1, "manifest_path": "x"}], "version": {"version": 1, "manifest_path": "x"}}),
    kills=["lance.version.*.declared"],
    on=VERSIONS,
)

# Transactions

declare(
    "transaction-status-wrong",
    "Every transaction is said to have failed.",
    body_becomes(lambda body: {**body, "status": "Failed"}, 200),
    kills=["lance.transaction.describe.status", "lance.transaction.alter.finished"],
    on=["DescribeTransaction"],
)
declare(
    "transaction-properties-lost",
    "Transactions have no properties.",
    fields_lost("properties"),
    kills=["lance.transaction.alter.property", "lance.transaction.alter.order", "lance.transaction.alter.mode.*"],
    on=TRANSACTIONS,
)


def _actions(edit: Any) -> Any:
    return request_becomes(lambda body: {**body, "actions": edit(body["actions"])})


declare(
    "actions-reversed",
    "The actions on a transaction are done the other way round.",
    _actions(lambda actions: actions[::-1]),
    kills=["lance.transaction.alter.order"],
    on=["AlterTransaction"],
)


async def _one_by_one(call: Call, proceed: Proceed) -> Reply:
    """Do the actions one after the other, and stop where one fails."""
    reply = Reply()
    for action in orjson.loads(call.request.body)["actions"]:
        call.request = call.request.altered(body=orjson.dumps({"actions": [action]}))
        reply = await proceed()
        if reply.status != 200:
            break
    return reply


declare(
    "actions-torn",
    "The actions on a transaction are done one by one; those before one that fails stay.",
    _one_by_one,
    kills=["lance.transaction.alter.fail.*"],
    on=["AlterTransaction"],
)
declare(
    "action-conflict-hidden",
    "What an action finds otherwise than it wants is overlooked.",
    status_becomes(409, 200),
    kills=[
        "lance.transaction.alter.fail.*",
        "lance.transaction.alter.finished",
        "lance.transaction.alter.finished_code",
    ],
    on=["AlterTransaction"],
)


def _strict(action: dict[str, Any]) -> dict[str, Any]:
    return {name: {**fields, "mode": "Fail"} for name, fields in action.items()}


declare(
    "actions-strict",
    "Every action fails where a property is otherwise than it wants it.",
    _actions(lambda actions: [_strict(action) for action in actions]),
    kills=["lance.transaction.alter.skip_missing", "lance.transaction.alter.mode.*"],
    on=["AlterTransaction"],
)
