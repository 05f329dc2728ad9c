"""Reading of the Iceberg part of a seed."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from typing import Any

from reference_server.errors import NotFound
from reference_server.iceberg.context import Services
from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.types import PLAIN, canonical_type
from reference_server.iceberg.seeds.rows import Row, columns_of, read_rows
from reference_server.iceberg.seeds.snapshots import append
from reference_server.seeding.nodes import Node, commits_of
from reference_server.seeding.planting import Planter, Step
from specs.identifiers import UNIT_SEPARATOR
from specs.problems import did_you_mean

CONTENT = ("namespaces", "tables", "views")
OF_REQUEST = ("properties", "location", "partition-spec", "write-order")
PARTITION = re.compile(r"(?:(\w+)\((?:(\d+), *)?(\w+)\)|(\w+))")
REQUIRED = " not null"
Find = Callable[[str | None], Services | None]
Path = tuple[str, ...]


def content_steps(fields: Mapping[str, Node], find: Find, prefix: str | None = None) -> list[Step]:
    """Return the steps for the namespaces, tables and views of a warehouse. Raises Problem.

    `find` returns the services of a warehouse, `prefix` is its name, None for the default one.
    """
    start = {} if prefix is None else {"prefix": prefix}
    namespaces = fields.get("namespaces", Node(None)).named()
    steps = [_namespace(node, node.path(name), start) for name, node in namespaces]
    for name, node in fields.get("tables", Node(None)).entries():
        steps += _table(node, _inside(node, name), start, find)
    for name, node in fields.get("views", Node(None)).entries():
        steps += _view(node, _inside(node, name), start)
    return steps


def _namespace(node: Node, path: Path, start: Mapping[str, str]) -> Step:
    properties = node.texts

    async def plant(planter: Planter) -> None:
        await _ensure(planter, node, path[:-1], start)
        body = {"namespace": list(path), "properties": properties}
        await planter.call(node, "createNamespace", start, body)

    return Step(node, plant)


async def _ensure(planter: Planter, node: Node, path: Path, start: Mapping[str, str]) -> None:
    """Create a namespace and those above it, unless they exist; a dialect may have initial namespaces alone."""
    if "createNamespace" not in planter.document.operations:
        return
    for end in range(1, len(path) + 1):
        try:
            await planter.attempt(node, "loadNamespaceMetadata", {**start, "namespace": _text(path[:end])})
        except NotFound:
            await planter.call_unless_exists(node, "createNamespace", start, {"namespace": list(path[:end])})


def _text(path: Path) -> str:
    return UNIT_SEPARATOR.join(path)


def _inside(node: Node, name: str) -> Path:
    path = node.path(name)
    if len(path) < 2:
        raise node.problem(f"the name {name!r:.200} has no namespace", "Write NAMESPACE.NAME.")
    return path


def _table(node: Node, path: Path, start: Mapping[str, str], find: Find) -> list[Step]:
    fields = node.fields("schema", "partition-by", "rows", "commits", *OF_REQUEST)
    if "schema" not in fields:
        raise node.problem("the table has no schema", "Example: schema: {id: long, name: string}")
    schema = schema_of(fields["schema"])
    body = {"name": path[-1], "schema": schema, **{name: fields[name].value for name in OF_REQUEST if name in fields}}
    if "partition-by" in fields:
        body["partition-spec"] = _spec(fields["partition-by"], schema)
    place = {**start, "namespace": _text(path[:-1])}

    async def create(planter: Planter) -> None:
        await _ensure(planter, node, path[:-1], start)
        await planter.call(node, "createTable", place, body)

    commits = [(rows, _rows(rows, schema)) for rows in commits_of(fields)]
    table = {**place, "table": path[-1]}
    return [Step(node, create), *(append(written, rows, table, find) for written, rows in commits)]


def _rows(rows: Node, schema: Any) -> list[Row]:
    """Return the rows of a commit. Raises Problem for those that do not fit a schema, and for a malformed schema."""
    try:
        return read_rows(rows, columns_of(schema))
    except (LookupError, TypeError, AttributeError) as error:
        raise rows.problem(f"the schema is malformed: {type(error).__name__} {error}") from None


def schema_of(node: Node) -> Any:
    """Return the schema of a mapping from columns to types; one in Iceberg's own form is returned unchanged."""
    if isinstance(node.value, dict) and isinstance(node.value.get("fields"), list):
        return node.value
    return {"type": "struct", "fields": [_column(id, *column) for id, column in enumerate(node.entries(), 1)]}


def _column(id: int, name: str, node: Node) -> dict[str, Any]:
    if isinstance(node.value, dict):
        return {"id": id, "name": name, "type": node.value, "required": False}
    written, required = node.text.removesuffix(REQUIRED), node.text.endswith(REQUIRED)
    try:
        return {"id": id, "name": name, "type": canonical_type(written), "required": required}
    except InvalidMetadata as error:
        raise node.problem(str(error), did_you_mean(written, PLAIN)) from None


def _spec(node: Node, schema: Any) -> dict[str, Any]:
    """Return the partition spec of texts: a column, `day(column)` or `bucket(16, column)`."""
    ids = {column["name"]: column["id"] for column in schema["fields"]}
    fields = []
    for item in node.items():
        match = PARTITION.fullmatch(item.text)
        column = (match[3] or match[4]) if match else ""
        if match is None or column not in ids:
            hint = did_you_mean(column, ids) if match else "Write a column, day(column) or bucket(16, column)."
            raise item.problem(f"{item.text!r:.200} is no partition field", hint)
        transform = (match[1] or "identity") + (f"[{match[2]}]" if match[2] else "")
        name = f"{column}_{match[1]}" if match[1] else column
        fields.append({"source-id": ids[column], "transform": transform, "name": name})
    return {"fields": fields}


def _view(node: Node, path: Path, start: Mapping[str, str]) -> list[Step]:
    fields = node.fields("sql", "dialect", "schema", "properties")
    if not {"sql", "schema"} <= fields.keys():
        raise node.problem("a view needs sql and schema", "Example: {sql: select 1 as id, schema: {id: int}}")
    dialect = fields["dialect"].text if "dialect" in fields else "spark"
    version = {
        "version-id": 1,
        "timestamp-ms": int(time.time() * 1000),
        "schema-id": 0,
        "summary": {},
        "representations": [{"type": "sql", "sql": fields["sql"].text, "dialect": dialect}],
        "default-namespace": list(path[:-1]),
    }
    schema = {"schema-id": 0, **schema_of(fields["schema"])}
    properties = fields["properties"].value if "properties" in fields else {}
    body = {"name": path[-1], "schema": schema, "view-version": version, "properties": properties}

    async def create(planter: Planter) -> None:
        await _ensure(planter, node, path[:-1], start)
        await planter.call(node, "createView", {**start, "namespace": _text(path[:-1])}, body)

    return [Step(node, create)]
