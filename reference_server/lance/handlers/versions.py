"""ListTableVersions, DescribeTableVersion, CreateTableVersion, BatchDeleteTableVersions, RestoreTable."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from reference_server.errors import ConcurrentModification, InvalidInput, TableVersionNotFound
from reference_server.lance.catalog.catalog import Record, Table
from reference_server.lance.catalog.keys import VERSION
from reference_server.lance.catalog.recovery import current_table, settle_absence
from reference_server.lance.catalog.version_files import V2_DIGITS, VersionFile, manifest_name
from reference_server.lance.context import LanceContext
from reference_server.lance.handlers.transactions import transaction_id
from reference_server.pagination import take_page

Answer = dict[str, Any]
KEPT = ("manifest_size", "e_tag", "metadata")
NO_END = -1
LAST = 2**64 - 1
DIGITS = len(str(LAST))


async def list_table_versions(context: LanceContext) -> Answer:
    """List the versions of a table, oldest first unless the newest is wanted first."""
    table = await current_table(context, context.table_id)
    descending = bool(context.query("descending"))
    found = await context.run(context.data.versions(table.location).all)
    by_key = {_sort_key(one.version, descending=descending): one for one in found}

    def fetch(after: bytes | None, count: int) -> list[tuple[bytes, VersionFile]]:
        keys = sorted(key for key in by_key if after is None or key > after)
        return [(key, by_key[key]) for key in keys[:count]]

    scope = f"versions {descending} {'$'.join(context.id)}".encode()
    page = take_page(scope, context.query("page_token"), context.query("limit"), context.page_size, fetch)
    records = context.catalog.versions(VERSION, context.id)
    versions = [describe(context, table, one, records.get(one.version, {})) for one in page.items]
    return {"versions": versions, "page_token": page.token}


async def describe_table_version(context: LanceContext) -> Answer:
    """Describe one version of a table, the latest one unless another is asked for."""
    table = await current_table(context, context.table_id)
    found = await context.run(context.data.versions(table.location).all)
    wanted = context.number("version")
    chosen = [one for one in found if one.version == wanted] if wanted is not None else found[-1:]
    if not chosen:
        raise TableVersionNotFound(f"The table has no version {'yet' if wanted is None else wanted}.")
    record = context.catalog.versions(VERSION, context.id).get(chosen[0].version, {})
    return {"version": describe(context, table, chosen[0], record)}


async def create_table_version(context: LanceContext) -> Answer:
    """Make a version of a manifest that the client has staged, unless the table has that version."""
    path, version = context.table_id, context.body["version"]
    table = await current_table(context, path)
    async with context.alone(path):
        record = await staged_version(context, table, context.body)
        v2 = record["naming_scheme"] == "V2"
        files = context.data.versions(table.location)
        await context.run(files.put, version, record.pop("staged"), v2=v2)
    await context.catalog.settle_versions(path, {version: record})
    made = next(one for one in await context.run(files.all) if one.version == version)
    return {"version": describe(context, table, made, record)}


async def batch_delete_table_versions(context: LanceContext) -> Answer:
    """Delete versions in ranges; the data that they refer to stay."""
    path = context.table_id
    table = await current_table(context, path)
    async with context.alone(path):
        files = context.data.versions(table.location)
        chosen = in_ranges(await context.run(files.all), context.body["ranges"])
        await context.run(files.delete, chosen)
    await context.catalog.settle_versions(path, {one.version: None for one in chosen})
    await settle_absence(context, path, table)
    return {"deleted_count": len(chosen)}


async def restore_table(context: LanceContext) -> Answer:
    """Make an earlier version the latest one again, as a new version."""
    table = await current_table(context, context.table_id)
    version = context.version
    await context.change(table, lambda dataset: dataset.checkout_version(version).restore())
    return await transaction_id(context, table)


# What batches need too


async def staged_version(context: LanceContext, table: Table, body: dict[str, Any]) -> Record:
    """Return the record of a version to be made: where its manifest is staged, and what is said about it.

    Raises ConcurrentModification when the table has the version, InvalidInput when nothing is staged.
    """
    files = context.data.versions(table.location)
    present = await context.run(files.all)
    if any(one.version == body["version"] for one in present):
        raise ConcurrentModification(f"The table has a version {body['version']} already.")
    v2 = _uses_v2(present) if present else body.get("naming_scheme", "V2") != "V1"
    staged = context.data.name_below(table.location, body["manifest_path"])
    if staged == manifest_name(body["version"], v2=v2) or not files.exists(staged):
        raise InvalidInput(f"There is no staged manifest at {body['manifest_path']!r}.")
    kept = {name: body[name] for name in KEPT if body.get(name) is not None}
    return {**kept, "staged": staged, "naming_scheme": "V2" if v2 else "V1"}


def describe(context: LanceContext, table: Table, one: VersionFile, record: Record) -> Answer:
    """Return a version as TableVersion."""
    answer = {
        "version": one.version,
        "manifest_path": f"{context.data.object_path(table.location)}/{one.name}",
        "manifest_size": one.size,
        "e_tag": one.e_tag,
        "timestamp_millis": one.millis,
        "metadata": record.get("metadata"),
    }
    return {name: value for name, value in answer.items() if value is not None}


def in_ranges(versions: Iterable[VersionFile], ranges: list[dict[str, int]]) -> list[VersionFile]:
    """Return the versions that lie in one of the ranges: from a start to before an end, -1 for no end.

    Raises InvalidInput for a range that ends before it starts.
    """
    for one in ranges:
        if one["start_version"] < 0 or (one["end_version"] != NO_END and one["end_version"] < one["start_version"]):
            raise InvalidInput(f"The range from {one['start_version']} to {one['end_version']} is none.")

    def wanted(version: int) -> bool:
        return any(
            one["start_version"] <= version and (one["end_version"] == NO_END or version < one["end_version"])
            for one in ranges
        )

    return [one for one in versions if wanted(one.version)]


def _sort_key(version: int, *, descending: bool) -> bytes:
    return f"{LAST - version if descending else version:0{DIGITS}}".encode()


def _uses_v2(versions: list[VersionFile]) -> bool:
    name = versions[-1].name.rpartition("/")[2]
    return len(name.partition(".")[0]) == V2_DIGITS
