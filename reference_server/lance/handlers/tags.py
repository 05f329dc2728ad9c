"""ListTableTags, GetTableTagVersion, CreateTableTag, UpdateTableTag, DeleteTableTag."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from reference_server.errors import InvalidInput
from reference_server.lance.catalog.branch_names import MAIN
from reference_server.lance.catalog.branches import chosen_table
from reference_server.lance.catalog.recovery import current_table
from reference_server.lance.context import LanceContext
from reference_server.lance.data.refs import listed
from reference_server.lance.errors import TableTagAlreadyExists, TableTagNotFound
from reference_server.pagination import take_named_page

Answer = dict[str, Any]
# Lance accepts letters beyond ASCII, and then cannot read any tag of the table.
NAME = re.compile("[A-Za-z0-9._-]{1,200}")


async def list_table_tags(context: LanceContext) -> Answer:
    """List the tags of a table with their versions."""
    table = await current_table(context, context.table_id)
    tags: dict[str, Any] = await context.read(table, lambda dataset: listed(dataset.tags))
    scope = f"tags {'$'.join(context.id)}".encode()
    page = take_named_page(tags, scope, context.query("page_token"), context.query("limit"), context.page_size)
    return {"tags": {name: _contents(entry) for name, entry in page.items}, "page_token": page.token}


async def get_table_tag_version(context: LanceContext) -> Answer:
    """Return the version of a tag, and its branch unless it is the main one."""
    table = await current_table(context, context.table_id)
    name = context.body["tag"]
    tag = await context.read(table, lambda dataset: find_tag(dataset, name))
    return {"version": tag["version"], **({"branch": tag["branch"]} if tag.get("branch") else {})}


async def create_table_tag(context: LanceContext) -> Answer:
    """Create a tag for a version."""
    tag = context.body["tag"]
    check_name(tag)
    target = await _target(context)

    def create(dataset: Any) -> None:
        if tag in listed(dataset.tags):
            raise TableTagAlreadyExists(f"The table has a tag {tag!r} already.")
        dataset.tags.create(tag, target)

    return await _change(context, create)


async def update_table_tag(context: LanceContext) -> Answer:
    """Move a tag to another version."""
    tag, target = context.body["tag"], await _target(context)

    def update(dataset: Any) -> None:
        find_tag(dataset, tag)
        dataset.tags.update(tag, target)

    return await _change(context, update)


async def delete_table_tag(context: LanceContext) -> Answer:
    """Delete a tag; the version stays."""
    tag = context.body["tag"]

    def delete(dataset: Any) -> None:
        find_tag(dataset, tag)
        dataset.tags.delete(tag)

    return await _change(context, delete)


def check_name(tag: str) -> None:
    """Raise InvalidInput for a name that Lance cannot store; Lance itself rejects other invalid names."""
    if not NAME.fullmatch(tag):
        raise InvalidInput(f"The tag {tag[:200]!r} is not 1 to 200 of the characters A-Z, a-z, 0-9, '.', '-' and '_'.")


async def _target(context: LanceContext) -> tuple[str | None, int]:
    """Return the branch, None for the main one, and the version to tag. Raises TableVersionNotFound."""
    table = await chosen_table(context)
    version: int = context.body["version"]
    if table.created:
        await context.run(context.data.versions(table.location).listed, int(version))
    return None if context.branch == MAIN else context.branch, int(version)


async def _change(context: LanceContext, function: Callable[[Any], None]) -> Answer:
    await context.change(await current_table(context, context.table_id), function)
    return {}


def find_tag(dataset: Any, tag: str) -> dict[str, Any]:
    """Return the attributes of a tag. Raises TableTagNotFound."""
    stored: dict[str, Any] | None = listed(dataset.tags).get(tag)
    if stored is None:
        raise TableTagNotFound(f"The table has no tag {tag!r}.")
    return stored


def _contents(tag: dict[str, Any]) -> Answer:
    contents = {"version": tag["version"], "manifestSize": tag["manifest_size"]}
    return {**contents, "branch": tag["branch"]} if tag.get("branch") else contents
