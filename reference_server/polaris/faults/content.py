"""What is in catalogs goes wrong: bad requests that succeed, notifications in disorder, credentials of others."""

from __future__ import annotations

import time
from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.faults import Call, Proceed, body_becomes, fault, request_becomes, status_becomes
from reference_server.iceberg.catalog.delegation import HEADER, VENDED

NOTIFY, APPLICABLE, LOAD = ["sendNotification"], ["getApplicablePolicies"], ["loadTable"]
GENERIC = ["createGenericTable", "loadGenericTable", "listGenericTables", "dropGenericTable"]
POLICIES = ["createPolicy", "updatePolicy", "dropPolicy", "attachPolicy", "detachPolicy", *APPLICABLE]
CHANGES = ["createTable", "updateTable", "commitTransaction", "renameTable", "createView", "registerTable"]
REFUSING = [*NOTIFY, *GENERIC, *POLICIES, *CHANGES, "createNamespace", "dropNamespace", "getConfig"]
Json = dict[str, Any]


def _in_payload(**fields: Any) -> Any:
    """Return what gives the payload of a notification other fields; a function makes a field anew each time."""

    def edited(body: Json) -> Json:
        new = {name: value() if callable(value) else value for name, value in fields.items()}
        return {**body, "payload": {**body["payload"], **new}} if isinstance(body.get("payload"), dict) else body

    return request_becomes(edited)


def _in_settings(edit: Any) -> Any:
    """Return what changes the settings of a table that an answer shows."""
    return body_becomes(lambda body: {**body, "config": edit(body.get("config") or {})}, 200)


for _status in (400, 403, 404, 409):
    fault(
        f"refused-as-done:{_status}",
        f"What is refused with {_status} is answered with success, and not done.",
        on=REFUSING,
    )(status_becomes(_status, 200))

# Notifications
fault("notifications-unordered", "Every notification is newer than all before it, whatever its timestamp.", on=NOTIFY)(
    _in_payload(timestamp=time.time_ns)
)
fault("notifications-by-number", "A timestamp that is a text is taken as none: such a table is ever new.", on=NOTIFY)(
    request_becomes(
        lambda body: (
            {**body, "notification-type": "UNKNOWN"}
            if isinstance((body.get("payload") or {}).get("timestamp"), str)
            else body
        )
    )
)
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


# Locations and credentials
@fault("credentials-for-everybody", on=LOAD)
async def _unasked(call: Call, proceed: Proceed) -> Reply:
    """Whoever loads a table gets the credentials for its files, asked or not."""
    headers = {name.title(): value for name, value in call.request.headers.items()}
    call.request = call.request.altered(headers={**headers, HEADER: VENDED})
    return await proceed()


fault("credentials-renamed", "Credentials have names among the settings that no client knows.", on=LOAD)(
    _in_settings(lambda config: {f"lakeproof.{name}": value for name, value in config.items()})
)
fault("credentials-for-files", "There are credentials for S3 with tables on local files.", on=LOAD)(
    _in_settings(lambda config: {**config, "s3.access-key-id": "id", "s3.secret-access-key": "none"})
)
fault("credentials-unplaced", "Credentials are for a location in which the table does not lie.", on=LOAD)(
    body_becomes(
        lambda body: {
            **body,
            "storage-credentials": [
                {**credential, "prefix": f"{credential['prefix']}-elsewhere"}
                for credential in body.get("storage-credentials") or []
            ],
        },
        200,
    )
)
fault("new-tables-elsewhere", "A new table is said to lie outside of its catalog.", on=["createTable"])(
    body_becomes(lambda body: {**body, "metadata": {**body["metadata"], "location": "file:///elsewhere"}}, 200)
)


# Policies
def _policies(edit: Any) -> Any:
    return body_becomes(lambda body: {**body, "applicable-policies": edit(body["applicable-policies"])}, 200)


fault("policies-not-inherited", "A policy holds for nothing but what it is attached to.", on=APPLICABLE)(
    _policies(lambda policies: [policy for policy in policies if not policy["inherited"]])
)
fault("policies-own-alone", "What is inherited is shown as if it was attached.", on=APPLICABLE)(
    _policies(lambda policies: [{**policy, "inherited": False} for policy in policies])
)


@fault("policies-gone-by-name", on=["renameTable"])
async def _left_behind(call: Call, proceed: Proceed) -> Reply:
    """A table that is renamed cannot be found under its new name."""
    body = orjson.loads(call.request.body or b"{}")
    if isinstance(body, dict) and isinstance(body.get("destination"), dict):
        other = {**body["destination"], "name": f"{body['destination'].get('name')}_"}
        call.request = call.request.altered(body=orjson.dumps({**body, "destination": other}))
    return await proceed()
