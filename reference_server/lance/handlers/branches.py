"""ListTableBranches, CreateTableBranch, DeleteTableBranch."""

from __future__ import annotations

from typing import Any

from reference_server.errors import InvalidInput
from reference_server.lance.catalog.branch_names import MAIN, check_branch_name, location_of
from reference_server.lance.catalog.branches import branches_of, on_branch
from reference_server.lance.catalog.recovery import current_table
from reference_server.lance.context import LanceContext
from reference_server.lance.data.refs import listed
from reference_server.lance.errors import TableBranchAlreadyExists, TableBranchNotFound
from reference_server.pagination import take_named_page

Answer = dict[str, Any]


async def list_table_branches(context: LanceContext) -> Answer:
    """List the branches of a table, by name; the main one is not listed."""
    branches = await branches_of(context, await current_table(context, context.table_id))
    scope = f"branches {'$'.join(context.id)}".encode()
    page = take_named_page(branches, scope, context.query("page_token"), context.query("limit"), context.page_size)
    return {"branches": {name: _contents(entry) for name, entry in page.items}, "page_token": page.token}


async def create_table_branch(context: LanceContext) -> Answer:
    """Create a branch from a version of another branch, by default from the latest version of the main one.

    Raises TableBranchNotFound and TableVersionNotFound for its start, TableBranchAlreadyExists.
    """
    name, source, version = context.body["name"], context.body.get("from_branch"), context.number("from_version")
    check_branch_name(name)
    table = await current_table(context, context.table_id)
    start = await on_branch(context, table, source, TableBranchNotFound)
    if version is not None and start.created:
        await context.run(context.data.versions(start.location).listed, version)

    def create(dataset: Any) -> None:
        if name in listed(dataset.branches):
            raise TableBranchAlreadyExists(f"The table has a branch {name!r} already.")
        context.data.clear_branch(location_of(table.location, name))
        dataset.create_branch(name, (None if source == MAIN else source, version))

    await context.change(table, create)
    return {}


async def delete_table_branch(context: LanceContext) -> Answer:
    """Delete a branch with its versions.

    Raises TableBranchNotFound, and InvalidTableState while other branches or tags need it.
    """
    name = context.body["name"]
    if name == MAIN:
        raise InvalidInput("The main branch is the table itself; DropTable removes it.")
    table = await current_table(context, context.table_id)
    await on_branch(context, table, name, TableBranchNotFound)

    def delete(dataset: Any) -> None:
        if name not in listed(dataset.branches):
            raise TableBranchNotFound(f"The table has no branch {name!r}.")
        dataset.branches.delete(name)
        context.data.clear_branch(location_of(table.location, name))

    await context.change(table, delete)
    return {}


def _contents(branch: dict[str, Any]) -> Answer:
    """Return a branch as BranchContents."""
    parent = branch["parent_branch"]
    contents = {
        "parentVersion": branch["parent_version"],
        "createAt": branch["create_at"],
        "manifestSize": branch["manifest_size"],
        "metadata": branch["metadata"],
    }
    return contents if parent is None else {**contents, "parentBranch": parent}
