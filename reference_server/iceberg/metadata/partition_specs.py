"""Partition specs: reading and comparing them, and the updates of a table's list of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from itertools import chain
from types import MappingProxyType

from reference_server.iceberg.metadata.builder import LAST_ADDED, Builder
from reference_server.iceberg.metadata.columns import Column, Columns
from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.reading import Json, integer, objects, optional, text
from reference_server.iceberg.metadata.transforms import VOID, canonical_transform, takes, with_source
from reference_server.iceberg.metadata.types import is_primitive, type_name

FIRST_FIELD_ID = 1000
"""The first id of partition fields."""
UNPARTITIONED_LAST_ID = FIRST_FIELD_ID - 1
FieldIds = Mapping[Hashable, int]
"""Ids of partition fields by their source and transform."""
NO_FIELDS: FieldIds = MappingProxyType({})


def read_spec(node: Json) -> Json:
    """Return a spec in its stored form; its field ids may be missing, all of them or none.

    A missing spec id becomes 0. Raises InvalidMetadata for an invalid spec.
    """
    fields = [_read_field(field) for field in objects(node, "fields")]
    if len({"field-id" in field for field in fields}) > 1:
        raise InvalidMetadata("A partition spec has field ids on all of its fields or on none.")
    return {**node, "spec-id": optional(integer, node, "spec-id") or 0, "fields": fields}


def number_fields(spec: Json, known: FieldIds = NO_FIELDS, last: int = UNPARTITIONED_LAST_ID) -> Json:
    """Return a spec with field ids: those of equal `known` fields, else the ids after `last`."""
    if all("field-id" in field for field in spec["fields"]):
        return spec
    numbered = []
    for field in spec["fields"]:
        field_id = known.get(_source(field))
        if field_id is None:
            last += 1
            field_id = last
        numbered.append({**field, "field-id": field_id})
    return {**spec, "fields": numbered}


def shape_of_spec(spec: Json) -> tuple[tuple[int, str, str], ...]:
    """Return the sources, transforms and names of a spec's fields, without ids."""
    return tuple((*_source(field), field["name"]) for field in spec["fields"])


def last_field_id(spec: Json) -> int:
    """Return the highest field id of a spec, 999 for one without fields."""
    return max((field["field-id"] for field in spec["fields"]), default=UNPARTITIONED_LAST_ID)


def is_sequential(spec: Json) -> bool:
    """Return whether the field ids are 1000, 1001 and so on, as format version 1 requires."""
    return [field["field-id"] for field in spec["fields"]] == list(
        range(FIRST_FIELD_ID, FIRST_FIELD_ID + len(spec["fields"]))
    )


def check_names(spec: Json, columns: Columns) -> None:
    """Raise InvalidMetadata for a field without a name, with a repeated name, or with the name of another column."""
    names: set[str] = set()
    for field in spec["fields"]:
        name, source = field["name"], field["source-id"]
        if not name or name in names:
            raise InvalidMetadata(f"Partition fields need unique names; {name!r:.100} is empty or occurs twice.")
        names.add(name)
        named = columns.id_of(name)
        if named is not None and named != source and source in columns.by_id:
            raise InvalidMetadata(f"The partition field {name!r:.100} has the name of a column that is not its source.")


def check_spec(spec: Json, columns: Columns) -> None:
    """Raise InvalidMetadata unless every field of a spec can be computed from the columns."""
    for field in spec["fields"]:
        if field["transform"] != VOID:
            _check_source(field, columns)


def add_spec(builder: Builder, spec: Json) -> int:
    """Add a spec under the next id, unless an equal one exists, and return its id."""
    columns = builder.columns()
    check_names(spec, columns)
    check_spec(spec, columns)
    same = builder.same("partition-specs", "spec-id", spec, shape_of_spec)
    if same is not None:
        builder.last_spec = same
        return same
    last = max(builder.get("last-partition-id"), UNPARTITIONED_LAST_ID)
    in_sequence = builder.version == 1
    spec = number_fields(spec) if in_sequence else number_fields(spec, _known_fields(builder), last)
    if in_sequence and not is_sequential(spec):
        raise InvalidMetadata("Format version 1 numbers partition fields 1000, 1001 and so on.")
    new_id = builder.numbered("partition-specs", "spec-id").next_id(0)
    builder.add("partition-specs", "spec-id", {**spec, "spec-id": new_id})
    builder.put("last-partition-id", max(last, last_field_id(spec)))
    builder.last_spec = new_id
    return new_id


def set_default_spec(builder: Builder, spec_id: int) -> None:
    """Make a spec the default one for new data."""
    if spec_id == LAST_ADDED:
        spec_id = builder.last_added(builder.last_spec, "partition spec")
    if spec_id != builder.get("default-spec-id"):
        builder.find("partition-specs", "spec-id", spec_id)
        builder.put("default-spec-id", spec_id)


def remove_specs(builder: Builder, spec_ids: list[int]) -> None:
    """Remove specs; unknown ids are ignored. Raises InvalidMetadata for the default one."""
    if builder.get("default-spec-id") in spec_ids:
        raise InvalidMetadata("The default partition spec cannot be removed.")
    builder.remove("partition-specs", "spec-id", spec_ids)


def replacing_spec(builder: Builder, spec: Json) -> Json:
    """Return a spec without field ids, numbered for a table whose definition is replaced.

    From format version 2 on, fields that the table had before keep their ids. In version 1, and in a commit that leaves
    it, every field of the current spec keeps its place: a field that the new spec lacks becomes one that is always
    null.
    """
    last = builder.get("last-partition-id")
    if builder.base is None or builder.base["format-version"] > 1:
        return number_fields(spec, _known_fields(builder), last)
    requested = {_source(field): field for field in spec["fields"]}
    names = {field["name"] for field in spec["fields"]}
    current = builder.find("partition-specs", "spec-id", builder.get("default-spec-id"))
    carried = [_carry(field, requested.pop(_source(field), None), names) for field in current["fields"]]
    added = [{**field, "field-id": last + count} for count, field in enumerate(requested.values(), 1)]
    return {**spec, "fields": list(chain(carried, added))}


def _carry(old: Json, new: Json | None, names: set[str]) -> Json:
    if new is not None:
        return {**new, "field-id": old["field-id"]}
    name = f"{old['name']}_{old['field-id']}" if old["name"] in names else old["name"]
    return {**old, "name": name, "transform": VOID}


def _read_field(field: Json) -> Json:
    text(field, "name")
    read = {**with_source(field), "transform": canonical_transform(text(field, "transform"))}
    if optional(integer, field, "field-id") is None:
        read.pop("field-id", None)
    return read


def _check_source(field: Json, columns: Columns) -> None:
    source: Column | None = columns.by_id.get(field["source-id"])
    name = field["name"]
    if source is None:
        raise InvalidMetadata(
            f"The partition field {name!r:.100} has no source: there is no column {field['source-id']}."
        )
    if not is_primitive(source.type) or not takes(field["transform"], source.type):
        raise InvalidMetadata(f"The partition field {name!r:.100} cannot be {field['transform']} of {source.name}.")
    if any(type_name(outer.type) != "struct" for outer in columns.ancestors(source)):
        raise InvalidMetadata(f"The partition field {name!r:.100} has its source in a list or a map.")


def _known_fields(builder: Builder) -> FieldIds:
    return builder.numbered("partition-specs", "spec-id").by_part(_sources)


def _sources(spec: Json) -> Iterator[tuple[Hashable, int]]:
    return ((_source(field), field["field-id"]) for field in spec["fields"])


def _source(field: Json) -> tuple[int, str]:
    return field["source-id"], field["transform"]
