"""Updates of columns: every expression sees the row before the update.

Lance sets one column after the other, in any order, and lets an expression see columns that are already set. Where
expressions refer to other updated columns, this module computes the new values from the old rows and writes them at
once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reference_server.errors import InvalidInput
from reference_server.lance.data.sql import mentions

if TYPE_CHECKING:
    import pyarrow as pa


def assign(dataset: Any, updates: dict[str, str], where: str | None) -> tuple[int, Any]:
    """Set columns of matching rows to the values of SQL expressions.

    Returns the number of updated rows, and the dataset afterwards. Raises InvalidInput for values that do not fit their
    column.
    """
    if _depend(updates):
        return _assign_at_once(dataset, updates, where)
    outcome = dataset.update(updates, where=where)
    return outcome["num_rows_updated"], dataset


def _depend(updates: dict[str, str]) -> bool:
    """Return whether an expression may refer to another updated column."""
    return any(
        mentions(expression, other) for column, expression in updates.items() for other in updates if other != column
    )


def _assign_at_once(dataset: Any, updates: dict[str, str], where: str | None) -> tuple[int, Any]:
    import lance  # noqa: PLC0415 - slow to import

    changed, fields, count = [], set[int](), 0
    for fragment in dataset.get_fragments():
        scanner = dataset.scanner(columns=updates, filter=where, with_row_id=True, fragments=[fragment])
        values = _fitting(scanner.to_table(), dataset.schema)
        if values.num_rows:
            metadata, modified = fragment.update_columns(values, left_on="_rowid", right_on="_rowid")
            changed.append(metadata)
            fields.update(modified)
            count += values.num_rows
    operation = lance.LanceOperation.Update(updated_fragments=changed, fields_modified=sorted(fields))
    return count, lance.LanceDataset.commit(dataset, operation, read_version=dataset.version)


def _fitting(values: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return computed values in the types of their columns. Raises InvalidInput for values that do not fit."""
    import pyarrow as pa  # noqa: PLC0415

    fields = [field if field.name == "_rowid" else schema.field(field.name) for field in values.schema]
    try:
        fitting = values.cast(pa.schema(fields))
    except (pa.ArrowException, ValueError) as error:
        raise InvalidInput(f"A new value does not fit its column: {error}.") from None
    for field in fields:
        if not field.nullable and fitting[field.name].null_count:
            raise InvalidInput(f"The column {field.name!r} cannot be null.")
    return fitting
