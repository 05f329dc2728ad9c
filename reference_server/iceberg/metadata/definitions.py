"""Definition of a table: its schema, partition spec and sort order, as a client sends them together."""

from __future__ import annotations

from typing import NamedTuple

from reference_server.iceberg.metadata.builder import Builder
from reference_server.iceberg.metadata.columns import Columns
from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.field_ids import assign_field_ids
from reference_server.iceberg.metadata.partition_specs import (
    add_spec,
    check_names,
    check_spec,
    read_spec,
    set_default_spec,
)
from reference_server.iceberg.metadata.reading import Json, obj, optional
from reference_server.iceberg.metadata.schemas import add_schema, read_schema, set_current_schema
from reference_server.iceberg.metadata.sort_orders import (
    FIRST_ID,
    UNSORTED,
    add_order,
    check_order,
    read_order,
    set_default_order,
)

UNPARTITIONED: Json = {"spec-id": 0, "fields": []}


class Definition(NamedTuple):
    """A schema, and the spec and order that refer to its columns."""

    schema: Json
    spec: Json
    order: Json
    columns: Columns


def read_definition(request: Json) -> Definition:
    """Return the definition in a create request. Raises InvalidMetadata when its parts do not fit together."""
    schema = read_schema(obj(request, "schema"))
    spec = read_spec(optional(obj, request, "partition-spec") or UNPARTITIONED)
    order = read_order(optional(obj, request, "write-order") or UNSORTED)
    columns = Columns(schema)
    check_names(spec, columns)
    check_spec(spec, columns)
    check_order(order, columns)
    return Definition(schema, spec, order, columns)


def with_fresh_ids(written: Definition, last: int = 0, known: Columns | None = None) -> Definition:
    """Return a definition with column ids after `last`, or the ids of `known` columns of the same name.

    Partition field ids are left out, and the order gets the first id: adding them to a table assigns these.
    """
    schema, _ = assign_field_ids(written.schema, last, known)
    columns = Columns(schema)
    spec = {**written.spec, "fields": [_rebind(field, written.columns, columns) for field in written.spec["fields"]]}
    fields = [_rebind(field, written.columns, columns) for field in written.order["fields"]]
    order = {**written.order, "order-id": FIRST_ID, "fields": fields} if fields else UNSORTED
    return Definition(schema, spec, order, columns)


def define(builder: Builder, definition: Definition) -> None:
    """Add a definition to a table and make it the current one."""
    set_current_schema(builder, add_schema(builder, definition.schema))
    set_default_spec(builder, add_spec(builder, definition.spec))
    set_default_order(builder, add_order(builder, definition.order))


def _rebind(field: Json, written: Columns, fresh: Columns) -> Json:
    """Return a partition or sort field with the fresh id of its source."""
    source = written.by_id.get(field["source-id"])
    if source is None:
        raise InvalidMetadata(f"There is no column {field['source-id']} to partition or sort by.")
    bound = {**field, "source-id": fresh.ids[source.name]}
    bound.pop("field-id", None)
    return bound
