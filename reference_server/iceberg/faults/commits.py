"""What happens to commits between client and catalog."""

from __future__ import annotations

from reference_server.context import Reply
from reference_server.errors import CatalogError
from reference_server.faults import Call, Proceed, fault
from reference_server.iceberg.errors import CommitFailed, CommitStateUnknown, render_error

COMMITS = ("updateTable", "commitTransaction", "replaceView")


@fault("commit-state-unknown", on=COMMITS)
async def _state_unknown(call: Call, proceed: Proceed) -> Reply:
    """A commit is carried out, but answered with 500: its state is unknown."""
    # Carry out the commit, and answer as if nobody knew whether it was.
    await proceed()
    return _refused(call, CommitStateUnknown("The answer of the storage to the commit was lost."))


@fault("commit-conflict", on=COMMITS)
async def _conflict(call: Call, _proceed: Proceed) -> Reply:
    """A commit is answered with 409 and not carried out."""
    return _refused(call, CommitFailed("Requirement failed: somebody else has changed the table."))


def _refused(call: Call, error: CatalogError) -> Reply:
    return render_error(error, call.request)
