"""Staged tables, and the commits that create them, handled wrongly."""

from __future__ import annotations

from typing import Any

from mutants.iceberg.blocks import TABLES_SHOWN, table_there, updates_become, updates_lost, when
from reference_server.context import Reply
from reference_server.faults import Call, Proceed, body_becomes, content, fault, request_becomes
from reference_server.iceberg.faults.blocks import TABLE_COMMITS, again, performed, requirements_become
from reference_server.iceberg.metadata.reading import Json

CREATE_TABLE = ["createTable"]
CREATE = "assert-create"


def _elsewhere(body: Json) -> Json:
    return {**body, "name": f"{body['name']}_1"} if body.get("stage-create") else body


def _not_there(requirements: list[Json]) -> list[Json]:
    return [requirement for requirement in requirements if requirement.get("type") != CREATE]


def _bare(update: Json) -> Json:
    """Return an update that adds a spec or an order without fields, where it adds one; any other as it is."""
    lost = {"spec": {"spec-id": 0, "fields": []}, "sort-order": {"order-id": 0, "fields": []}}
    return {**update, **{name: empty for name, empty in lost.items() if name in update}}


def _creates(call: Call) -> bool:
    """True for a commit that creates its table."""
    body = content(call) or {}
    return any(
        requirement.get("type") == CREATE
        for requirement in body.get("requirements", ())
        if isinstance(requirement, dict)
    )


@fault("creation-hits-table", on=["updateTable"])
async def _create_overlooked(call: Call, proceed: Proceed) -> Reply:
    """A commit that creates a table is applied to the table that has the name."""
    # Overlook assert-create, but where there is no table: there the commit has to create it.
    if _creates(call) and await table_there(call, proceed):
        return await requirements_become(_not_there)(call, proceed)
    return await proceed()


def _own_file_logged(body: Any) -> Any:
    """Return an answer whose log of metadata files has the present file too."""
    table = body["metadata"]
    own = {"metadata-file": body.get("metadata-location"), "timestamp-ms": table["last-updated-ms"]}
    return {**body, "metadata": {**table, "metadata-log": [*table.get("metadata-log", ()), own]}}


def _alone(requirements: list[Json]) -> list[Json]:
    return [requirement for requirement in requirements if requirement.get("type") == CREATE] or requirements


async def _taken_over(call: Call, proceed: Proceed) -> Reply:
    """Drop the table that has the name of the one to create."""
    await performed(call, proceed, "dropTable")
    return await proceed()


fault("staging-unchecked", "A table is staged although its name is taken.", on=CREATE_TABLE)(
    again(request_becomes(_elsewhere), 409)
)
fault(
    "staged-uuid-lost",
    "A table that a commit creates gets another UUID than the staged one.",
    on=TABLE_COMMITS,
)(updates_lost("assign-uuid"))
fault("creation-format-lost", "Commits cannot say of which format version a table is.", on=TABLE_COMMITS)(
    updates_lost("upgrade-format-version")
)
fault("log-has-own-file", "The log of earlier metadata files has the present file too.", on=TABLES_SHOWN)(
    body_becomes(_own_file_logged, 200)
)
fault("creation-reads-no-further", "Beside assert-create other requirements are overlooked.", on=TABLE_COMMITS)(
    requirements_become(_alone)
)
fault(
    "creation-takes-over",
    "A commit that creates a table takes the place of one that was created since it was staged.",
    on=["updateTable"],
)(when(_creates, again(_taken_over, 409)))
fault(
    "staged-layout-lost",
    "The commit that creates a staged table leaves it neither partitioned nor sorted.",
    on=["updateTable"],
)(when(_creates, updates_become(lambda updates: [_bare(update) for update in updates])))
