"""Commits to views that are applied in part, in another order, or without a look at what they require."""

from __future__ import annotations

from reference_server.context import Reply
from reference_server.faults import Call, Proceed, content, fault
from reference_server.iceberg.errors import CommitFailed
from reference_server.iceberg.faults.blocks import (
    VIEWS_SHOWN,
    each_update,
    metadata_become,
    performed,
    refuses_when,
    requirements_become,
    requirements_lost,
    updates_become,
    updates_lost,
)
from reference_server.iceberg.faults.views import last_of_each_dialect
from reference_server.iceberg.metadata.reading import Json

REPLACE = ["replaceView"]

ADD, SET_CURRENT = "add-view-version", "set-current-view-version"

ASSERT_UUID = "assert-view-uuid"

LAST_ADDED, FIRST = -1, 1

KNOWN = (
    *("assign-uuid", "upgrade-format-version", "add-schema", "set-location", "set-properties", "remove-properties"),
    *(ADD, SET_CURRENT),
)

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


def _first_instead(update: Json) -> Json:
    return {**update, "view-version-id": FIRST} if update["view-version-id"] == LAST_ADDED else update


def _first_schema(update: Json) -> Json:
    version = update["view-version"]
    return {**update, "view-version": {**version, "schema-id": max(version["schema-id"], 0)}}


fault(
    "view-updates-backwards", "The updates of a commit to a view are applied from the last to the first.", on=REPLACE
)(updates_become(lambda updates: updates[::-1]))
fault("view-last-added-misread", "The version added last is taken for the first one.", on=REPLACE)(
    each_update(SET_CURRENT, _first_instead)
)
fault(
    "view-versions-forgotten",
    "A view has its current version and no other, and a history of one entry.",
    on=VIEWS_SHOWN,
)(metadata_become(_current_alone))
fault("view-last-schema-misread", "The schema added last is taken for the first one.", on=REPLACE)(
    each_update(ADD, _first_schema)
)
fault(
    "view-location-ignored",
    "The location of a view cannot be changed, but the commit is answered with success.",
    on=REPLACE,
)(updates_lost("set-location"))
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
fault("view-uuid-unchecked", "Commits to a view are applied whatever UUID they require.", on=REPLACE)(
    requirements_lost(ASSERT_UUID)
)
fault("view-unknown-updates-skipped", "Updates that views do not have are left out.", on=REPLACE)(
    updates_become(lambda updates: [update for update in updates if update.get("action") in KNOWN])
)
fault("view-unknown-requirements-skipped", "Requirements that views do not have are not checked.", on=REPLACE)(
    requirements_become(
        lambda requirements: [requirement for requirement in requirements if requirement.get("type") == ASSERT_UUID]
    )
)
fault("view-dialects-overwritten-later", "Of several texts in one dialect a commit keeps the last.", on=REPLACE)(
    each_update(ADD, lambda update: {**update, "view-version": last_of_each_dialect(update["view-version"])})
)
fault(
    "view-uuid-reassigned-in-words",
    "The assignment of another UUID to a view is answered with success, and left out.",
    on=REPLACE,
)(updates_lost("assign-uuid"))
fault("view-dialects-dropped", "A version of a view may lack any dialect.", on=REPLACE)(
    updates_become(lambda updates: [DROP_ALLOWED, *updates])
)
