"""Columns derived from types: the Spark types of fields of results, and the schema for reading a part of a file.

A path is a field within structs and lists: `run.seconds`, `requirements.verdict`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import inspect

DATE_TIME = "date-time"
LARGEST_INT = 2**31 - 1
SIMPLE: dict[Any, str] = {
    inspect.StrType: "string",
    inspect.LiteralType: "string",
    inspect.BoolType: "boolean",
    inspect.FloatType: "double",
}


def column_type(record_type: type, path: str) -> str:
    """Return the Spark type of a field. Raises TypeError for an unknown field."""
    kind = inspect.type_info(record_type)
    for name in path.split("."):
        kind = _field(kind, name)
    if isinstance(kind, inspect.Metadata) and (kind.extra_json_schema or {}).get("format") == DATE_TIME:
        return "timestamp"
    return _simple(kind)


def read_type(record_type: type, paths: Iterable[str]) -> str:
    """Return the schema for Spark's reader of a file, with only the fields of some paths."""
    return _columns(inspect.type_info(record_type), [path.split(".") for path in paths], " ")


def _columns(kind: inspect.Type, paths: Sequence[Sequence[str]], sign: str) -> str:
    """Return `name type` pairs of the fields at the beginning of paths; `sign` separates name and type."""
    deeper: dict[str, list[Sequence[str]]] = {}
    for first, *rest in paths:
        deeper.setdefault(first, []).append(rest)
    return ", ".join(f"{name}{sign}{_read(_field(kind, name), rests)}" for name, rests in deeper.items())


def _read(kind: inspect.Type, paths: Sequence[Sequence[str]]) -> str:
    if not all(paths):
        return _simple(kind)
    struct = f"struct<{_columns(kind, paths, ': ')}>"
    return f"array<{struct}>" if isinstance(_bare(kind), inspect.ListType) else struct


def _field(kind: inspect.Type, name: str) -> inspect.Type:
    bare = _bare(kind)
    bare = _bare(bare.item_type) if isinstance(bare, inspect.ListType) else bare
    fields = bare.fields if isinstance(bare, inspect.StructType) else ()
    for field in fields:
        if field.encode_name == name:
            return field.type
    raise TypeError(f"there is no field {name} in {bare}")


def _bare(kind: inspect.Type) -> Any:
    """Return a type without annotations and without null."""
    if isinstance(kind, inspect.Metadata):
        return _bare(kind.type)
    if isinstance(kind, inspect.UnionType):
        others = [member for member in kind.types if not isinstance(member, inspect.NoneType)]
        return _bare(others[0]) if len(others) == 1 else kind
    return kind


def _simple(kind: inspect.Type) -> str:
    bare = _bare(kind)
    if isinstance(bare, inspect.IntType):
        return "int" if bare.le is not None and bare.le <= LARGEST_INT else "bigint"
    if isinstance(bare, inspect.ListType):
        return f"array<{_simple(bare.item_type)}>"
    if type(bare) not in SIMPLE:
        raise TypeError(f"a column cannot have the type {bare}")
    return SIMPLE[type(bare)]
