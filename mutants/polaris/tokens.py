"""Wrong tokens and secrets."""

from __future__ import annotations

import orjson

from mutants.polaris.blocks import ADMIN, by_root
from reference_server.auth import Principal
from reference_server.context import Reply
from reference_server.faults import Call, Proceed, content, fault
from reference_server.polaris.entities.access_tokens import ALL, SCOPE_PREFIX
from reference_server.polaris.faults.blocks import TOKEN, edited, form_of, without_roles

AUTHORIZATION = "Authorization"
CLIENTS = "polaris-clients"  # in the state of a call: the clients that had a token for all roles


@fault("scope-all-once", on=TOKEN)
async def _all_once(call: Call, proceed: Proceed) -> Reply:
    """Only the first token of a principal for all of its roles makes them active."""
    form = form_of(call.request.body)
    client, seen = form.get("client_id", ""), call.state.setdefault(CLIENTS, set())
    if form.get("scope") == SCOPE_PREFIX + ALL and client != ADMIN.name:
        if client in seen:
            call.request = call.request.altered(body=edited(call.request.body, without_roles))
        seen.add(client)
    return await proceed()


@fault("scope-believed", on=TOKEN)
async def _believed(call: Call, proceed: Proceed) -> Reply:
    """A token gets every principal role that its scope names."""
    form = form_of(call.request.body)
    listed = (await by_root(call, proceed, "listPrincipals")).get("principals", [])
    names = [principal["name"] for principal in listed if principal["clientId"] == form.get("client_id")]
    roles = [part.removeprefix(SCOPE_PREFIX) for part in form.get("scope", "").split()]
    for name in names:
        for role in roles:
            await by_root(call, proceed, "assignPrincipalRole", {"name": role}, {"principalName": name})
    return await proceed()


@fault("rotation-ends-old-secret", on=["rotateCredentials"])
async def _ends(call: Call, proceed: Proceed) -> Reply:
    """A rotation leaves no time to change clients over: the old secret is good no more."""
    reply = await proceed()
    return await proceed() if reply.status == 200 else reply


@fault("rotation-by-others", on=["rotateCredentials"])
async def _others(call: Call, proceed: Proceed) -> Reply:
    """Everybody may rotate the credentials of every principal."""
    call.request.principal = Principal(call.path["principalName"])
    return await proceed()


@fault("client-id-chosen", on=["createPrincipal"])
async def _chosen(call: Call, proceed: Proceed) -> Reply:
    """A new principal is answered with the clientId of the request."""
    asked = (content(call) or {}).get("principal", {}).get("clientId")
    reply = await proceed()
    if asked and reply.status == 201:
        made = orjson.loads(reply.body)
        reply.body = orjson.dumps({name: {**part, "clientId": asked} for name, part in made.items()})
    return reply


@fault("basic-unread", on=TOKEN)
async def _unread(call: Call, proceed: Proceed) -> Reply:
    """A token needs credentials in the form: those of a Basic Authorization header are not read."""
    headers = call.request.headers.items()
    kept = {name: value for name, value in headers if not (name == AUTHORIZATION and value.startswith("Basic "))}
    call.request = call.request.altered(headers=kept)
    return await proceed()
