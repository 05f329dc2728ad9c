"""Configurations that are untrue or of no use to a client."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reference_server.context import Reply
from reference_server.errors import Internal, InvalidInput
from reference_server.faults import Call, Proceed, fault
from reference_server.iceberg.faults.blocks import answer_becomes, error_becomes, refuses_when
from specs.iceberg.identifiers import SEPARATOR_OVERRIDE

CONFIG = ["getConfig"]


def _endpoints(edit: Callable[[str], str]) -> Any:
    return answer_becomes(endpoints=lambda endpoints: [edit(endpoint) for endpoint in endpoints])


@fault("endpoints-not-there")
async def _without_a_route(call: Call, proceed: Proceed) -> Reply:
    """The configuration names endpoints that have no route."""
    # Answer as a server that was never told about the path.
    if call.operation.id in CONFIG:
        return await proceed()
    return Reply(405) if call.operation.method == "HEAD" else Reply(404)


@fault("config-every-other-time", on=CONFIG)
async def _every_other_time(call: Call, proceed: Proceed) -> Reply:
    """Every other request for the configuration reaches an instance that does not have it."""
    count = call.state["configurations"] = call.state.get("configurations", 0) + 1
    return await proceed() if count % 2 else Reply(404)


def _undeclared(call: Call) -> bool:
    return not call.request.query.keys() <= {parameter.name for parameter in call.operation.query_parameters()}


fault(
    "config-settings-no-texts",
    "Settings in the configuration are numbers and truth values where they have to be texts.",
    on=CONFIG,
)(answer_becomes(defaults=lambda defaults: {**defaults, "clients": 4, "cache-enabled": True}))
fault("config-needs-warehouse", "A client that names no warehouse meets an error of the server.", on=CONFIG)(
    refuses_when(lambda call: "warehouse" not in call.request.query, Internal("warehouse is null"))
)
fault("config-prefix-wrong", "The configuration gives a prefix under which there is no catalog.", on=CONFIG)(
    answer_becomes(overrides=lambda overrides: {**overrides, "prefix": "catalogs/elsewhere"})
)
fault("config-endpoints-form", "Endpoints are written with a colon between method and path.", on=CONFIG)(
    _endpoints(lambda endpoint: endpoint.replace(" ", ":"))
)
fault(
    "config-endpoints-filled-in",
    "Endpoints are written with the name of the warehouse where the template has the prefix.",
    on=CONFIG,
)(_endpoints(lambda endpoint: endpoint.replace("{prefix}", "default")))
fault(
    "config-endpoints-forgotten",
    "The endpoints are those of an older revision: there are views, but the configuration does not tell.",
    on=CONFIG,
)(
    answer_becomes(
        endpoints=lambda endpoints: [
            endpoint for endpoint in endpoints if "/views" not in endpoint and "HEAD" not in endpoint
        ]
    )
)
fault("config-separator-bare", "The separator of namespaces is advertised as it is, not percent-encoded.", on=CONFIG)(
    answer_becomes(overrides=lambda overrides: {**overrides, SEPARATOR_OVERRIDE: "\x1f"})
)
fault(
    "config-key-lifetime-in-seconds", "The configuration states the lifetime of idempotency keys in seconds.", on=CONFIG
)(answer_becomes(idempotency_key_lifetime=lambda _: "1800"))

fault(
    "unsupported-crashes",
    "An operation that the server does not have, and does not name, ends in an error of the server.",
)(error_becomes(406, Internal("Not implemented")))
fault(
    "unsupported-unexplained",
    "An operation that the server does not have ends in an error of the server that does not say so.",
)(error_becomes(406, Internal("Something went wrong")))
fault("unknown-query-refused", "A parameter of the query that the server does not know is an error.")(
    refuses_when(_undeclared, InvalidInput("There is no such parameter."))
)
