"""How tokens and secrets are handled carelessly."""

from __future__ import annotations

import orjson

from reference_server.auth import Principal
from reference_server.context import Reply
from reference_server.faults import Call, Proceed, fault, header_lost
from reference_server.polaris.entities.access_tokens import ALL, SCOPE_PREFIX
from reference_server.polaris.faults.blocks import ADMIN, by_root, edited, form_becomes, form_of, read

TOKEN = ["getToken"]
ISSUES = ["createPrincipal", "rotateCredentials", "resetCredentials"]
NOBODY = "nobody"  # a principal role that does not exist
CLIENTS = "polaris-clients"  # in the state of a call: the clients that had a token for all roles
SECRETS = "polaris-secrets"  # in the state of a call: the newest secret of each client


def _remembered(call: Call) -> dict[str, str]:
    secrets: dict[str, str] = call.state.setdefault(SECRETS, {})
    return secrets


async def _remember(call: Call, proceed: Proceed) -> Reply:
    reply = await proceed()
    issued = read(reply.body).get("credentials") or {}
    if issued:
        _remembered(call)[issued["clientId"]] = issued["clientSecret"]
    return reply


@fault("secrets-unchecked", on=[*TOKEN, *ISSUES])
async def _unchecked(call: Call, proceed: Proceed) -> Reply:
    """Every client gets a token, whatever its secret is."""
    if call.operation.id not in TOKEN:
        return await _remember(call, proceed)
    secrets, form = _remembered(call), form_of(call.request.body)
    if form.get("client_id") in secrets and "client_secret" in form:
        right = {**form, "client_secret": secrets[form["client_id"]]}
        call.request = call.request.altered(body=edited(call.request.body, lambda _: right))
    return await proceed()


def _for_all(form: dict[str, str]) -> dict[str, str]:
    wanted = form.get("scope", "").startswith(SCOPE_PREFIX)
    return {**form, "scope": SCOPE_PREFIX + ALL} if wanted else form


def _for_none(form: dict[str, str]) -> dict[str, str]:
    return {**form, "scope": SCOPE_PREFIX + NOBODY}


fault("scope-unheeded", "Every token is for all roles of the principal, whatever its scope is.", on=TOKEN)(
    form_becomes(_for_all)
)


@fault("scope-all-once", on=TOKEN)
async def _all_once(call: Call, proceed: Proceed) -> Reply:
    """Only the first token of a principal for all of its roles makes them active."""
    form = form_of(call.request.body)
    client, seen = form.get("client_id", ""), call.state.setdefault(CLIENTS, set())
    if form.get("scope") == SCOPE_PREFIX + ALL and client != ADMIN.name:
        if client in seen:
            call.request = call.request.altered(body=edited(call.request.body, _for_none))
        seen.add(client)
    return await proceed()


fault("exchange-loses-roles", "A token that is got in exchange for another one has no roles.", on=TOKEN)(
    form_becomes(lambda form: _for_none(form) if "subject_token" in form else form)
)
fault("basic-unread", "Credentials are read in the form alone, not in the header.", on=TOKEN)(
    header_lost("Authorization")
)


@fault("scope-believed", on=TOKEN)
async def _believed(call: Call, proceed: Proceed) -> Reply:
    """Whoever names a principal role in the scope gets it."""
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
    """A new principal is said to have the client id that the request has."""
    sent = read(call.request.body)
    wanted = (sent.get("principal") or sent).get("clientId")
    reply = await proceed()
    made = read(reply.body)
    if wanted and "credentials" in made:
        made["credentials"]["clientId"] = made["principal"]["clientId"] = wanted
        reply.body = orjson.dumps(made)
    return reply
