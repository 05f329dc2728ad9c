"""Names that stay taken after what had them was dropped."""

from __future__ import annotations

from typing import Any

from reference_server.context import Reply
from reference_server.errors import TableAlreadyExists
from reference_server.faults import Call, Proceed, content, fault
from reference_server.iceberg.faults.blocks import refused
from specs.identifiers import UNIT_SEPARATOR

DROPS = {"dropTable": "table", "dropView": "view"}
TAKERS = {"createTable": "view", "createView": "table", "renameView": "view"}  # what had the name before


def _taken(call: Call) -> tuple[str, str]:
    """Return the namespace and the name that a creation or a rename asks for."""
    body: dict[str, Any] = content(call) or {}
    if "destination" in body:
        return UNIT_SEPARATOR.join(body["destination"]["namespace"]), body["destination"]["name"]
    return call.path["namespace"], str(body.get("name"))


@fault("dropped-names-blocked", on=[*DROPS, *TAKERS])
async def _blocked(call: Call, proceed: Proceed) -> Reply:
    """The name of a dropped table is not free for a view, that of a dropped view for no table and no renamed view."""
    dropped: set[tuple[str, str, str]] = call.state.setdefault("dropped-names-blocked", set())
    operation = call.operation.id
    if operation in TAKERS and (TAKERS[operation], *_taken(call)) in dropped:
        return refused(call, TableAlreadyExists("The name is taken."))
    reply = await proceed()
    if operation in DROPS and reply.status == 204:
        dropped.add((DROPS[operation], call.path["namespace"], call.path[DROPS[operation]]))
    return reply
