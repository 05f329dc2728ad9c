"""Wrong on the wire: routes, statuses, error bodies and codes."""

from __future__ import annotations

from dataclasses import replace

from reference_server.context import Reply
from reference_server.faults import (
    Call,
    Proceed,
    answers,
    body_becomes,
    declare,
    fields_lost,
    status_becomes,
)
from reference_server.lance.faults.building import (
    is_root,
)

# The wire


async def _unrouted(call: Call, proceed: Proceed) -> Reply:
    return await proceed() if is_root(call) else Reply(404)


declare(
    "unrouted",
    "Operations are missing: an empty 404 instead of 406 with code 0.",
    _unrouted,
    kills=["lance.offered.*"],
)
declare(
    "undeclared-status",
    "Every answer has status 299, which no operation declares.",
    lambda call, proceed: _with_status(proceed, 299),
    kills=["lance.wire.*"],
)
declare(
    "error-without-code",
    "Error bodies have no code.",
    fields_lost("code"),
    kills=["lance.auth.*", "lance.wire.list_*", "lance.namespace.drop.missing"],
)
declare(
    "foreign-code",
    "Errors have a code that no list has.",
    body_becomes(lambda body: {**body, "code": 99}, 400, 401, 404, 409),
    kills=["lance.codes.listed.*", "lance.auth.*", "lance.table.create.schema_code"],
)
declare(
    "conflict-code",
    "Errors have the code of a table that exists, whatever their status.",
    body_becomes(lambda body: {**body, "code": 5}, 400, 401, 404),
    kills=["lance.codes.status.*", "lance.auth.*", "lance.namespace.drop.missing"],
)


async def _with_status(proceed: Proceed, status: int) -> Reply:
    return replace(await proceed(), status=status)


# Statuses

declare(
    "conflict-as-400",
    "What exists already is refused as a bad request.",
    status_becomes(409, 400),
    kills=[
        "lance.*.conflict",
        "lance.*.conflict_*",
        "lance.*.create.default_mode",
        "lance.namespace.drop.restrict_*",
        "lance.table.rename.taken",
    ],
)
declare(
    "not-found-as-400",
    "What does not exist is refused as a bad request.",
    status_becomes(404, 400),
    kills=[
        "lance.*.parent_missing",
        "lance.*.namespace_missing",
        "lance.*.missing_status",
        "lance.*.missing_namespace",
        "lance.*.version_missing",
        "lance.namespace.describe.missing",
        "lance.namespace.exists.missing",
        "lance.namespace.list.missing",
        "lance.table.*.missing",
        "lance.rows.*.missing",
        "lance.query.*.missing",
        "lance.*.column_missing",
        "lance.version.*.missing",
        "lance.index.*.missing",
        "lance.index.*.index_missing",
        "lance.index.*.column_missing",
        "lance.index.create.column_missing_nested",
        "lance.index.drop.twice",
        "lance.index.drop.stats",
        "lance.index.stats.version",
        "lance.*.namespace_code",
        "spark.lance.error.table-missing.select",
        "spark.lance.error.table-missing.insert",
    ],
)
declare(
    "bad-input-accepted",
    "Bad requests are answered with success and an error body.",
    status_becomes(400, 200),
    kills=[
        "lance.body.malformed.*",
        "lance.body.not_object.*",
        "lance.body.id_type.*",
        "lance.*.mode_unknown",
        "lance.*.behavior_unknown",
        "lance.namespace.create.properties_type",
        "lance.pagination.limit_type.*",
        "lance.pagination.limit_zero.*",
        "lance.pagination.foreign_token.*",
        "lance.*.stream.*",
        "lance.table.create.schema_refused",
        "lance.rows.*.schema.*",
        "lance.rows.*.shape.*",
        "lance.rows.*.predicate.*",
        "lance.rows.merge.*_filter.*",
        "lance.rows.merge.doubled",
        "lance.rows.merge.flag_type.*",
        "lance.rows.merge.timeout.*",
        "lance.rows.update.expression.*",
        *(f"lance.arrow.special.{kind}" for kind in ("fixed_list_of_s*", "list_view", "empty_struct", "interval")),
        "lance.arrow.special.decimal32",
        *(f"lance.arrow.schema.{name}" for name in ("nameless_column", "doubled_field", "dotted_column", "row_*")),
        "lance.arrow.schema.no_columns",
        "lance.table.register.location_required",
        "lance.table.register.nothing_there",
        "lance.table.register.outside",
        "lance.table.rename.name_required",
        "lance.identifier.empty_part.*",
        "lance.identifier.body_path",
        "lance.index.*.type_unknown",
        "lance.index.*.declared",
        "lance.index.*.root",
        "lance.index.create.unfit.*",
        "lance.index.create.distance_unknown",
        "lance.index.create_scalar.vector_type",
        "lance.index.required.*",
        "lance.index.field_type.*",
        "lance.index.fts.unknown.*",
        "lance.index.stats.body_other",
        "lance.index.unnameable.*",
        "lance.index.reserved",
        "lance.version.create.unstaged",
        "lance.version.create.outside.*",
        "lance.version.delete.range.reversed",
        "lance.version.delete.range.negative_*",
        "lance.name.*.slash",
        "lance.name.*.backslash",
        "lance.name.*.dot",
        "lance.name.*.dot_dot",
        "lance.name.*.climbing",
        "lance.name.*.newline",
        "lance.name.*.tab",
        "lance.name.*.unit_separator",
        "lance.name.*.nul",
        "lance.name.*.length_1000",
    ],
)
declare(
    "credentials-ignored",
    "Who shows no credentials, or wrong ones, is let in.",
    status_becomes(401, 200),
    kills=["lance.auth.*", "spark.lance.error.unauthorized"],
)
declare(
    "unsupported",
    "Operations are refused as the API wants it for those that a server does not have.",
    answers(406, {"error": "This server does not have the operation.", "code": 0}),
)
declare(
    "unavailable",
    "The server cannot serve at the moment.",
    answers(503, {"error": "come back later", "code": 17}, {"Retry-After": "1"}),
)
declare(
    "throttled",
    "The caller sends too many requests.",
    answers(429, {"error": "too many requests", "code": 21}, {"Retry-After": "1"}),
)
declare("forbidden", "The caller may not do this.", answers(403, {"error": "not allowed", "code": 15}))
