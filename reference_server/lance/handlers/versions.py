"""ListTableVersions, DescribeTableVersion, CreateTableVersion, BatchDeleteTableVersions, RestoreTable."""

from __future__ import annotations

from typing import Any

from reference_server.errors import InvalidInput
from reference_server.lance.catalog.branch_names import MAIN
from reference_server.lance.catalog.branches import chosen_table
from reference_server.lance.catalog.dataset_files import VersionName
from reference_server.lance.catalog.entries import Record, Table
from reference_server.lance.catalog.version_files import TOLD, VersionFile
from reference_server.lance.catalog.version_names import V1, V2, manifest_name, scheme_of
from reference_server.lance.catalog.version_ranges import versions_in
from reference_server.lance.context import LanceContext
from reference_server.lance.errors import ConcurrentModification, TableVersionNotFound
from reference_server.lance.handlers.transactions import transaction_of
from reference_server.pagination import take_page

Answer = dict[str, Any]
SCHEMES = (V1, V2)


async def list_table_versions(context: LanceContext) -> Answer:
    """List the versions of a table, oldest first unless the request reverses the order."""
    table = await chosen_table(context)
    descending = bool(context.query("descending"))
    files = context.data.versions(table.location)

    def fetch(after: bytes | None, count: int) -> list[tuple[bytes, VersionName]]:
        last = None if after is None else _number(after)
        return [(_key(version.version), version) for version in files.page(last, count, descending=descending)]

    scope = f"versions {descending} {'$'.join(context.id)} {context.branch or MAIN}".encode()
    token, limit = context.query("page_token"), context.query("limit")
    page = await context.run(take_page, scope, token, limit, context.page_size, fetch)
    return {"versions": await _described(context, table, page.items), "page_token": page.token}


async def describe_table_version(context: LanceContext) -> Answer:
    """Return one version of a table, by default the latest one."""
    table = await chosen_table(context)
    files = context.data.versions(table.location)
    number = context.number("version")
    if number is None:
        chosen = await context.run(files.page, None, 1, descending=True)
    else:
        chosen = [await context.run(files.listed, number)]
    if not chosen:
        raise TableVersionNotFound("The table has no listed version.")
    return {"version": (await _described(context, table, chosen))[0]}


async def _described(context: LanceContext, table: Table, versions: list[VersionName]) -> list[Answer]:
    """Return versions as TableVersion."""
    files = context.data.versions(table.location)
    described = await context.run(files.described, versions)
    records = await context.run(files.records, versions)
    return [describe(context, table, version, records.get(version.version, {})) for version in described]


async def create_table_version(context: LanceContext) -> Answer:
    """Create a version from a manifest that the client has staged. Raises ConcurrentModification if it exists."""
    path, version = context.table_id, context.body["version"]
    table = await chosen_table(context)
    async with context.changing(table):
        record = await staged_version(context, table, context.body)
        files = context.data.versions(table.location)
        await context.run(files.put, version, record.pop("staged"), record["naming_scheme"], record)
    if context.branch in (None, MAIN):  # the catalog's records of versions have no place for a branch
        await context.catalog.finalize_versions(path, {version: record})
    made = await context.run(files.find, version)
    assert made is not None, "its manifest was put in its place"
    (described,) = await context.run(files.described, [made])
    return {"version": describe(context, table, described, record)}


async def batch_delete_table_versions(context: LanceContext) -> Answer:
    """Delete the records of versions in ranges; the rows of the table stay."""
    path = context.table_id
    table = await chosen_table(context)
    async with context.changing(table):
        files = context.data.versions(table.location)
        chosen = await context.run(versions_in, files, context.body["ranges"])
        await context.run(files.delete, [version.version for version in chosen])
    if context.branch in (None, MAIN):
        await context.catalog.finalize_versions(path, {version.version: None for version in chosen})
    return {"deleted_count": len(chosen)}


async def restore_table(context: LanceContext) -> Answer:
    """Restore an earlier version as a new latest version."""
    table = await chosen_table(context)
    version = context.number("version")

    def restore(dataset: Any) -> Answer:
        restored = dataset.checkout_version(version)
        restored.restore()
        return transaction_of(context, restored)  # of this change: others may change the table right after it

    return await context.change(table, restore, version)


# Used by batches too


async def staged_version(context: LanceContext, table: Table, body: dict[str, Any]) -> Record:
    """Return the record of a version to create: the place of its staged manifest, and the client's information.

    Raises ConcurrentModification for an existing version, InvalidInput for a missing manifest and for an unknown naming
    scheme.
    """
    scheme = body.get("naming_scheme", V2)
    if scheme not in SCHEMES:
        raise InvalidInput(f"The naming_scheme must be one of {', '.join(SCHEMES)}, not {scheme!r}.")
    files = context.data.versions(table.location)
    present = await context.run(files.manifests)
    if await context.run(files.find, body["version"]) is not None:
        raise ConcurrentModification(f"The table has a version {body['version']} already.")
    if present:
        scheme = scheme_of(present[-1].file)
    staged = context.data.name_below(table.location, body["manifest_path"])
    if staged == manifest_name(body["version"], scheme) or not files.exists(staged):
        raise InvalidInput(f"There is no staged manifest at {body['manifest_path']!r}.")
    return {**{name: body[name] for name in TOLD if name in body}, "staged": staged, "naming_scheme": scheme}


def describe(context: LanceContext, table: Table, version: VersionFile, record: Record) -> Answer:
    """Return a version as TableVersion; `record` is the client's information from its creation."""
    answer = {
        "version": version.version,
        "manifest_path": f"{context.data.object_path(table.location)}/{version.name}",
        "manifest_size": version.size or record.get("manifest_size"),
        "e_tag": record.get("e_tag", version.e_tag),
        "timestamp_millis": version.millis,
        "metadata": record.get("metadata"),
    }
    return {name: value for name, value in answer.items() if value is not None}


def _key(version: int) -> bytes:
    """Return the key of a page's last version, for its token."""
    return str(version).encode()


def _number(key: bytes) -> int:
    """Return the version in a page token. Raises InvalidInput for another token."""
    try:
        return int(key)
    except ValueError:
        raise InvalidInput("This server did not issue the page token.") from None
