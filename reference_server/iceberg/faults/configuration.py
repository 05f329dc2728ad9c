"""Configurations that are of no use to a client, or not true."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reference_server.context import Reply
from reference_server.errors import Internal, InvalidInput
from reference_server.faults import Call, Proceed, arguments_lost, declare
from reference_server.iceberg.faults.blocks import answer_becomes, error_becomes, refuses_when
from specs.identifiers import SEPARATOR_OVERRIDE

CONFIG = ["getConfig"]


def _endpoints(edit: Callable[[str], str]) -> Any:
    return answer_becomes(endpoints=lambda found: [edit(one) for one in found])


declare(
    "config-settings-no-texts",
    "Settings in the configuration are numbers and truth values where they have to be texts.",
    answer_becomes(defaults=lambda found: {**found, "clients": 4, "cache-enabled": True}),
    kills=["iceberg.config.maps"],
    on=CONFIG,
)
declare(
    "config-warehouse-ignored",
    "Any name of a warehouse is answered with the configuration of the default one.",
    arguments_lost("warehouse"),
    kills=["iceberg.config.warehouse_unknown"],
    on=CONFIG,
)
declare(
    "config-needs-warehouse",
    "A client that names no warehouse meets an error of the server.",
    refuses_when(lambda call: "warehouse" not in call.request.query, Internal("warehouse is null")),
    kills=["iceberg.config.no_warehouse"],
    on=CONFIG,
)
declare(
    "config-prefix-wrong",
    "The configuration gives a prefix under which there is no catalog.",
    answer_becomes(overrides=lambda found: {**found, "prefix": "catalogs/elsewhere"}),
    kills=["iceberg.config.prefix"],
    on=CONFIG,
)
declare(
    "config-endpoints-form",
    "Endpoints are written with a colon between method and path.",
    _endpoints(lambda one: one.replace(" ", ":")),
    kills=["iceberg.config.endpoints_form"],
    on=CONFIG,
)
declare(
    "config-endpoints-filled-in",
    "Endpoints are written with the name of the warehouse where the template has the prefix.",
    _endpoints(lambda one: one.replace("{prefix}", "default")),
    kills=["iceberg.config.endpoints_templates"],
    on=CONFIG,
)
declare(
    "config-endpoints-forgotten",
    "The endpoints are those of an older revision: there are views, but the configuration does not tell.",
    answer_becomes(endpoints=lambda found: [one for one in found if "/views" not in one and "HEAD" not in one]),
    kills=["iceberg.config.endpoints_complete"],
    on=CONFIG,
)
declare(
    "config-separator-bare",
    "The separator of namespaces is advertised as it is, not percent-encoded.",
    answer_becomes(overrides=lambda found: {**found, SEPARATOR_OVERRIDE: "\x1f"}),
    kills=["iceberg.config.separator"],
    on=CONFIG,
)
declare(
    "config-separator-untrue",
    "The configuration advertises a dot as the separator of namespaces, but paths are not read so.",
    answer_becomes(overrides=lambda found: {**found, SEPARATOR_OVERRIDE: "%2E"}),
    kills=["iceberg.namespace.create.nested", "iceberg.names.nested"],
    on=CONFIG,
)
declare(
    "config-key-lifetime-in-seconds",
    "The lifetime of idempotency keys is told in seconds.",
    answer_becomes(idempotency_key_lifetime=lambda _: "1800"),
    kills=["iceberg.config.key_lifetime"],
    on=CONFIG,
)


# Operations that the configuration names


async def _without_a_route(call: Call, proceed: Proceed) -> Reply:
    """Answer as a server that was never told about the path."""
    if call.operation.id in CONFIG:
        return await proceed()
    return Reply(405) if call.operation.method == "HEAD" else Reply(404)


async def _every_other_time(call: Call, proceed: Proceed) -> Reply:
    count = call.state["configurations"] = call.state.get("configurations", 0) + 1
    return await proceed() if count % 2 else Reply(404)


declare(
    "endpoints-not-there",
    "The configuration names endpoints that have no route.",
    _without_a_route,
    kills=["iceberg.offered.[!gs]*", "iceberg.offered.get_token", "iceberg.config.endpoints_true"],
)
declare(
    "unsupported-crashes",
    "An operation that the server does not have, and does not name, ends in an error of the server.",
    error_becomes(406, Internal("Not implemented")),
    kills=["iceberg.offered.sign_request"],
)
declare(
    "config-every-other-time",
    "Every other request for the configuration reaches an instance that does not have it.",
    _every_other_time,
    kills=["iceberg.offered.get_config"],
    on=CONFIG,
)


def _undeclared(call: Call) -> bool:
    return not call.request.query.keys() <= {one.name for one in call.operation.query_parameters()}


declare(
    "unknown-query-refused",
    "A parameter of the query that the server does not know is an error.",
    refuses_when(_undeclared, InvalidInput("There is no such parameter.")),
    kills=["iceberg.config.unknown_query", "iceberg.request.unknown_query"],
)
