"""Coverage of a document by a run, cell by cell.

A cell is one thing that can be done with an operation: `body /mode: = Create`, `query limit: 0`, `answer /location:
looked at`. `declared_cells` returns all cells of a document, `CellLog` collects those that occur in the exchanges of a
run. A field name starts with its part of the message: body, query, header or answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec

from conformance.values.declared_fields import ITEM, FieldNode, field_tree
from conformance.values.exchange import Exchange
from conformance.values.json_values import ALL_BELOW, read_json
from conformance.values.worlds import Dimension, cells_of_worlds
from specs.openapi import JSON_TYPE, Document, Operation, Parameter

VALUE, ABSENT, NULL, WRONG_TYPE, UNKNOWN_VALUE = "value", "absent", "null", "wrong type", "unknown value"
EMPTY, ONE, MANY, LOOKED = "empty", "one", "many", "looked at"
BIG, WRONG_METHOD, BELOW, AT_ONCE = (
    "body: above 2 MiB",
    "path: wrong method",
    "path: unknown below",
    "request: the same at once",
)
BIG_BODY = 2 * 1024 * 1024
NUMBERS = {-1: "-1", 0: "0", 2**31: "2^31", 2**53 + 1: "2^53+1"}
SMALL_NUMBERS = {-1: "-1", 0: "0"}
EVERY_TYPE = {"boolean", "number", "string", "array", "object"}  # a field of all these types has no wrong type
TYPES: Mapping[type, tuple[str, ...]] = {
    bool: ("boolean",),
    int: ("integer", "number"),
    float: ("number",),
    str: ("string",),
    list: ("array",),
    dict: ("object",),
}
PLAIN_PARTS = ("query", "header")  # parts of a request whose fields are texts
READING = ("GET", "HEAD")
PARAMETER = re.compile(r"\{[^}]*\}")
PREFIX = re.compile(r"(/v\d+)/\{[^}]*\}")
MOST_ITEMS = 20  # items of a list that are read: the others are like them


@dataclass(frozen=True, slots=True)
class Levels:
    """A path parameter whose value has levels: a pattern of separators, and the numbers of levels to try."""

    parameter: str
    separators: str
    numbers: tuple[int, ...]

    def cell(self, value: str) -> str:
        """Return the cell of a value in a path."""
        parts = [part for part in re.split(self.separators, value) if part]
        return self.of(len(parts))

    def of(self, number: int) -> str:
        """Return the cell of a number of levels."""
        return f"path {self.parameter}: {number} level{'s' if number != 1 else ''}"


class CellRecord(msgspec.Struct, kw_only=True):
    """The cells of an operation that occurred in a run."""

    operation: str
    cells: list[str]


@dataclass(slots=True)
class CellReader:
    """A declared field that tells the cells of its values. Every request passes here, so their texts are made once."""

    node: FieldNode
    part: str
    absent: str
    fields: dict[str, CellReader]
    item: CellReader | None
    lists: dict[str, CellReader]  # the fields with a list at any depth
    numbers: dict[float, str]
    cells: dict[str, str] = field(default_factory=dict)  # by kind

    @classmethod
    def of(cls, node: FieldNode, part: str) -> CellReader:
        """Return the reader of a field of a part of messages, such as body."""
        fields = {name: cls.of(below, part) for name, below in node.fields.items()}
        item = cls.of(node.item, part) if node.item else None
        lists = {name: below for name, below in fields.items() if below.item or below.lists}
        return cls(node, part, f"{part} {node.path}: {ABSENT}", fields, item, lists, _numbers(node))

    def cell(self, kind: str) -> str:
        """Return the cell of a kind of value of the field itself."""
        known = self.cells.get(kind)
        if known is None:
            known = self.cells[kind] = f"{self.part} {self.node.path}: {kind}"
        return known

    def note(self, value: Any, seen: set[str]) -> None:
        """Add the cells of the fields of a value."""
        if isinstance(value, dict):
            for name, below in self.fields.items():
                if name in value:
                    inner = value[name]
                    seen.add(below.cell(below.kind(inner)))
                    below.note(inner, seen)
                else:
                    seen.add(below.absent)
        elif isinstance(value, list) and self.item:
            for inner in value[:MOST_ITEMS]:
                seen.add(self.item.cell(self.item.kind(inner)))
                self.item.note(inner, seen)

    def note_sizes(self, value: Any, seen: set[str]) -> None:
        """Add the cells of the lists in a value."""
        if isinstance(value, dict):
            for name, below in self.lists.items():
                if name in value:
                    below.note_sizes(value[name], seen)
        elif isinstance(value, list) and self.item and value:
            seen.add(self.cell(ONE if len(value) == 1 else MANY))
            if self.item.item or self.item.lists:
                for inner in value[:MOST_ITEMS]:
                    self.item.note_sizes(inner, seen)

    def kind(self, value: Any) -> str:
        """Return the kind of a value of the field itself."""
        node = self.node
        if value is None:
            return NULL
        if node.types and node.types.isdisjoint(_types_of(value)):
            return WRONG_TYPE
        if isinstance(value, list):
            return (EMPTY, ONE, MANY)[min(len(value), 2)]
        if isinstance(value, bool):
            return f"= {str(value).lower()}"
        if node.values:
            return f"= {value}" if str(value) in node.values else UNKNOWN_VALUE
        return self.numbers.get(value, VALUE) if isinstance(value, int | float) else VALUE


@dataclass(slots=True)
class Shape:
    """The fields that an operation's requests and answers have."""

    operation: Operation
    parameters: dict[tuple[str, str], CellReader]  # those of the query and the headers, by location and name
    body: CellReader | None
    answer: CellReader | None
    levels: tuple[Levels, ...]

    @classmethod
    def of(cls, document: Document, operation: Operation, levels: Iterable[Levels]) -> Shape:
        """Return the shape of an operation."""
        sent = operation.request.content.get(JSON_TYPE) if operation.request else None
        answers = (operation.responses[str(status)].content.get(JSON_TYPE) for status in operation.successes)
        answer = next((schema for schema in answers if schema), None)
        return cls(
            operation,
            {
                (parameter.location, parameter.name): CellReader.of(_parameter(document, parameter), parameter.location)
                for parameter in operation.parameters
                if parameter.location in PLAIN_PARTS
            },
            CellReader.of(field_tree(document, sent), "body") if sent else None,
            CellReader.of(field_tree(document, answer), "answer") if answer else None,
            tuple(scale for scale in levels if scale.parameter in operation.path_names),
        )

    def declared(self) -> Iterator[str]:
        """Yield all cells of the operation."""
        for reader in self.parameters.values():
            yield from map(reader.cell, _declared_kinds(reader.node, plain=True))
        for node in self.body.node.walk() if self.body else ():
            yield from (f"body {node.path}: {kind}" for kind in _declared_kinds(node, plain=False))
        for node in self.answer.node.walk() if self.answer else ():
            if not node.path.endswith(ITEM):
                yield f"answer {node.path}: {LOOKED}"
            if node.item:
                yield from (f"answer {node.path}: {size}" for size in (ONE, MANY))
        for scale in self.levels:
            yield from map(scale.of, scale.numbers)
        yield from (WRONG_METHOD, BELOW)
        if self.operation.request:
            yield BIG
        if self.operation.method not in READING:
            yield AT_ONCE

    def note(self, exchange: Exchange, seen: set[str]) -> None:
        """Add the cells of one exchange."""
        split = urlsplit(exchange.url)
        if self.parameters:
            query = parse_qs(split.query, keep_blank_values=True)
            headers = {name.lower(): [value] for name, value in exchange.request_headers.items()}
            for (location, name), reader in self.parameters.items():
                given = query.get(name) if location == "query" else headers.get(name.lower())
                seen.add(reader.cell(reader.kind(_parsed(reader.node, given[0]))) if given else reader.absent)
        if self.levels:
            values = self.operation.path_values(split.path)
            seen.update(scale.cell(values[scale.parameter]) for scale in self.levels if scale.parameter in values)
        if len(exchange.request_body) > BIG_BODY:
            seen.add(BIG)
        if self.body:
            self.body.note(read_json(exchange.request_body), seen)
        if self.answer and exchange.succeeded:
            self.answer.note_sizes(exchange.json(), seen)


def declared_cells(
    document: Document, levels: Iterable[Levels] = (), dimensions: Iterable[Dimension] = ()
) -> dict[str, list[str]]:
    """Return all cells of a document by operation, with those of the values of dimensions."""
    known, worlds = frozenset(levels), tuple(dimensions)
    shapes = shapes_of(document, known).items()
    varied = cells_of_worlds(document, worlds)
    return document.once(
        (declared_cells, known, worlds),
        lambda: {id: [*dict.fromkeys(shape.declared()), *varied[id]] for id, shape in shapes},
    )


def shapes_of(document: Document, levels: Iterable[Levels]) -> dict[str, Shape]:
    """Return the shapes of a document's operations by their ids; they are made once."""
    operations, known = document.operations.values(), frozenset(levels)
    return document.once(
        (shapes_of, known), lambda: {operation.id: Shape.of(document, operation, known) for operation in operations}
    )


@dataclass
class CellLog:
    """The cells that occurred in a run. All threads share one log."""

    document: Document
    levels: tuple[Levels, ...] = ()
    dimensions: tuple[Dimension, ...] = ()
    seen: dict[str, set[str]] = field(default_factory=dict)
    read: dict[str, set[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._shapes = shapes_of(self.document, self.levels)
        self._paths = [
            (operation, re.compile(_path_pattern(operation.path))) for operation in self.document.operations.values()
        ]

    def note(self, exchange: Exchange) -> None:
        """Note the cells of an exchange."""
        shape = self._shapes.get(exchange.operation)
        if shape:
            shape.note(exchange, self.seen.setdefault(exchange.operation, set()))
        else:
            self._stray(exchange.method, urlsplit(exchange.url).path)

    def look(self, exchange: Exchange, path: str) -> None:
        """Note that a requirement read a field of a successful answer."""
        if exchange.succeeded:
            self.read.setdefault(exchange.operation, set()).add(path)

    def enter(self, operation: str, cells: Iterable[str]) -> None:
        """Note that requests of an operation were sent in a world; `cells` are those of its values."""
        self.seen.setdefault(operation, set()).update(cells)

    def at_once(self, operation: str) -> None:
        """Note that two clients sent the same request at the same time."""
        self.seen.setdefault(operation, set()).add(AT_ONCE)

    def absorb(self, seen: Mapping[str, set[str]], read: Mapping[str, set[str]]) -> None:
        """Add the cells noted by another process of the run."""
        for mine, others in ((self.seen, seen), (self.read, read)):
            for operation, cells in others.items():
                mine.setdefault(operation, set()).update(cells)

    def records(self) -> list[CellRecord]:
        """Return the cells of the document that occurred, by operation."""
        declared = declared_cells(self.document, self.levels, self.dimensions)
        return [
            CellRecord(operation=name, cells=sorted(cells.intersection(declared[name])))
            for name, shape in self._shapes.items()
            for cells in [self.seen.get(name, set()) | self._looked(name, shape)]
        ]

    def _looked(self, name: str, shape: Shape) -> set[str]:
        paths = self.read.get(name, set())
        fields = shape.answer.node.walk() if shape.answer else ()
        return {f"answer {node.path}: {LOOKED}" for node in fields if _is_read(node.path, paths)}

    def _stray(self, method: str, path: str) -> None:
        """Note a request that matches no operation: another method of a path, or a path one or two levels below."""
        parent = path.rpartition("/")[0]
        for place, cell in ((path, WRONG_METHOD), (parent, BELOW), (parent.rpartition("/")[0], BELOW)):
            for operation, known in self._paths:
                if known.search(place) and (cell == BELOW or operation.method != method):
                    self.seen.setdefault(operation.id, set()).add(cell)


def _is_read(path: str, read: set[str]) -> bool:
    parents = [path[: end.start()] for end in re.finditer(r"/|$", path)]
    return path in read or any(parent + ALL_BELOW in read for parent in parents)


def _declared_kinds(node: FieldNode, *, plain: bool) -> Iterator[str]:
    """Yield the kinds of value of a field; `plain` fields are texts in a URL or header, which cannot be null."""
    if not node.path.endswith(ITEM):
        yield ABSENT
    if not plain:
        yield NULL
    if node.types and not node.types >= EVERY_TYPE and not (plain and "string" in node.types):
        yield WRONG_TYPE
    if "array" in node.types and not plain:
        yield from (EMPTY, ONE, MANY)
    elif node.values or "boolean" in node.types:
        yield from (f"= {value}" for value in node.values or ("true", "false"))
        if node.values:
            yield UNKNOWN_VALUE
    else:
        yield VALUE
        yield from _numbers(node).values()


def _numbers(node: FieldNode) -> dict[float, str]:
    """Return the numbers around the bounds of a field, and limits of machine integers if it is an integer."""
    if not node.types & {"integer", "number"}:
        return {}
    known = NUMBERS if "integer" in node.types else SMALL_NUMBERS
    beside = {bound + step for bound in node.bounds for step in (-1, 0, 1)}
    unlike = {number: str(number) for number in beside if number not in known}
    return dict([*known.items(), *unlike.items()])


def _types_of(value: Any) -> tuple[str, ...]:
    return TYPES.get(type(value)) or next(types for kind, types in TYPES.items() if isinstance(value, kind))


def _parameter(document: Document, parameter: Parameter) -> FieldNode:
    """Return a parameter as a field; a list of values is one text in a URL."""
    node = field_tree(document, parameter.schema, parameter.name)
    return FieldNode(parameter.name, {"string"}) if "array" in node.types else node


def _parsed(node: FieldNode, text: str) -> Any:
    """Return the value of a text in a URL."""
    if "string" in node.types or not node.types & {"integer", "number", "boolean"}:
        return text
    value = read_json(text.encode())
    return text if value is None else value


def _path_pattern(template: str) -> str:
    """Return a pattern of the paths of a template. A parameter right after the version is optional in it."""
    return PARAMETER.sub("[^/]+", PREFIX.sub(r"\1(?:/[^/]+)?", template)) + "$"
