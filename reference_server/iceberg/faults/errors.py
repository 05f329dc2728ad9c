"""Errors that clients cannot tell apart, read or trust, and requests that end in the wrong one."""

from __future__ import annotations

from reference_server.context import Reply
from reference_server.errors import Internal, InvalidInput
from reference_server.faults import Call, Proceed, body_becomes, declare
from reference_server.iceberg.faults.blocks import each_of, error_becomes, error_field_becomes

# Of these the first look at a server meets an error with a type of its own.
PROBED = ("load_[tv]*", "drop_*", "list_[tv]*")
STATUSES = {200: 201, 204: 200, 400: 422, 404: 410, 406: 405, 422: 400}
TRACE = "\n\tat java.util.Optional.get(Optional.java:143)"


async def _own_statuses(_call: Call, proceed: Proceed) -> Reply:
    reply = await proceed()
    reply.status = STATUSES.get(reply.status, reply.status)
    return reply


async def _page_of_the_proxy(_call: Call, proceed: Proceed) -> Reply:
    reply = await proceed()
    return Reply(reply.status, b"<html><h1>Not Found</h1></html>", "text/html")


declare(
    "statuses-of-its-own",
    "Answers have statuses that the document does not declare: 201 for 200, 410 for 404, and so on.",
    _own_statuses,
    kills=["iceberg.wire.*"],
)
declare(
    "errors-unwrapped",
    "Error bodies have message, type and code at their top instead of under error.",
    body_becomes(lambda body: body.get("error", body) if isinstance(body, dict) else body),
    kills=["iceberg.errors.body", "iceberg.wire.load_table", "iceberg.listing.namespaces.missing"],
)
declare(
    "errors-with-texts-as-codes",
    "The code of an error is a text.",
    error_field_becomes("code", str),
    kills=[f"iceberg.errors.code.{what}" for what in PROBED],
)
declare(
    "errors-of-one-type",
    "All errors have the same type, that of the base class.",
    error_field_becomes("type", lambda _: "RESTException"),
    kills=[
        *(f"iceberg.errors.type.{what}" for what in PROBED),
        "iceberg.*.*.namespace_missing",
        "iceberg.view.[!e]*.missing",
    ],
)
declare(
    "errors-with-traces",
    "The message of an error ends with a stack trace.",
    error_field_becomes("message", lambda text: f"{text}{TRACE}"),
    kills=[f"iceberg.errors.text.{what}" for what in PROBED],
)
declare(
    "errors-of-the-framework",
    "Errors are those of the web framework: its types, a stack trace and no code.",
    each_of(
        error_field_becomes("type", lambda _: "Internal"),
        error_field_becomes("code", lambda _: 0),
        error_field_becomes("message", lambda text: f"{text}{TRACE}"),
    ),
    kills=[
        "iceberg.errors.code.*",
        "iceberg.errors.type.*",
        "iceberg.errors.text.*",
        "iceberg.config.warehouse_unknown",
        "iceberg.listing.namespaces.missing",
        "iceberg.namespace.create.conflict",
        "iceberg.table.metrics.missing",
        "iceberg.transaction.missing",
        "iceberg.table.rename.missing",
        "iceberg.view.rename.missing",
    ],
)
declare(
    "missing-as-bad-request",
    "What does not exist is refused as a bad request.",
    error_becomes(404, InvalidInput("It does not exist.")),
    kills=[
        "iceberg.namespace.load.missing",
        "iceberg.listing.namespaces.missing",
        "iceberg.listing.missing.*",
        "iceberg.namespace.properties.namespace_missing",
        "iceberg.view.*.missing",
        "iceberg.view.*.table",
        "iceberg.view.*.namespace_missing",
        "iceberg.register.view.namespace_missing",
        "iceberg.unregister.missing",
        "iceberg.unregister.commits",
        "spark.iceberg.error.table-missing.*",
        "spark.iceberg.error.namespace-missing.*",
    ],
)
declare(
    "conflicts-as-bad-requests",
    "What contradicts the state of the catalog is refused as a bad request.",
    error_becomes(409, InvalidInput("The request cannot be processed.")),
    kills=[
        "iceberg.namespace.create.conflict",
        "iceberg.namespace.drop.with_*",
        "iceberg.view.create.taken*",
        "iceberg.view.rename.taken",
        "iceberg.view.commit.uuid_fails",
        "iceberg.register.view.taken",
    ],
)
declare(
    "bad-requests-crash",
    "A request that cannot be carried out ends in an error of the server.",
    error_becomes(400, Internal("Unexpected error")),
    kills=[
        "iceberg.namespace.create.bad_body.*",
        "iceberg.namespace.create.level_type",
        "iceberg.namespace.create.property_type",
        "iceberg.namespace.properties.type",
        "iceberg.page.bad_*",
        "iceberg.request.broken_json.*",
        "iceberg.request.no_object.*",
        "iceberg.request.path_no_text.*",
        "iceberg.request.media_type",
        "iceberg.view.create.without_*",
    ],
)
declare(
    "paths-for-people",
    "A path that leads nowhere is answered with a page for people.",
    _page_of_the_proxy,
    kills=["iceberg.request.unknown_path"],
    on=[""],
)
