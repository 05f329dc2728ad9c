"""Arrow schemas as the JSON of the Lance Namespace: a name for each type, children as fields.

The form has no place for a unit or a time zone, and packs a decimal's precision and scale into
`length` as precision * 1000 + scale; a dictionary shows the type of its values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reference_server.errors import InvalidInput

if TYPE_CHECKING:
    import pyarrow as pa

JsonType = dict[str, Any]


def getter(name: str, *arguments: Any) -> Callable[[Any], Any]:
    """Return a function that makes a type out of the module pyarrow."""
    return lambda pyarrow: getattr(pyarrow, name)(*arguments)


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


# What a type's name means where it has no children and no length; units are those that Lance prefers.
FROM_NAMES: dict[str, Callable[[Any], Any]] = {
    **{name: getter(name) for name in ("null", "bool_", "string", "large_string", "binary", "large_binary")},
    **{f"{sign}int{bits}": getter(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)},
    **{f"float{bits}": getter(f"float{bits}") for bits in (16, 32, 64)},
    "date32": getter("date32"),
    "date64": getter("date64"),
    "bool": getter("bool_"),
    "utf8": getter("string"),
    "large_utf8": getter("large_string"),
    "time32": getter("time32", "s"),
    "time64": getter("time64", "us"),
    "timestamp": getter("timestamp", "us"),
    "duration": getter("duration", "us"),
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


def type_from_json(described: JsonType) -> pa.DataType:
    """Return the type of a JsonArrowDataType. Raises InvalidInput for one that is none."""
    import pyarrow as pa  # noqa: PLC0415

    name, length = str(described.get("type", "")).lower(), described.get("length")
    fields = [_field_from_json(field) for field in described.get("fields") or []]
    if name in FROM_NAMES:
        return FROM_NAMES[name](pa)
    if name in ("decimal128", "decimal256") and length is not None:
        return getattr(pa, name)(length // 1000, length % 1000)
    if name == "fixed_size_binary" and length is not None:
        return pa.binary(length)
    if name == "fixed_size_list" and length is not None and len(fields) == 1:
        return pa.list_(fields[0], length)
    if name in ("list", "large_list") and len(fields) == 1:
        return (pa.list_ if name == "list" else pa.large_list)(fields[0])
    if name == "struct" and fields:
        return pa.struct(fields)
    raise InvalidInput(f"The type {described} is none that a column can have.")


def _field_from_json(described: JsonType) -> pa.Field:
    import pyarrow as pa  # noqa: PLC0415

    return pa.field(described["name"], type_from_json(described["type"]), described.get("nullable", True))


def _children(kind: pa.DataType) -> list[JsonType]:
    return [field_to_json(kind.field(index)) for index in range(kind.num_fields)]


def _map_entries(kind: pa.DataType) -> JsonType:
    fields = [field_to_json(kind.key_field), field_to_json(kind.item_field)]
    return {"name": "entries", "nullable": False, "type": {"type": "struct", "fields": fields}}


def _text(metadata: dict[bytes, bytes]) -> dict[str, str]:
    return {key.decode(errors="replace"): value.decode(errors="replace") for key, value in metadata.items()}
