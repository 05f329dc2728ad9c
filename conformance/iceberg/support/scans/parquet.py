"""Writer of small Parquet files: one row group with one plain, uncompressed page for each column, without statistics.

Every column but the keys of a map is optional. Columns carry their field ids. Levels follow Dremel: the repetition
level says in which list a value continues, the definition level how many optional or repeated parts around it exist.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from conformance.iceberg.support.scans.thrift import Value, boolean, i32, i64, listing, struct, text, varint
from conformance.iceberg.support.scans.values import base, packed, parameters

MAGIC = b"PAR1"
REQUIRED, OPTIONAL, REPEATED = 0, 1, 2
BOOLEAN, INT32, INT64, FLOAT, DOUBLE, BYTES, FIXED = 0, 1, 2, 4, 5, 6, 7
PHYSICAL = {
    "boolean": BOOLEAN,
    "int": INT32,
    "long": INT64,
    "float": FLOAT,
    "double": DOUBLE,
    "date": INT32,
    "time": INT64,
    "timestamp": INT64,
    "timestamptz": INT64,
    "string": BYTES,
    "binary": BYTES,
    "uuid": FIXED,
    "fixed": FIXED,
    "decimal": FIXED,
}
CONVERTED = {"string": 0, "map": 1, "list": 3, "decimal": 5, "date": 6, "time": 8, "timestamptz": 10}
NOTHING = struct({})
PLAIN, RLE = i32(0), i32(3)


def _in_micros(*, utc: bool) -> Value:
    return struct({1: boolean(utc), 2: struct({2: NOTHING})})


LOGICAL = {
    "string": struct({1: NOTHING}),
    "map": struct({2: NOTHING}),
    "list": struct({3: NOTHING}),
    "date": struct({6: NOTHING}),
    "time": struct({7: _in_micros(utc=False)}),
    "timestamp": struct({8: _in_micros(utc=False)}),
    "timestamptz": struct({8: _in_micros(utc=True)}),
    "uuid": struct({14: NOTHING}),
}


@dataclass(frozen=True)
class Node:
    """A node of a Parquet schema: a column, or a group of nodes; `levels` are those of its values when they exist."""

    name: str
    type: str
    repetition: int
    path: tuple[str, ...]
    levels: tuple[int, int]
    id: int | None = None
    children: tuple[Node, ...] = ()
    slots: list[tuple[int, int, Any]] = field(default_factory=list)

    def every(self) -> Iterator[Node]:
        """Yield this node and all below it, in the order of the schema."""
        yield self
        for child in self.children:
            yield from child.every()

    def columns(self) -> Iterator[Node]:
        """Yield the columns below this node, or the node itself."""
        return (node for node in self.every() if not node.children)


def parquet_file(
    fields: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]
) -> tuple[bytes, dict[int, int]]:
    """Return a Parquet file of rows, and the size in bytes of each column outside of lists by its id, {} without."""
    nodes = [_node(each["name"], each["type"], each["id"], (), (0, 0)) for each in fields]
    for row in rows:
        for node in nodes:
            _shred(node, row.get(node.name), (0, 0))
    out, chunks, sizes = bytearray(MAGIC), [], dict[int, int]()
    for column in (column for node in nodes for column in node.columns() if rows):
        start, page = len(out), _page(column)
        out += page
        chunks.append(_chunk(column, start, len(page)))
        if column.id is not None and not column.levels[0]:
            sizes[column.id] = len(page)
    out += (footer := _footer(nodes, chunks, len(rows), len(out)))
    return bytes(out) + len(footer).to_bytes(4, "little") + MAGIC, sizes


def _node(
    name: str, type: Any, id: int | None, above: tuple[str, ...], levels: tuple[int, int], repetition: int = OPTIONAL
) -> Node:
    """Return the node of a field of an Iceberg type; `levels` are those of what is around it."""
    path = (*above, name)
    repeated, defined = levels
    own = (repeated, defined + (repetition == OPTIONAL))
    if isinstance(type, str):
        return Node(name, type, repetition, path, own, id)
    if type["type"] == "struct":
        children = [_node(each["name"], each["type"], each["id"], path, own) for each in type["fields"]]
        return Node(name, "struct", repetition, path, own, id, tuple(children))
    group = "list" if type["type"] == "list" else "key_value"
    parts = {"element": OPTIONAL} if type["type"] == "list" else {"key": REQUIRED, "value": OPTIONAL}
    inner = (own[0] + 1, own[1] + 1)
    items = [_node(part, type[part], type[f"{part}-id"], (*path, group), inner, kind) for part, kind in parts.items()]
    repeated_node = Node(group, "", REPEATED, (*path, group), inner, children=tuple(items))
    return Node(name, type["type"], repetition, path, own, id, (repeated_node,))


def _shred(node: Node, value: Any, at: tuple[int, int]) -> None:
    """Distribute a value over the columns of a node; `at` are the levels with which it begins."""
    repeated, defined = at
    if value is None and node.repetition == OPTIONAL:
        for column in node.columns():
            column.slots.append((repeated, defined, None))
        return
    defined = node.levels[1]
    if not node.children:
        node.slots.append((repeated, defined, value))
    elif node.type == "struct":
        for child in node.children:
            _shred(child, value.get(child.name), (repeated, defined))
    else:
        _shred_items(node, value, (repeated, defined))


def _shred_items(node: Node, value: Any, at: tuple[int, int]) -> None:
    (group,) = node.children
    items = list(value.items()) if isinstance(value, Mapping) else list(value)
    if not items:
        for column in group.columns():
            column.slots.append((*at, None))
    for number, item in enumerate(items):
        begins = (at[0] if number == 0 else group.levels[0], group.levels[1])
        for child, part in zip(group.children, item if node.type == "map" else [item], strict=True):
            _shred(child, part, begins)


# Pages


def _page(column: Node) -> bytes:
    """Return the page of a column with its header."""
    most_repeated, most_defined = column.levels
    values = [value for _, defined, value in column.slots if defined == most_defined]
    repetitions = _levels([level for level, _, _ in column.slots], most_repeated)
    definitions = _levels([level for _, level, _ in column.slots], most_defined)
    body = repetitions + definitions + _plain(column.type, values)
    described = struct({1: i32(len(column.slots)), 2: PLAIN, 3: RLE, 4: RLE})
    return struct({1: i32(0), 2: i32(len(body)), 3: i32(len(body)), 5: described})[1] + body


def _levels(levels: Sequence[int], most: int) -> bytes:
    """Return levels as runs, with their length in front; nothing for levels that are always 0."""
    if not most:
        return b""
    runs = b"".join(varint(len(list(run)) << 1) + bytes([level]) for level, run in groupby(levels))
    return len(runs).to_bytes(4, "little") + runs


def _plain(type: str, values: Sequence[Any]) -> bytes:
    """Return values in the plain encoding."""
    name = base(type)
    if name == "boolean":
        bits = sum(1 << place for place, value in enumerate(values) if value)
        return bits.to_bytes((len(values) + 7) // 8, "little")
    contents = [packed(type, value) for value in values]
    if name == "decimal":
        return b"".join(_widened(content, _width(type)) for content in contents)
    if PHYSICAL[name] == BYTES:
        contents = [len(content).to_bytes(4, "little") + content for content in contents]
    return b"".join(contents)


def _widened(number: bytes, width: int) -> bytes:
    return int.from_bytes(number, "big", signed=True).to_bytes(width, "big", signed=True)


def _width(type: str) -> int:
    """Return the length of a value of a fixed length in bytes."""
    if base(type) == "decimal":
        largest: int = 10 ** parameters(type)[0]
        return largest.bit_length() // 8 + 1
    return 16 if base(type) == "uuid" else parameters(type)[0]


# The footer


def _chunk(column: Node, start: int, size: int) -> Value:
    path = listing([text(name) for name in column.path])
    encodings, count = listing([PLAIN, RLE]), i64(len(column.slots))
    described = {1: i32(PHYSICAL[base(column.type)]), 2: encodings, 3: path, 4: i32(0), 5: count}
    return struct({2: i64(start), 3: struct({**described, 6: i64(size), 7: i64(size), 9: i64(start)})})


def _footer(nodes: Sequence[Node], chunks: Sequence[Value], rows: int, end: int) -> bytes:
    root = struct({4: text("schema"), 5: i32(len(nodes))})
    schema = [root, *(_element(node) for top in nodes for node in top.every())]
    groups = [struct({1: listing(chunks), 2: i64(end - len(MAGIC)), 3: i64(rows)})] if chunks else []
    fields = {1: i32(2), 2: listing(schema), 3: i64(rows), 4: listing(groups) if groups else (9, b"\x0c")}
    return struct({**fields, 6: text("lakeproof")})[1]


def _element(node: Node) -> Value:
    """Return the element of a node in the schema of the file."""
    kind = base(node.type) if node.type else ""
    physical = None if node.children else PHYSICAL[kind]
    precision, scale = parameters(node.type) if kind == "decimal" else (None, None)
    logical = LOGICAL.get(kind)
    if precision is not None and scale is not None:
        logical = struct({5: struct({1: i32(scale), 2: i32(precision)})})
    return struct(
        {
            1: None if physical is None else i32(physical),
            2: i32(_width(node.type)) if physical == FIXED else None,
            3: i32(node.repetition),
            4: text(node.name),
            5: i32(len(node.children)) if node.children else None,
            6: i32(CONVERTED[kind]) if kind in CONVERTED else None,
            7: None if scale is None else i32(scale),
            8: None if precision is None else i32(precision),
            9: None if node.id is None else i32(node.id),
            10: logical,
        }
    )
