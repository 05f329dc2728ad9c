"""Reads the exchanges of a run: does a request name anything that the run did not make?"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from conformance.target.hostile import UNUSED
from specs.identifiers import UNIT_SEPARATOR
from specs.lance.identifiers import DELIMITER
from specs.openapi import Document, Operation

PLACE = re.compile(r"^(/.|[a-z][a-z0-9+.-]*://)", re.IGNORECASE | re.DOTALL)  # an absolute path or a URI
PLACES = {"location", "manifest_path", "metadata-location", "metadata_location", "manifest-list", "statistics-path"}
CONTINUATION = b"\xff" * 4  # the first bytes of an Arrow message; the length of its metadata is next
SAFE_DEPTH = 2  # levels of an id in which .. climbs out of the namespaces of an example
SPLIT = re.compile(r"[/\\]")
# What may be asked of the root: it changes nothing there, and an index is of a table.
OF_ROOT = {
    *("ListNamespaces", "ListTables", "listNamespaces", "DescribeNamespace", "NamespaceExists", "QueryTable"),
    *("CreateTableIndex", "CreateTableScalarIndex", "ListTableIndices", "DescribeTableIndexStats", "DropTableIndex"),
    *("AnalyzeTableQueryPlan", "CountTableRows", "DescribeTable", "DescribeTableVersion", "DescribeTransaction"),
    *("ExplainTableQueryPlan", "GetTableStats", "GetTableTagVersion", "ListTableTags", "ListTableVersions"),
    *("ListTableBranches", "TableExists"),
}
# Places that are reserved for examples, and a port of this machine at which nobody listens: told, and never asked.
RESERVED = re.compile(r"^[a-z]+://(127\.0\.0\.1:9|([a-z]+\.)*example(\.com)?)/")
MANAGEMENT = "/management/"  # in the paths of operations: whatever these name is named by itself
ENTITY = re.compile(r"prefix|\w+Name")  # in the paths of operations: a name without levels
OF_EVERY_CATALOG = "catalog_admin"
# What may be asked to be signed of a bucket: it is refused, and sent by nobody.
SIGN, OF_BUCKET = "signRequest", ("?list-type=2&prefix=", "/?delete")


def foreign_names(folder: Path, document: Document, *bases: str) -> list[str]:
    """Return the names in a run's requests that do not start with its prefix, each with its request.

    `bases` are the first levels of namespaces that the run was given.
    """
    log = (folder / "exchanges.jsonl").read_text()
    prefixes = re.findall(r"\blp[0-9a-f]{6}", log)
    prefix = max(set(prefixes), key=prefixes.count)
    lines: dict[str, None] = {}
    for exchange in map(json.loads, log.strip().split("\n")):  # texts may have other ends of lines
        for problem in problems(exchange, document, prefix, *bases):
            lines[f"{exchange['request']['method']} {exchange['request']['url']}: {problem}"] = None
    return list(lines)


def problems(exchange: dict[str, Any], document: Document, prefix: str, *bases: str) -> Iterator[str]:
    """Yield the names in a request that lack the run's prefix, have an owner, and are no base."""
    own = (prefix, UNUSED, *bases)
    request = exchange["request"]
    url = urlsplit(request["url"])
    query = dict(parse_qsl(url.query, keep_blank_values=True))
    body = (request["body"] or {}).get("json")
    for text in [*map(unquote, url.path.split("/")), *query.values(), *strings(body)]:
        signed = exchange["operation"] == SIGN and text.endswith(OF_BUCKET)
        if escapes(text) and not signed and not RESERVED.match(text) and not any(mark in text for mark in own):
            yield f"names {text!r}"
    for text in places(body):
        if not any(mark in text for mark in own):
            yield f"leads to {text!r}"
    operation = document.operations.get(exchange["operation"])
    for name in entities(operation, url.path, body) if operation and operation.mount else ():
        if name and not any(mark in name for mark in own):
            yield f"is about {name!r}"
    in_own_catalog = operation and operation.path_values(url.path).get("prefix", "").startswith(prefix)
    for id in identifiers(operation, url.path, query, body) if operation and not in_own_catalog else ():
        first = id[0].partition(DELIMITER)[0]  # the id of a transaction may be one text
        if not first.startswith((prefix, UNUSED)) and first not in bases:
            yield f"is about {id[0]!r}"
        if ".." in id[:SAFE_DEPTH]:
            yield f"climbs out of what is the run's own: {id}"


def strings(value: Any) -> Iterator[str]:
    """All texts in a JSON value, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, child in value.items():
            yield key
            yield from strings(child)
    elif isinstance(value, list):
        for child in value:
            yield from strings(child)


def escapes(text: str) -> bool:
    """True for what leads out of where it is used: absolute places, and .. on the way to something."""
    parts = SPLIT.split(text)
    return bool(PLACE.match(text) and not arrow(text)) or (".." in parts and len(parts) > 1)


def arrow(text: str) -> bool:
    """True for an Arrow message in Base64, such as a schema: its first letters are slashes."""
    try:
        raw = base64.b64decode(text, validate=True)
    except ValueError:
        return False
    return raw.startswith(CONTINUATION) and int.from_bytes(raw[4:8], "little") == len(raw) - 8


def places(value: Any) -> Iterator[str]:
    """All that a JSON value says of where something lies."""
    if isinstance(value, dict):
        yield from (value[name] for name in PLACES & value.keys() if isinstance(value[name], str))
        for child in value.values():
            yield from places(child)
    elif isinstance(value, list):
        for child in value:
            yield from places(child)


def entities(operation: Operation, path: str, body: Any) -> Iterator[str]:
    """The names of catalogs, principals and roles that a request to Polaris is about: in its path, and in its body.

    The role that every catalog has is its catalog's.
    """
    named = [text for name, text in operation.path_values(path).items() if ENTITY.fullmatch(name)]
    if MANAGEMENT in operation.path and isinstance(body, dict):
        wrapped = [child for child in body.values() if isinstance(child, dict)]
        named += [entity["name"] for entity in [body, *wrapped] if isinstance(entity.get("name"), str)]
    yield from (name for name in named if name != OF_EVERY_CATALOG or len(named) == 1)


def identifiers(operation: Operation, path: str, query: dict[str, str], body: Any) -> Iterator[list[str]]:
    """The ids of what a request is about, as levels: in its path, in its query, and in its body."""
    values = operation.path_values(path)
    delimiter = query.get("delimiter", "$")
    if "id" in values and not (operation.id in OF_ROOT and values["id"] in ("", delimiter)):
        yield values["id"].split(delimiter)
    if "namespace" in values:
        named = body.get("name") if isinstance(body, dict) else None
        last = [values.get("table") or values.get("view") or named]
        yield [*values["namespace"].split(UNIT_SEPARATOR), *(level for level in last if isinstance(level, str))]
    if query.get("parent"):
        yield query["parent"].split(UNIT_SEPARATOR)
    yield from bodies(body)


def bodies(value: Any) -> Iterator[list[str]]:
    """The identifiers in a body: `id` of Lance, `namespace` and `name` of Iceberg."""
    if isinstance(value, dict):
        for key in ("id", "namespace", "new_namespace_id", "table_id"):
            levels = value.get(key)
            if isinstance(levels, list) and levels and all(isinstance(level, str) for level in levels):
                yield [*levels, *([value["name"]] if isinstance(value.get("name"), str) else [])]
        for child in value.values():
            yield from bodies(child)
    elif isinstance(value, list):
        for child in value:
            yield from bodies(child)
