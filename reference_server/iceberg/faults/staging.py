"""Tables that are staged, and created by a commit, carelessly."""

from __future__ import annotations

from typing import Any

from reference_server.context import Reply
from reference_server.faults import Call, Proceed, arguments_lost, body_becomes, content, declare, request_becomes
from reference_server.iceberg.faults.blocks import (
    TABLE_COMMITS,
    TABLES_SHOWN,
    again,
    performed,
    requirements_become,
    table_there,
    updates_lost,
    when,
)
from reference_server.iceberg.metadata.reading import Json

CREATE_TABLE = ["createTable"]

CREATE = "assert-create"


def _elsewhere(body: Json) -> Json:
    return {**body, "name": f"{body['name']}_1"} if body.get("stage-create") else body


def _not_there(found: list[Json]) -> list[Json]:
    return [one for one in found if one.get("type") != CREATE]


def _creates(call: Call) -> bool:
    """True for a commit that creates its table."""
    body = content(call) or {}
    return any(one.get("type") == CREATE for one in body.get("requirements", ()) if isinstance(one, dict))


async def _create_overlooked(call: Call, proceed: Proceed) -> Reply:
    """Overlook assert-create, but where there is no table: there the commit has to create it."""
    if _creates(call) and await table_there(call, proceed):
        return await requirements_become(_not_there)(call, proceed)
    return await proceed()


def _own_file_logged(body: Any) -> Any:
    """Return an answer whose log of metadata files has the present file too."""
    table = body["metadata"]
    own = {"metadata-file": body.get("metadata-location"), "timestamp-ms": table["last-updated-ms"]}
    return {**body, "metadata": {**table, "metadata-log": [*table.get("metadata-log", ()), own]}}


def _alone(found: list[Json]) -> list[Json]:
    return [one for one in found if one.get("type") == CREATE] or found


async def _taken_over(call: Call, proceed: Proceed) -> Reply:
    """Drop the table that has the name of the one to create."""
    await performed(call, proceed, "dropTable")
    return await proceed()


declare(
    "staging-creates",
    "With stage-create the table is created at once.",
    arguments_lost("stage-create"),
    on=CREATE_TABLE,
)
declare(
    "staging-unchecked",
    "A table is staged although its name is taken.",
    again(request_becomes(_elsewhere), 409),
    on=CREATE_TABLE,
)
declare(
    "staged-uuid-lost",
    "A table that a commit creates gets a UUID of its own, not the one that was told before.",
    updates_lost("assign-uuid"),
    on=TABLE_COMMITS,
)
declare(
    "creation-hits-table",
    "A commit that creates a table is applied to the table that has the name.",
    _create_overlooked,
    on=["updateTable"],
)
declare(
    "creation-format-lost",
    "Commits cannot say of which format version a table is.",
    updates_lost("upgrade-format-version"),
    on=TABLE_COMMITS,
)
declare(
    "log-has-own-file",
    "The log of earlier metadata files has the present file too.",
    body_becomes(_own_file_logged, 200),
    on=TABLES_SHOWN,
)
declare(
    "creation-reads-no-further",
    "Beside assert-create other requirements are overlooked.",
    requirements_become(_alone),
    on=TABLE_COMMITS,
)
declare(
    "creation-takes-over",
    "A commit that creates a table takes the place of one that was created since it was staged.",
    when(_creates, again(_taken_over, 409)),
    on=["updateTable"],
)
