"""Wrong results for the contents of catalogs: requests rejected as success, notifications, credentials, renames."""

from __future__ import annotations

from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.faults import Call, Proceed, fault, request_becomes, status_becomes
from reference_server.iceberg.catalog.delegation import HEADER, VENDED
from reference_server.iceberg.faults.blocks import body_of
from reference_server.polaris.faults.blocks import APPLICABLE, LOAD, NOTIFY, settings_become

DONE = 204
GENERIC = ["createGenericTable", "loadGenericTable", "listGenericTables", "dropGenericTable"]
POLICIES = ["createPolicy", "updatePolicy", "dropPolicy", "attachPolicy", "detachPolicy", *APPLICABLE]
CHANGES = ["createTable", "updateTable", "commitTransaction", "renameTable", "createView", "registerTable"]
REFUSING = [*NOTIFY, *GENERIC, *POLICIES, *CHANGES, "createNamespace", "dropNamespace", "getConfig"]


for _status in (400, 403, 404, 409):
    fault(
        f"refused-as-done:{_status}",
        f"Requests that return {_status} otherwise return success, and do nothing.",
        on=REFUSING,
    )(status_becomes(_status, 200))


fault("validations-enter", "A validation enters the table.", on=NOTIFY)(
    request_becomes(
        lambda body: {**body, "notification-type": "CREATE"} if body.get("notification-type") == "VALIDATE" else body
    )
)
fault("drop-notifications-lost", "A table that another catalog drops stays.", on=NOTIFY)(
    request_becomes(
        lambda body: {**body, "notification-type": "UNKNOWN"} if body.get("notification-type") == "DROP" else body
    )
)


def _rounded(body: dict[str, Any]) -> dict[str, Any]:
    """Round the timestamp of a notification to a double."""
    payload = body.get("payload") or {}
    if not isinstance(payload.get("timestamp"), int):
        return body
    return {**body, "payload": {**payload, "timestamp": int(float(payload["timestamp"]))}}


fault("timestamps-as-doubles", "Large timestamps of notifications lose their last digits.", on=NOTIFY)(
    request_becomes(_rounded)
)


@fault("credentials-for-everybody", on=LOAD)
async def _unasked(call: Call, proceed: Proceed) -> Reply:
    """Loads of tables return credentials for the files also without a request for them."""
    headers = {name.title(): value for name, value in call.request.headers.items()}
    call.request = call.request.altered(headers={**headers, HEADER: VENDED})
    return await proceed()


fault("refreshed-nowhere", "Loads name a place for fresh credentials that does not exist.", on=LOAD)(
    settings_become(
        lambda config: {
            name: "v1/nowhere/credentials" if name.endswith("refresh-credentials-endpoint") else value
            for name, value in config.items()
        }
    )
)
fault("credentials-for-files", "There are credentials for S3 with tables on local files.", on=LOAD)(
    settings_become(lambda config: {**config, "s3.access-key-id": "id", "s3.secret-access-key": "none"})
)


@fault("policies-lost-by-rename", on=["renameTable", *APPLICABLE])
async def _policies_lost(call: Call, proceed: Proceed) -> Reply:
    """A renamed table loses the policies that were attached to it; those that it inherits stay."""
    renamed: set[str] = call.state.setdefault("policies-lost-by-rename", set())
    reply = await proceed()
    if call.operation.id == "renameTable":
        if reply.status == DONE:
            renamed.add(orjson.loads(call.request.body)["destination"]["name"])
        return reply
    if renamed & set(call.request.query.get("target-name", [])) and (body := body_of(reply)):
        kept = [policy for policy in body["applicable-policies"] if policy["inherited"]]
        reply.body = orjson.dumps({**body, "applicable-policies": kept})
    return reply


@fault("policies-gone-by-name", on=["renameTable"])
async def _left_behind(call: Call, proceed: Proceed) -> Reply:
    """A table that is renamed cannot be found under its new name."""
    body = orjson.loads(call.request.body or b"{}")
    if isinstance(body, dict) and isinstance(body.get("destination"), dict):
        other = {**body["destination"], "name": f"{body['destination'].get('name')}_"}
        call.request = call.request.altered(body=orjson.dumps({**body, "destination": other}))
    return await proceed()
