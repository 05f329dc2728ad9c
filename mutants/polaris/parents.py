"""Wrong answers where the parents of a namespace, or the catalog, do not exist."""

from __future__ import annotations

from mutants.polaris.blocks import by_root
from reference_server.context import Reply
from reference_server.errors import InvalidInput
from reference_server.faults import Call, Proceed, fault
from reference_server.iceberg.faults.blocks import refused
from specs.identifiers import UNIT_SEPARATOR

GENERIC = ["createGenericTable", "loadGenericTable", "listGenericTables", "dropGenericTable"]
POLICIES = ["createPolicy", "loadPolicy", "listPolicies", "updatePolicy", "dropPolicy", "attachPolicy", "detachPolicy"]
CONTENTS = [*GENERIC, *POLICIES, "getApplicablePolicies"]
ABSENT = InvalidInput("The name is wrong.")


def _levels(call: Call) -> list[str]:
    """Return the levels of the namespace of a call, in its path or its query."""
    joined = call.path.get("namespace") or call.request.query.get("namespace", [""])[-1]
    return joined.split(UNIT_SEPARATOR) if joined else []


async def _exists(call: Call, proceed: Proceed, levels: list[str]) -> bool:
    return bool(await by_root(call, proceed, "loadNamespaceMetadata", at={"namespace": UNIT_SEPARATOR.join(levels)}))


@fault("missing-parents-as-bad-requests", on=CONTENTS)
async def _bad_parents(call: Call, proceed: Proceed) -> Reply:
    """A namespace whose parent does not exist is a bad request."""
    reply, levels = await proceed(), _levels(call)
    if reply.status == 404 and len(levels) > 1 and not await _exists(call, proceed, levels[:-1]):
        return refused(call, ABSENT)
    return reply


@fault("parents-made-on-the-way", on=["createGenericTable", "createPolicy"])
async def _made(call: Call, proceed: Proceed) -> Reply:
    """The namespaces that a new object needs are created with it."""
    reply, levels = await proceed(), _levels(call)
    if reply.status == 404:
        for depth in range(1, len(levels) + 1):
            body = {"namespace": levels[:depth], "properties": {}}
            await by_root(call, proceed, "createNamespace", body)
        reply = await proceed()
    return reply


@fault("missing-catalogs-as-bad-requests", on=CONTENTS)
async def _bad_catalogs(call: Call, proceed: Proceed) -> Reply:
    """A catalog that does not exist is a bad request."""
    reply = await proceed()
    known = reply.status != 404 or await by_root(call, proceed, "getCatalog", at={"catalogName": call.path["prefix"]})
    return reply if known else refused(call, ABSENT)
