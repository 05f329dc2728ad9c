"""Arrow schemas as JSON of the Lance Namespace: a name for each type, children as fields.

This form has no place for a unit or a time zone, and packs a decimal's precision and scale into `length` as precision *
1000 + scale; a dictionary has the type of its values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reference_server.errors import InvalidInput

if TYPE_CHECKING:
    import pyarrow as pa

JsonType = dict[str, Any]
LARGEST_LENGTH = 2**31 - 1
DEEPEST = 64


def getter(name: str, *arguments: Any) -> Callable[[Any], Any]:
    """Return a function that makes a type from the module pyarrow."""
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


# Types without children and length, by name; units are those that Lance prefers.
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
    """Return the type of a JsonArrowDataType. Raises InvalidInput for an unreadable one."""
    try:
        return _type(described)
    except (ValueError, TypeError, LookupError, AttributeError, NotImplementedError):
        # The document only says that a type is an object: its content may be anything.
        raise InvalidInput(f"The type {str(described)[:200]} is not a type of columns.") from None


def _type(described: JsonType, depth: int = 0) -> pa.DataType:
    import pyarrow as pa  # noqa: PLC0415

    name = described["type"].lower()
    if name in FROM_NAMES:
        return FROM_NAMES[name](pa)
    if name in ("decimal128", "decimal256"):
        return getattr(pa, name)(*divmod(_length(described), 1000))
    if name == "fixed_size_binary":
        return pa.binary(_length(described))
    fields = [_field(field, depth + 1) for field in described["fields"]]
    if name == "struct" and fields:
        return pa.struct(fields)
    (item,) = fields
    if name == "fixed_size_list":
        return pa.list_(item, _length(described))
    return {"list": pa.list_, "large_list": pa.large_list}[name](item)


def _field(described: JsonType, depth: int) -> pa.Field:
    import pyarrow as pa  # noqa: PLC0415

    if depth > DEEPEST:
        raise ValueError(depth)
    return pa.field(described["name"], _type(described["type"], depth), described.get("nullable", True))


def _length(described: JsonType) -> int:
    """Return the length of a type. Raises ValueError outside 1 to 31 bits: Arrow ignores a negative one."""
    length = described["length"]
    if not 0 < length <= LARGEST_LENGTH or length != int(length):
        raise ValueError(length)
    return int(length)


def _children(kind: pa.DataType) -> list[JsonType]:
    return [field_to_json(kind.field(index)) for index in range(kind.num_fields)]


def _map_entries(kind: pa.DataType) -> JsonType:
    fields = [field_to_json(kind.key_field), field_to_json(kind.item_field)]
    return {"name": "entries", "nullable": False, "type": {"type": "struct", "fields": fields}}


def _text(metadata: dict[bytes, bytes]) -> dict[str, str]:
    return {key.decode(errors="replace"): value.decode(errors="replace") for key, value in metadata.items()}
