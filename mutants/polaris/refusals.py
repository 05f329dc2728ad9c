"""Wrong statuses and error bodies of rejections, and secrets that are shown again."""

from __future__ import annotations

from typing import Any

import orjson

from mutants.polaris.blocks import CATALOG, PRINCIPAL, PRINCIPAL_ROLE
from reference_server.context import Reply
from reference_server.faults import Call, Proceed, content, fault, status_becomes
from reference_server.iceberg.faults.blocks import TRACE

MANAGEMENT = "/management/"  # in the paths of the operations
STATUSES = {200: 203, 201: 202, 204: 205, 400: 402, 401: 407, 403: 402, 404: 410, 409: 423}
ISSUING = ("createPrincipal", "rotateCredentials", "resetCredentials")
SHOWING = ("getPrincipal", "listPrincipals", "updatePrincipal")


@fault("management-statuses")
async def _own_statuses(call: Call, proceed: Proceed) -> Reply:
    """Management answers with statuses that the document does not declare: 203 for 200, 410 for 404, and so on."""
    reply = await proceed()
    if MANAGEMENT in call.operation.path:
        reply.status = STATUSES.get(reply.status, reply.status)
    return reply


@fault("secrets-shown", on=[*ISSUING, *SHOWING])
async def _secrets(call: Call, proceed: Proceed) -> Reply:
    """Principals are shown with the secret that was issued last."""
    reply = await proceed()
    if reply.status >= 300:
        return reply
    body = orjson.loads(reply.body)
    if call.operation.id in ISSUING:
        call.state["secret"] = body["credentials"]["clientSecret"]
        return reply
    for shown in body.get("principals", [body]):
        shown["properties"] = {**shown.get("properties", {}), "secret": call.state.get("secret", "")}
    reply.body = orjson.dumps(body)
    return reply


CREATES_TABLE = "createTable"
BY_NAME_ALONE = (CATALOG, PRINCIPAL, PRINCIPAL_ROLE)  # whose lists name nothing around them
SWAPPED = {403: 404, 404: 403, 409: 403}

GATED = (
    *("createGenericTable", "createPolicy", "detachPolicy", "getApplicablePolicies", "listPrincipalRoles"),
    *("listPrincipals", "sendNotification"),
)

OWN_PATHS = (MANAGEMENT, "/polaris/", "/notifications")  # in the paths of the operations that Iceberg does not have


@fault("refusal-tells")
async def _tells_names(call: Call, proceed: Proceed) -> Reply:
    """A refusal tells the names of tables."""
    names: list[Any] = call.state.setdefault("names of tables", [])
    if call.operation.id == CREATES_TABLE:
        names.append((content(call) or {}).get("name"))
    reply = await proceed()
    if reply.status == 403 and reply.body:
        error = orjson.loads(reply.body)["error"]
        reply.body = orjson.dumps({"error": {**error, "message": f"{error['message']}; there is {names}"}})
    return reply


def _is_own(call: Call) -> bool:
    return any(part in call.operation.path for part in OWN_PATHS)


fault("forbidden-as-missing", "Callers without the privilege get 404.")(status_becomes(403, 404))


@fault("refused-as-unrouted")
async def _as_unrouted(call: Call, proceed: Proceed) -> Reply:
    """An operation that Iceberg does not have is rejected with 404 and no body, as an unknown route."""
    reply = await proceed()
    return Reply(404) if _is_own(call) and reply.status in (400, 404) else reply


@fault("management-errors-without-body")
async def _without_body(call: Call, proceed: Proceed) -> Reply:
    """A refusal of the management API is a status alone, unless something is missing."""
    reply = await proceed()
    silent = reply.status >= 400 and reply.status != 404 and MANAGEMENT in call.operation.path
    return Reply(reply.status) if silent else reply


@fault("missing-and-forbidden-swapped")
async def _swapped(call: Call, proceed: Proceed) -> Reply:
    """Missing and existing objects are rejected with 403, forbidden ones with 404; error types stay."""
    reply = await proceed()
    if _is_own(call):
        reply.status = SWAPPED.get(reply.status, reply.status)
    return reply


def _listed_before(call: Call) -> bool:
    """Note that a token has listed something, and return whether it had before: each run lists catalogs at first."""
    token, seen = call.request.headers.get("Authorization"), call.state.setdefault("tokens that listed", set())
    before = token in seen
    seen.add(token)
    return before


@fault("listed-once", on=["getApplicablePolicies", *(entity.lists for entity in BY_NAME_ALONE)])
async def _listed_once(call: Call, proceed: Proceed) -> Reply:
    """A token is good for one list; for others there is no route."""
    return Reply(404) if _listed_before(call) else await proceed()


@fault("refused-by-a-gateway", on=[CATALOG.lists, *GATED])
async def _by_a_gateway(call: Call, proceed: Proceed) -> Reply:
    """A gateway refuses what it does not know, with a type of its own; of lists of catalogs it lets one through."""
    if call.operation.id == CATALOG.lists and not _listed_before(call):
        return await proceed()
    return Reply(403, orjson.dumps({"error": {"message": f"There is no rule.{TRACE}", "type": "NoRule", "code": 0}}))
