"""What a commit assumes, not checked or checked otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reference_server.context import Reply
from reference_server.errors import CommitFailed, InvalidInput
from reference_server.faults import Call, Proceed, content, declare
from reference_server.iceberg.faults.blocks import (
    TABLE_COMMITS,
    again,
    error_becomes,
    refused,
    refuses_when,
    requirements_become,
    requirements_lost,
)
from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.metadata.requirements import CREATE, TABLE_REQUIREMENTS

REF = "assert-ref-snapshot-id"
CONFLICTS = [
    "iceberg.commit.assert.*.fails",
    "iceberg.commit.assert.one_of_many",
    "iceberg.commit.recreated",
    "iceberg.snapshot.assert_ref",
    "iceberg.transaction.conflict.*",
]
BAD = InvalidInput("The commit cannot be applied.")


def _requires(found: Callable[[Json], Any]) -> Callable[[Call], bool]:
    """Return what tells whether a commit to a table has a requirement of a kind."""
    return lambda call: any(
        found(one) for one in (content(call) or {}).get("requirements", ()) if isinstance(one, dict)
    )


declare(
    "requirements-unchecked",
    "Commits are applied whatever they assume.",
    requirements_lost(*(TABLE_REQUIREMENTS.keys() - {CREATE})),
    kills=[*CONFLICTS, "spark.iceberg.concurrency.stale"],
    on=TABLE_COMMITS,
)
declare(
    "requirements-few",
    "Of what a commit may assume the server knows the state of branches alone.",
    refuses_when(_requires(lambda one: one.get("type") not in (CREATE, REF)), InvalidInput("Unknown requirement")),
    kills=[
        *(f"iceberg.commit.assert.{kind}.holds" for kind in ("table_uuid", "last_*", "current_*", "default_*")),
        "iceberg.commit.assert.uuid_case",
        "iceberg.commit.disjoint",
    ],
    on=["updateTable"],
)
declare(
    "null-ref-refused",
    "That a branch is not there cannot be assumed.",
    refuses_when(
        _requires(lambda one: one.get("snapshot-id", 0) is None), InvalidInput("snapshot-id must not be null")
    ),
    kills=[
        "iceberg.commit.assert.ref_snapshot_id.holds",
        "iceberg.commit.assert.null_ref",
        "iceberg.snapshot.first_append",
        "iceberg.race.commit",
    ],
    on=["updateTable"],
)
declare(
    "commit-conflict-as-400",
    "A commit that comes too late makes a bad request.",
    error_becomes(409, BAD),
    kills=[
        *CONFLICTS,
        "iceberg.commit.create.taken",
        "iceberg.commit.create.late",
        "iceberg.snapshot.stale_sequence",
        "iceberg.transaction.create_taken",
        "iceberg.race.commit",
    ],
    on=TABLE_COMMITS,
)


async def _applied_anyway(call: Call, proceed: Proceed) -> Reply:
    await requirements_become(lambda _: [])(call, proceed)
    return refused(call, CommitFailed("Requirement failed: somebody else has changed the table."))


declare(
    "conflict-after-commit",
    "A commit that comes too late is refused, but applied all the same.",
    again(_applied_anyway, 409),
    kills=[*CONFLICTS, "iceberg.commit.create.taken"],
    on=TABLE_COMMITS,
)
declare(
    "uuid-compared-literally",
    "A UUID in upper case is taken for another one.",
    refuses_when(_requires(lambda one: one.get("uuid", "") != one.get("uuid", "").lower()), CommitFailed("Other UUID")),
    kills=["iceberg.commit.assert.uuid_case"],
    on=["updateTable"],
)
declare(
    "first-requirement-only",
    "Of several requirements only the first is checked.",
    requirements_become(lambda found: found[:1]),
    kills=["iceberg.commit.assert.one_of_many"],
    on=TABLE_COMMITS,
)
declare(
    "unknown-requirements-overlooked",
    "Requirements that the server does not know are taken to hold.",
    requirements_become(lambda found: [one for one in found if one.get("type") in TABLE_REQUIREMENTS]),
    kills=[
        "iceberg.commit.unknown_requirement",
        "iceberg.commit.view_requirement",
        "iceberg.transaction.unknown_requirement",
    ],
    on=TABLE_COMMITS,
)


async def _since_looked(call: Call, proceed: Proceed) -> Reply:
    """Refuse a commit when there was another one since the table was last loaded."""
    changed: set[tuple[str, str]] = call.state.setdefault("commit-needs-look", set())
    table = call.path["namespace"], call.path["table"]
    if call.operation.id == "loadTable":
        changed.discard(table)
        return await proceed()
    if table in changed:
        return refused(call, CommitFailed("The table was changed since it was loaded."))
    changed.add(table)
    return await proceed()


declare(
    "commit-needs-look",
    "Each commit needs another look at the table, whatever it assumes.",
    _since_looked,
    kills=["iceberg.commit.disjoint", "iceberg.commit.log", "iceberg.commit.time"],
    on=["loadTable", "updateTable"],
)
