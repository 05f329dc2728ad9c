"""Scan plans that lose or misdescribe data files and delete files."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import orjson

from mutants.iceberg.blocks import table_there
from reference_server.context import Reply
from reference_server.errors import InvalidInput
from reference_server.faults import Around, Call, Proceed, body_becomes, content, fault
from reference_server.iceberg.faults.blocks import ANSWERS, performed, refuses_when, tasks_become
from reference_server.iceberg.metadata.reading import Json

START = ["planTableScan"]
MAPS = ("column-sizes", "value-counts", "null-value-counts", "nan-value-counts", "lower-bounds", "upper-bounds")
Edit = Callable[[Json], Json]


def files_become(edit: Edit) -> Around:
    """Describe data files as `edit` does."""
    return tasks_become(lambda tasks: [{**task, "data-file": edit(task["data-file"])} for task in tasks])


def deletes_become(edit: Edit) -> Around:
    """Describe delete files as `edit` does."""
    return body_becomes(
        lambda body: {**body, "delete-files": [edit(file) for file in body.get("delete-files") or []]}, 200
    )


def all_files_become(edit: Edit) -> Around:
    """Describe data and delete files as `edit` does."""

    async def around(call: Call, proceed: Proceed) -> Reply:
        return await files_become(edit)(call, lambda: deletes_become(edit)(call, proceed))

    return around


def without(*names: str) -> Edit:
    """Return an edit that removes these fields."""
    return lambda file: {name: value for name, value in file.items() if name not in names}


def _in_each(names: tuple[str, ...], edit: Callable[[list[Any]], list[Any]]) -> Edit:
    """Return an edit of the values of these maps by column."""

    def edited(file: Json) -> Json:
        maps = {name: {**file[name], "values": edit(file[name]["values"])} for name in names if file.get(name)}
        return {**file, **maps}

    return edited


async def _before(call: Call, proceed: Proceed) -> Json | None:
    """Return the plan of the snapshot before the newest one."""
    body, metadata = content(call) or {}, await table_there(call, proceed) or {}
    current = [
        snapshot
        for snapshot in metadata.get("snapshots") or []
        if snapshot["snapshot-id"] == metadata["current-snapshot-id"]
    ]
    parent = current[0].get("parent-snapshot-id") if current and not body else None
    if parent is None:
        return None
    reply = await performed(call, proceed, "planTableScan", {"snapshot-id": parent})
    plan: Json = orjson.loads(reply.body)
    return plan


@fault("scan-removed-files-stay", on=START)
async def _removed_ones_too(call: Call, proceed: Proceed) -> Reply:
    """A scan of the newest snapshot still has the data files and deletes that it removed."""
    # Show what the snapshot before has as it was, and what is new beside it.
    reply, before = await proceed(), await _before(call, proceed)
    if reply.status != 200 or before is None:
        return reply
    now = orjson.loads(reply.body)
    removed = before.get("file-scan-tasks") or []
    known = {task["data-file"]["file-path"] for task in removed}
    fresh = [task for task in now.get("file-scan-tasks") or [] if task["data-file"]["file-path"] not in known]
    tasks = [*removed, *({**task, "delete-file-references": []} for task in fresh)]
    reply.body = orjson.dumps({**now, "file-scan-tasks": tasks, "delete-files": before.get("delete-files") or []})
    return reply


def _from_one(body: Json) -> Json:
    def shifted(task: Json) -> Json:
        return {
            **task,
            "delete-file-references": [reference + 1 for reference in task.get("delete-file-references") or []],
        }

    return {**body, "file-scan-tasks": [shifted(task) for task in body.get("file-scan-tasks") or []]}


def _as_text(file: Json) -> Json:
    return {**file, "partition": [str(value) for value in file["partition"]]}


def _numbered(tasks: list[Json]) -> list[Json]:
    rows = count()
    return [{**task, "data-file": {**task["data-file"], "first-row-id": next(rows)}} for task in tasks]


fault("scan-references-from-one", "References to delete files count from 1.", on=ANSWERS)(body_becomes(_from_one, 200))

fault("scan-partition-text", "Partition values are written as text, whatever their type; null too.", on=ANSWERS)(
    all_files_become(_as_text)
)
fault("scan-maps-uneven", "Maps by column lack their last value.", on=ANSWERS)(
    files_become(_in_each(MAPS, lambda values: values[:-1]))
)
fault("scan-statistics-refused", "No statistics can be had.", on=START)(
    refuses_when(lambda call: "stats-fields" in (content(call) or {}), InvalidInput("No statistics."))
)
fault("scan-keys-lost", "Files are described without what it takes to decrypt them.", on=ANSWERS)(
    files_become(without("key-metadata"))
)
fault("scan-row-ids-from-zero", "The files of an answer are numbered, instead of their rows.", on=ANSWERS)(
    tasks_become(_numbered)
)
