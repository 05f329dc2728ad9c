"""Wrong credentials, signatures and tokens."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from reference_server.context import Reply
from reference_server.errors import CatalogError, InvalidInput, PermissionDenied, Unauthenticated
from reference_server.faults import Around, Call, Proceed, body_becomes, fault
from reference_server.iceberg.faults.blocks import (
    ISSUE,
    LIST,
    LOAD,
    SHOWN,
    SIGN,
    answer_becomes,
    error_becomes,
    refused,
    refuses_when,
)

NOWHERE = "http://127.0.0.1:9"


def _into_config(body: Any) -> Any:
    """Move credentials to where they stood before there was a place for them."""
    secrets = {key: value for credential in body.get(LIST, ()) for key, value in credential["config"].items()}
    return {**body, LIST: [], "config": {**body.get("config", {}), **secrets}}


def _elsewhere(credentials: Any) -> Any:
    return [{**credential, "config": {**credential["config"], "s3.endpoint": NOWHERE}} for credential in credentials]


fault("credentials-in-config", "Credentials stand in the configuration of the table alone.", on=SHOWN)(
    body_becomes(_into_config, 200)
)
fault("credentials-elsewhere", "Credentials name a storage that is not there.", on=["loadTable"])(
    answer_becomes(storage_credentials=_elsewhere)
)
fault("sign-elsewhere", "The signed request is one to another storage.", on=[SIGN])(
    answer_becomes(uri=lambda uri: NOWHERE + urlsplit(uri).path)
)


def refuses(error: CatalogError) -> Around:
    """Answer with an error without doing anything."""

    async def around(call: Call, _proceed: Proceed) -> Reply:
        return refused(call, error)

    return around


fault("sign-refused", "No request is signed.", on=[SIGN])(refuses(PermissionDenied("Nothing is signed here.")))
fault("unknown-callers-forbidden", "Requests without credentials, or with wrong ones, return 403.")(
    error_becomes(401, PermissionDenied("You may not do this."))
)

DELEGATION = "X-Iceberg-Access-Delegation"

fault("delegation-refused", "loadTable with a request for delegated access is refused.", on=LOAD)(
    refuses_when(
        lambda call: DELEGATION in call.request.headers,
        InvalidInput("Credential vending is not set up for this catalog."),
    )
)


@fault("token-catalog-error", on=ISSUE)
async def _catalog_error(call: Call, proceed: Proceed) -> Reply:
    """A refused token is answered with the error body of the catalog."""
    # Answer a refused token with the error body of the catalog.
    reply = await proceed()
    known: dict[int, Any] = {400: InvalidInput, 401: Unauthenticated}
    return refused(call, known[reply.status]("There is no token for that.")) if reply.status in known else reply


fault("token-useless", "Tokens are issued that open nothing.", on=ISSUE)(
    body_becomes(lambda body: {**body, "access_token": "useless"}, 200)
)
fault("token-spent", "Issued tokens are reported as expired.", on=ISSUE)(
    body_becomes(lambda body: {**body, "expires_in": 0}, 200)
)
