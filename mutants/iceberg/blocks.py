"""Building blocks of the Iceberg faults here, beside those of the server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.faults import Around, Call, Proceed, content
from reference_server.iceberg.faults.blocks import (
    answer_becomes,
    commits_become,
    edited_at,
    of_objects,
    performed,
    requirements_become,
)
from reference_server.iceberg.metadata.reading import Json

TABLES_SHOWN = ("createTable", "loadTable", "registerTable", "updateTable")
VIEWS_SHOWN = ("createView", "loadView", "registerView", "replaceView")


def metadata_become(edit: Callable[[Json], Json]) -> Around:
    """Show other metadata of a table or view than there are, wherever an answer has any."""
    return answer_becomes(metadata=edit)


def when(wanted: Callable[[Call], bool], around: Around) -> Around:
    """Misbehave where the call is of this kind."""

    async def chosen(call: Call, proceed: Proceed) -> Reply:
        return await (around(call, proceed) if wanted(call) else proceed())

    return chosen


def updates_of(call: Call) -> list[Json]:
    """Return the updates of a commit that are objects; a body without a list of them has none."""
    updates = (content(call) or {}).get("updates")
    return [update for update in updates if isinstance(update, dict)] if isinstance(updates, list) else []


def updates_become(edit: Callable[[list[Json]], list[Json]]) -> Around:
    """Apply what `edit` makes of the updates of a commit."""
    return commits_become(lambda commit: edited_at(commit, "updates", of_objects(edit)))


def each_update(action: str, edit: Callable[[Json], Json]) -> Around:
    """Apply what `edit` makes of every update of this action."""
    return updates_become(
        lambda updates: [edit(update) if update.get("action") == action else update for update in updates]
    )


def updates_lost(*actions: str) -> Around:
    """Leave out the updates with these actions, as a server does that does not know them."""
    return updates_become(lambda updates: [update for update in updates if update.get("action") not in actions])


def requirements_lost(*types: str) -> Around:
    """Do not check requirements of these types."""
    return requirements_become(
        lambda requirements: [requirement for requirement in requirements if requirement.get("type") not in types]
    )


async def table_there(call: Call, proceed: Proceed, **path: Any) -> Json | None:
    """Return the metadata of the table that a path names, that of the call unless told otherwise; None without one."""
    reply = await performed(call, proceed, "loadTable", **path)
    metadata: Json | None = orjson.loads(reply.body)["metadata"] if reply.status == 200 else None
    return metadata


def request_follows(edit: Callable[[Json, Json], Json]) -> Around:
    """Send the body that `edit` makes of a request on one table, given the metadata of the table before."""

    async def around(call: Call, proceed: Proceed) -> Reply:
        body, before = content(call), await table_there(call, proceed)
        if body is not None and before is not None:
            call.request = call.request.altered(body=orjson.dumps(edit(body, before)))
        return await proceed()

    return around
