"""Renewed credentials that take too much or too little with them."""

from __future__ import annotations

from typing import Any

import orjson

from mutants.polaris.blocks import by_root, read
from mutants.polaris.ways import LINKS
from reference_server.context import Reply
from reference_server.errors import InvalidInput
from reference_server.faults import Call, Proceed, fault, request_becomes
from reference_server.iceberg.faults.blocks import refuses_when
from reference_server.polaris.faults.blocks import TOKEN, edited, form_of

CREATE, RESET, ROTATE = "createPrincipal", "resetCredentials", "rotateCredentials"
RENEWALS = [RESET, ROTATE]
ISSUED, MADE, PASSED = "secrets by client", "principals in order", "secrets before a reset"


fault("reset-needs-fields", "A reset needs a body without nulls.", on=[RESET])(
    refuses_when(
        lambda call: not call.request.body or b"null" in call.request.body, InvalidInput("There are no fields.")
    )
)
fault("chosen-secrets-ignored", "A reset takes a secret only together with a client id.", on=[RESET])(
    request_becomes(lambda body: body if body.get("clientId") else {})
)


@fault("reset-is-idempotent", on=[RESET])
async def _idempotent(call: Call, proceed: Proceed) -> Reply:
    """A second reset of a principal issues the secret of the first one again."""
    issued: dict[str, str] = call.state.setdefault(ISSUED, {})
    name = call.path["principalName"]
    if name in issued and not read(call.request.body).get("clientSecret"):
        call.request = call.request.altered(body=orjson.dumps({"clientSecret": issued[name]}))
    reply = await proceed()
    if reply.status == 200:
        issued[name] = read(reply.body)["credentials"]["clientSecret"]
    return reply


@fault("secrets-return-by-rotation", on=[CREATE, *RENEWALS, *TOKEN])
async def _return(call: Call, proceed: Proceed) -> Reply:
    """A rotation brings back the secrets that a reset before it ended."""
    known: dict[str, dict[str, Any]] = call.state.setdefault(PASSED, {})
    if call.operation.id in TOKEN:
        form = form_of(call.request.body)
        state = known.get(form.get("client_id", ""), {})
        if form.get("client_secret") in state.get("valid", ()):
            call.request = call.request.altered(
                body=edited(call.request.body, lambda form: {**form, "client_secret": state["now"]})
            )
        return await proceed()
    reply = await proceed()
    if reply.status < 300:
        issued = read(reply.body)["credentials"]
        state = known.setdefault(issued["clientId"], {"all": [], "reset": False, "valid": ()})
        if call.operation.id == ROTATE and state["reset"]:
            state["valid"] = tuple(state["all"])
        state["reset"] = state["reset"] or call.operation.id == RESET
        state["all"].append(issued["clientSecret"])
        state["now"] = issued["clientSecret"]
    return reply


@fault("renewals-end-roles", on=RENEWALS)
async def _end_roles(call: Call, proceed: Proceed) -> Reply:
    """A principal with new credentials has no roles."""
    reply = await proceed()
    if reply.status == 200:
        await LINKS["revokePrincipalRole"].take_all(call, proceed, call.path["principalName"])
    return reply


@fault("renewals-of-neighbours", on=[CREATE, *RENEWALS])
async def _of_neighbours(call: Call, proceed: Proceed) -> Reply:
    """New credentials of a principal end those of the principals that were created just before and after it."""
    made: list[str] = call.state.setdefault(MADE, [])
    reply = await proceed()
    if call.operation.id == CREATE and reply.status == 201:
        made.append(read(reply.body)["principal"]["name"])
    elif reply.status == 200 and call.path["principalName"] in made:
        place = made.index(call.path["principalName"])
        for name in [*made[max(0, place - 1) : place], *made[place + 1 : place + 2]]:
            await by_root(call, proceed, RESET, {}, {"principalName": name})
    return reply
