"""Commits that ignore, misread or overstate their requirements and updates."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from mutants.iceberg.blocks import TABLES_SHOWN, metadata_become, requirements_lost
from reference_server.context import Reply
from reference_server.errors import InvalidInput
from reference_server.faults import Call, Proceed, content, fault
from reference_server.iceberg.faults.blocks import (
    COMMIT,
    TABLE_COMMITS,
    again,
    answer_becomes,
    performed,
    refuses_when,
    requirements_become,
)
from reference_server.iceberg.metadata.builder import MAIN
from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.metadata.requirements import CREATE, TABLE_REQUIREMENTS


async def _skipping(call: Call, proceed: Proceed) -> Reply:
    """Commit the updates one by one, and pass over those that fail."""
    body = content(call) or {}
    for update in body["updates"]:
        await performed(call, proceed, "updateTable", {"requirements": [], "updates": [update]})
    return await performed(call, proceed, "updateTable", {"requirements": [], "updates": []})


_seconds = itertools.count(0, 1000)

fault("metadata-file-reused", "Every commit writes to the same metadata file.", on=TABLES_SHOWN)(
    answer_becomes(metadata_location=lambda location: f"{location.rpartition('/')[0]}/v1.metadata.json")
)
fault("metadata-log-lost", "Nobody notes which metadata files a table had before.", on=TABLES_SHOWN)(
    metadata_become(lambda table: {**table, "metadata-log": []})
)
fault("bad-updates-skipped", "Updates that cannot be applied are passed over.", on=COMMIT)(again(_skipping, 400))
fault("clock-runs-back", "Each time that a table is shown it was last changed a second earlier.", on=TABLES_SHOWN)(
    metadata_become(lambda table: {**table, "last-updated-ms": table["last-updated-ms"] - next(_seconds)})
)

REF = "assert-ref-snapshot-id"


def _requires(wanted: Callable[[Json], Any]) -> Callable[[Call], bool]:
    """Return a test for commits that have a requirement of a kind."""
    return lambda call: any(
        wanted(requirement)
        for requirement in (content(call) or {}).get("requirements", ())
        if isinstance(requirement, dict)
    )


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
    "Requirements of a commit on branches and tags other than main are not checked.",
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
