"""AlterTableBackfillColumns: computed columns are filled by their expressions.

A computed column is one of SQL, which AlterTableAddColumns stores in the metadata of its field; columns of functions
of users are not supported. The rows are filled before the answer: its job is the transaction that filled them.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from reference_server.context import Reply, json_reply
from reference_server.errors import InvalidInput, Unsupported
from reference_server.lance.catalog.branches import chosen_table
from reference_server.lance.context import LanceContext
from reference_server.lance.data.assignments import assign
from reference_server.lance.data.paths import find_values
from reference_server.lance.data.sql import whole
from reference_server.lance.handlers.field_metadata import metadata_of
from reference_server.lance.handlers.transactions import transaction_of

if TYPE_CHECKING:
    import pyarrow as pa

BINDING = "computed.expression"
"""Key of a field's metadata with the SQL of a computed column."""
ACCEPTED = 202


async def alter_table_backfill_columns(context: LanceContext) -> Reply:
    """Fill a computed column in the rows that match a condition. Raises TableColumnNotFound."""
    table = await chosen_table(context)
    column, text, version = context.body["column"], context.body.get("where"), context.number("read_version")
    where = None if text is None else await context.read_sql(whole, text)

    def fill(dataset: Any) -> dict[str, Any]:
        if version not in (None, dataset.version):
            raise Unsupported(
                f"Lance fills a column from the newest version, {dataset.version}, not from {version}. "
                "Leave out read_version."
            )
        expression = metadata_of(find_values(dataset.schema, column)).get(BINDING)
        if expression is None:
            raise InvalidInput(f"The column {column!r} has no expression: it was not added as a computed column.")
        _, filled = assign(dataset, {column: whole(expression)}, where)
        return transaction_of(context, filled)

    made = await context.change(table, fill, version)
    return json_reply({"job_id": made.get("transaction_id") or secrets.token_hex(16)}, ACCEPTED)


def computed_field(dataset: Any, name: str, expression: str) -> pa.Field:
    """Return the field of a new computed column: nullable, of the type of its expression, which it carries."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    (field,) = [
        field for field in dataset.scanner(columns={name: whole(expression)}).projected_schema if field.name == name
    ]
    return pa.field(name, field.type, nullable=True, metadata={BINDING: expression})
