"""UpdateFieldMetadata."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reference_server.errors import InvalidInput
from reference_server.lance.catalog.branches import chosen_table
from reference_server.lance.context import LanceContext
from reference_server.lance.data.paths import find_field

if TYPE_CHECKING:
    import pyarrow as pa

Answer = dict[str, Any]
Metadata = dict[str, str]


async def update_field_metadata(context: LanceContext) -> Answer:
    """Change the metadata of fields, in one version. Raises TableColumnNotFound."""
    table = await chosen_table(context)
    updates = context.body["updates"]
    if not updates or len({update["path"] for update in updates}) < len(updates):
        raise InvalidInput("Changing metadata needs at least one field, and one entry for each.")

    def change(dataset: Any) -> Answer:
        fields = {update["path"]: _changed(dataset.schema, update) for update in updates}
        dataset.update_field_metadata(fields, replace=True)
        return {"version": dataset.version, "fields": fields}

    return await context.change(table, change)


def _changed(schema: pa.Schema, update: Answer) -> Metadata:
    """Return the metadata of a field after an update: replaced, or merged, where null removes a key."""
    field = find_field(schema, update["path"])
    stored = {} if update.get("replace") else metadata_of(field)
    return {key: value for key, value in {**stored, **update["metadata"]}.items() if value is not None}


def metadata_of(field: pa.Field) -> Metadata:
    """Return the metadata of a field as texts."""
    return {
        key.decode(errors="replace"): value.decode(errors="replace") for key, value in (field.metadata or {}).items()
    }
