"""Arrow schemas as the JSON of the Lance Namespace: a name for each type, children as fields.

The form has no place for a unit or a time zone, and packs a decimal's precision and scale into
`length` as precision * 1000 + scale; a dictionary shows the type of its values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

JsonType = dict[str, Any]
NAMES = {
    "halffloat": "float16",
    "float": "float32",
    "double": "float64",
    "string": "utf8",
    "string_view": "utf8",
    "large_string": "large_utf8",
    "binary_view": "binary",
    "date32[day]": "date32",
    "date64[ms]": "date64",
}


def schema_to_json(schema: pa.Schema) -> JsonType:
    """Return a schema as JsonArrowSchema."""
    described: JsonType = {"fields": [field_to_json(field) for field in schema]}
    if schema.metadata:
        described["metadata"] = _text(schema.metadata)
    return described


def field_to_json(field: pa.Field) -> JsonType:
    """Return a field as JsonArrowField."""
    described: JsonType = {"name": field.name, "nullable": field.nullable, "type": type_to_json(field.type)}
    if field.metadata:
        described["metadata"] = _text(field.metadata)
    return described


def type_to_json(kind: pa.DataType) -> JsonType:
    """Return a type as JsonArrowDataType."""
    from pyarrow import types  # noqa: PLC0415 - slow to import

    if types.is_dictionary(kind):
        return type_to_json(kind.value_type)
    if types.is_decimal(kind):
        return {"type": f"decimal{kind.bit_width}", "length": kind.precision * 1000 + kind.scale}
    if types.is_fixed_size_binary(kind):
        return {"type": "fixed_size_binary", "length": kind.byte_width}
    if types.is_fixed_size_list(kind):
        return {"type": "fixed_size_list", "length": kind.list_size, "fields": _children(kind)}
    if types.is_map(kind):
        return {"type": "map", "fields": [_map_entries(kind)]}
    if kind.num_fields:
        name = "struct" if types.is_struct(kind) else "large_list" if types.is_large_list(kind) else "list"
        return {"type": name, "fields": _children(kind)}
    text = str(kind)
    return {"type": NAMES.get(text, text.partition("[")[0])}


def _children(kind: pa.DataType) -> list[JsonType]:
    return [field_to_json(kind.field(index)) for index in range(kind.num_fields)]


def _map_entries(kind: pa.DataType) -> JsonType:
    fields = [field_to_json(kind.key_field), field_to_json(kind.item_field)]
    return {"name": "entries", "nullable": False, "type": {"type": "struct", "fields": fields}}


def _text(metadata: dict[bytes, bytes]) -> dict[str, str]:
    return {key.decode(errors="replace"): value.decode(errors="replace") for key, value in metadata.items()}
