"""Properties of namespaces: set, removed and told carelessly."""

from __future__ import annotations

import orjson

from reference_server.context import Reply
from reference_server.faults import Call, Proceed, answers, content, fault, request_becomes
from reference_server.iceberg.faults.blocks import answer_becomes, body_of, performed
from reference_server.iceberg.metadata.reading import Json

UPDATE = ["updateProperties"]

WRITES = ["createNamespace", *UPDATE]


@fault("namespace-properties-replaced", on=UPDATE)
async def _replaced(call: Call, proceed: Proceed) -> Reply:
    """A change replaces all properties by those that it sets."""
    # Remove all properties that the request does not set.
    body = content(call) or {}
    before = body_of(await performed(call, proceed, "loadNamespaceMetadata")).get("properties") or {}
    removals = [name for name in before if name not in (body.get("updates") or {})]
    call.request = call.request.altered(body=orjson.dumps({**body, "removals": removals}))
    return await proceed()


@fault("namespace-properties-removed-as-asked", on=UPDATE)
async def _removed_as_asked(call: Call, proceed: Proceed) -> Reply:
    """The answer tells as removed what was to be removed, whether it was there or not."""
    removals = (content(call) or {}).get("removals") or []
    return await answer_becomes(removed=lambda _: removals, missing=lambda _: [])(call, proceed)


def _removals_win(body: Json) -> Json:
    removed = body.get("removals") or ()
    return {**body, "updates": {key: value for key, value in (body.get("updates") or {}).items() if key not in removed}}


def _latin(body: Json) -> Json:
    texts = {name: body[name] for name in ("properties", "updates") if isinstance(body.get(name), dict)}
    return {**body, **orjson.loads(orjson.dumps(texts).decode().encode("latin-1", "replace").decode("latin-1"))}


fault(
    "namespace-properties-forgotten", "A change of properties is answered with success, but nothing changes.", on=UPDATE
)(answers(200, {"updated": [], "removed": [], "missing": []}))
fault("namespace-created-in-silence", "The answer to a creation tells none of the properties.", on=["createNamespace"])(
    answer_becomes(properties=lambda _: {})
)
fault("namespace-properties-removals-win", "A property that is both set and removed is removed.", on=UPDATE)(
    request_becomes(_removals_win)
)
fault(
    "namespace-properties-latin", "Properties are stored in an encoding that does not have all characters.", on=WRITES
)(request_becomes(_latin))
