"""Seeds of Lance catalogs: namespaces, and tables with rows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any

import orjson

from reference_server.errors import NotFound
from reference_server.seeding.nodes import Node, commits_of
from reference_server.seeding.planting import Planter, Step

if TYPE_CHECKING:
    import pyarrow as pa

VECTOR = re.compile(r"vector\[(\d{1,6})\]")
LIST = re.compile(r"list<(.+)>")
CONTENT = ("namespaces", "tables")
Path = tuple[str, ...]


def read_seed(node: Node) -> list[Step]:
    """Return the steps of a seed. Raises Problem."""
    fields = node.fields(*CONTENT)
    steps = []
    for name, properties in fields.get("namespaces", Node(None)).named():
        steps.append(_namespace(properties, properties.path(name)))
    for name, table in fields.get("tables", Node(None)).entries():
        steps += _table(table, table.path(name))
    return steps


def _id(path: Path) -> dict[str, str]:
    return {"id": "$".join(path)}


def _namespace(node: Node, path: Path) -> Step:
    properties = node.texts

    async def plant(planter: Planter) -> None:
        await _ensure(planter, node, path[:-1])
        await planter.call(node, "CreateNamespace", _id(path), {"properties": properties})

    return Step(node, plant)


async def _ensure(planter: Planter, node: Node, path: Path) -> None:
    """Create a namespace and those above it, unless they exist."""
    for end in range(1, len(path) + 1):
        try:
            await planter.attempt(node, "DescribeNamespace", _id(path[:end]), {})
        except NotFound:
            await planter.call_unless_exists(node, "CreateNamespace", _id(path[:end]), {})


def _table(node: Node, path: Path) -> list[Step]:
    """Return the steps of a table; one without schema and rows is declared."""
    fields = node.fields("schema", "rows", "commits", "properties")
    properties = fields.get("properties", Node(None)).texts
    commits = commits_of(fields)
    schema = fields.get("schema", Node(None))
    if not schema.entries() and not any(rows.items() for rows in commits):
        return [_declared(node, path, properties)]
    first = commits[0] if commits else Node([], node.place)
    steps = [_filled(first, path, _stream(first, schema), properties)]
    return [*steps, *(_inserted(rows, path, _stream(rows, schema)) for rows in commits[1:])]


def _declared(node: Node, path: Path, properties: Mapping[str, str]) -> Step:
    async def plant(planter: Planter) -> None:
        await _ensure(planter, node, path[:-1])
        await planter.call(node, "DeclareTable", _id(path), {"properties": properties})

    return Step(node, plant)


def _filled(rows: Node, path: Path, body: bytes, properties: Mapping[str, str]) -> Step:
    async def plant(planter: Planter) -> None:
        await _ensure(planter, rows, path[:-1])
        query = {"properties": orjson.dumps(properties).decode()} if properties else {}
        await planter.call(rows, "CreateTable", _id(path), body, **query)

    return Step(rows, plant)


def _inserted(rows: Node, path: Path, body: bytes) -> Step:
    async def plant(planter: Planter) -> None:
        await planter.call(rows, "InsertIntoTable", _id(path), body, mode="append")

    return Step(rows, plant)


def _stream(rows: Node, schema: Node) -> bytes:
    """Return rows as an Arrow stream; without a schema their types follow from the values. Raises Problem."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import, and only seeds with rows need it

    fields = [pa.field(name, _type(node)) for name, node in schema.entries()]
    values = [dict(row.entries()) for row in rows.items()]
    plain = [{name: node.value for name, node in row.items()} for row in values]
    for row in values:
        for name, node in row.items():
            if fields and name not in {field.name for field in fields}:
                raise node.problem(f"there is no column {name!r}")
    try:
        table = _from_rows(plain, fields) if fields else pa.Table.from_pylist(plain)
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        raise rows.problem(str(error).partition("\n")[0]) from None
    sink = BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def _from_rows(rows: list[dict[str, Any]], fields: list[pa.Field]) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415

    arrays = [_array([row.get(field.name) for row in rows], field.type) for field in fields]
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def _array(values: list[Any], kind: pa.DataType) -> pa.Array:
    """Return values as an array; dates and times may be text, as JSON has them."""
    import pyarrow as pa  # noqa: PLC0415

    written = any(isinstance(value, str) for value in values) and pa.types.is_temporal(kind)
    return pa.array(values, pa.string()).cast(kind) if written else pa.array(values, kind)


def _type(node: Node) -> pa.DataType:
    """Return the Arrow type of a name: `int64`, `string`, `list<int64>`, `vector[128]`. Raises Problem."""
    import pyarrow as pa  # noqa: PLC0415

    if match := VECTOR.fullmatch(node.text):
        return pa.list_(pa.float32(), int(match[1]))
    if match := LIST.fullmatch(node.text):
        return pa.list_(_type(Node(match[1], node.place)))
    try:
        return pa.type_for_alias(node.text)
    except ValueError:
        hint = "Types are those of Arrow: int64, float32, string, bool, date32, timestamp[us], list<...>, vector[N]."
        raise node.problem(f"{node.text!r:.100} is no type", hint) from None
