"""Commits to views that are applied in part, in another order, or without checking their requirements."""

from __future__ import annotations

from mutants.iceberg.blocks import VIEWS_SHOWN, metadata_become, updates_become, updates_lost
from reference_server.context import Reply
from reference_server.faults import Call, Proceed, content, fault
from reference_server.iceberg.errors import CommitFailed
from reference_server.iceberg.faults.blocks import performed, refuses_when, requirements_become
from reference_server.iceberg.metadata.reading import Json

REPLACE = ["replaceView"]
ASSERT_UUID = "assert-view-uuid"
DROP_ALLOWED = {"action": "set-properties", "updates": {"replace.drop-dialect.allowed": "true"}}


@fault("view-commit-answers-before", on=REPLACE)
async def _as_before(call: Call, proceed: Proceed) -> Reply:
    """A commit to a view is answered with the view as it was before."""
    before = await performed(call, proceed, "loadView")
    reply = await proceed()
    return before if reply.status == 200 else reply


@fault("view-half-committed", on=REPLACE)
async def _half_done(call: Call, proceed: Proceed) -> Reply:
    """Of a commit that is refused, what came before the bad update stays done."""
    # Refuse a commit, and leave what came before the update that failed.
    reply = await proceed()
    body = content(call)
    if reply.status == 400 and body:
        done = {**body, "updates": body["updates"][:-1], "requirements": []}
        await performed(call, proceed, REPLACE[0], done)
    return reply


def _upper_case(call: Call) -> bool:
    asserted = [requirement.get("uuid", "") for requirement in (content(call) or {}).get("requirements", ())]
    return any(uuid != uuid.lower() for uuid in asserted)


def _requires_uuid(call: Call) -> bool:
    return any(requirement.get("type") == ASSERT_UUID for requirement in (content(call) or {}).get("requirements", ()))


def _current_alone(metadata: Json) -> Json:
    current = [version for version in metadata["versions"] if version["version-id"] == metadata["current-version-id"]]
    return {**metadata, "versions": current, "version-log": metadata["version-log"][-1:]}


fault(
    "view-versions-forgotten",
    "A view has its current version and no other, and a history of one entry.",
    on=VIEWS_SHOWN,
)(metadata_become(_current_alone))
fault(
    "view-properties-fixed",
    "The properties of a view cannot be changed, but the commit is answered with success.",
    on=REPLACE,
)(updates_lost("set-properties", "remove-properties"))
fault("view-uuid-to-the-letter", "A UUID in capital letters is another one.", on=REPLACE)(
    refuses_when(_upper_case, CommitFailed("Requirement failed: the UUID is another one."))
)
fault("view-uuid-never-holds", "A commit to a view that requires its UUID is refused.", on=REPLACE)(
    refuses_when(_requires_uuid, CommitFailed("Requirement failed: the UUID is another one."))
)
fault("view-unknown-requirements-skipped", "Requirements that views do not have are not checked.", on=REPLACE)(
    requirements_become(
        lambda requirements: [requirement for requirement in requirements if requirement.get("type") == ASSERT_UUID]
    )
)
fault(
    "view-uuid-reassigned-in-words",
    "The assignment of another UUID to a view is answered with success, and left out.",
    on=REPLACE,
)(updates_lost("assign-uuid"))
fault("view-dialects-dropped", "A version of a view may lack any dialect.", on=REPLACE)(
    updates_become(lambda updates: [DROP_ALLOWED, *updates])
)
