"""What a commit assumes, not checked or checked otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reference_server.context import Reply
from reference_server.errors import InvalidInput
from reference_server.faults import Call, Proceed, content, fault
from reference_server.iceberg.errors import CommitFailed
from reference_server.iceberg.faults.blocks import (
    TABLE_COMMITS,
    again,
    refused,
    refuses_when,
    requirements_become,
    requirements_lost,
)
from reference_server.iceberg.metadata.builder import MAIN
from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.metadata.requirements import CREATE, TABLE_REQUIREMENTS

REF = "assert-ref-snapshot-id"


def _requires(wanted: Callable[[Json], Any]) -> Callable[[Call], bool]:
    """Return what tells whether a commit to a table has a requirement of a kind."""
    return lambda call: any(
        wanted(requirement)
        for requirement in (content(call) or {}).get("requirements", ())
        if isinstance(requirement, dict)
    )


async def _applied_anyway(call: Call, proceed: Proceed) -> Reply:
    await requirements_become(lambda _: [])(call, proceed)
    return refused(call, CommitFailed("Requirement failed: somebody else has changed the table."))


@fault("commit-needs-look", on=["loadTable", "updateTable"])
async def _since_looked(call: Call, proceed: Proceed) -> Reply:
    """Each commit needs another look at the table, whatever it assumes."""
    # Refuse a commit when there was another one since the table was last loaded.
    changed: set[tuple[str, str]] = call.state.setdefault("commit-needs-look", set())
    table = call.path["namespace"], call.path["table"]
    if call.operation.id == "loadTable":
        changed.discard(table)
        return await proceed()
    if table in changed:
        return refused(call, CommitFailed("The table was changed since it was loaded."))
    changed.add(table)
    return await proceed()


fault("requirements-unchecked", "Commits are applied whatever they assume.", on=TABLE_COMMITS)(
    requirements_lost(*(TABLE_REQUIREMENTS.keys() - {CREATE}))
)
fault(
    "requirements-few", "Of what a commit may assume the server knows the state of branches alone.", on=["updateTable"]
)(
    refuses_when(
        _requires(lambda requirement: requirement.get("type") not in (CREATE, REF)), InvalidInput("Unknown requirement")
    )
)
fault("null-ref-refused", "That a branch is not there cannot be assumed.", on=["updateTable"])(
    refuses_when(
        _requires(lambda requirement: requirement.get("snapshot-id", 0) is None),
        InvalidInput("snapshot-id must not be null"),
    )
)
fault("conflict-after-commit", "A commit that comes too late is refused, but applied all the same.", on=TABLE_COMMITS)(
    again(_applied_anyway, 409)
)
fault("uuid-compared-literally", "A UUID in upper case is taken for another one.", on=["updateTable"])(
    refuses_when(
        _requires(lambda requirement: requirement.get("uuid", "") != requirement.get("uuid", "").lower()),
        CommitFailed("Other UUID"),
    )
)
fault("first-requirement-only", "Of several requirements only the first is checked.", on=TABLE_COMMITS)(
    requirements_become(lambda requirements: requirements[:1])
)
fault(
    "unknown-requirements-overlooked", "Requirements that the server does not know are taken to hold.", on=TABLE_COMMITS
)(
    requirements_become(
        lambda requirements: [
            requirement for requirement in requirements if requirement.get("type") in TABLE_REQUIREMENTS
        ]
    )
)
fault(
    "requirements-of-main-alone",
    "What a commit assumes of branches and tags beside main is not checked.",
    on=TABLE_COMMITS,
)(
    requirements_become(
        lambda requirements: [
            requirement
            for requirement in requirements
            if requirement.get("type") != REF or requirement.get("ref") == MAIN
        ]
    )
)
