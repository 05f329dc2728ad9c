"""Rejection of fields and query parameters that select another place than the server would use, such as a branch.

A later revision of an API may let a request say where it reads and writes. A server of an older revision may ignore
other unknown fields, but not these: the rows that a client writes to a branch would land in the main one. `[selectors]`
in `api.toml` lists them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import partial
from typing import Any

from reference_server.errors import Unsupported
from specs.apis import Selectors
from specs.openapi import JSON_TYPE, Document, Operation, Schema
from specs.variants import Trail, variants

ITEMS = "*"
Place = tuple[str, ...]
"""Names of fields from the body's top to an object, ITEMS for all items of a list."""
Names = Mapping[Place, Collection[str]]


def refuse_selectors(
    selectors: Selectors, document: Document, operation: Operation, query: Mapping[str, Any], body: Any
) -> None:
    """Raise Unsupported for a selector that the operation does not declare in this document; null counts as absent."""
    in_query, in_body = document.once(("selectors", operation.id), partial(_undeclared, selectors, document, operation))
    for name in in_query:
        if name in query:
            raise _unsupported(operation, name, f"the query parameter {name}")
    for place, names in in_body.items():
        for pointer, found in _objects(body, place):
            for name in names:
                if found.get(name) is not None:
                    raise _unsupported(operation, name, f"the field {pointer}/{name}")


def _unsupported(operation: Operation, name: str, where: str) -> Unsupported:
    message = f"{operation.id} has no {name} in this revision of the API and cannot read or write there."
    return Unsupported(f"{message} Leave out {where}.")


def _undeclared(selectors: Selectors, document: Document, operation: Operation) -> tuple[Collection[str], Names]:
    """Return the selectors that the document does not declare: in the query, and by the objects of the body.

    These objects are the body itself and identifiers in it. A map may have any keys: one of properties may have a key
    `branch`. Even where no body is declared, clients send one with an identifier.
    """
    schema = operation.request.content.get(JSON_TYPE) if operation.request else None
    declared: dict[Place, set[str]] = {}
    for place, fields in _fields(document, schema or {"properties": {selectors.beside: {}}}):
        declared.setdefault(place, set()).update(fields)
    holders = [place for place, fields in declared.items() if selectors.beside in fields or (fields and not place)]
    declared[()] |= {parameter.name for parameter in operation.query_parameters()}
    undeclared = {place: [name for name in selectors.names if name not in declared[place]] for place in declared}
    return undeclared[()], {place: undeclared[place] for place in holders}


def _fields(
    document: Document, schema: Schema, place: Place = (), trail: Trail = ()
) -> Iterator[tuple[Place, Collection[str]]]:
    """Yield the fields of every object that a schema describes."""
    for variant, here in variants(document, schema, trail):
        fields = variant.get("properties", {})
        yield place, fields
        for name, field in fields.items():
            yield from _fields(document, field, (*place, name), here)
        if isinstance(variant.get("items"), dict):
            yield from _fields(document, variant["items"], (*place, ITEMS), here)


def _objects(value: Any, place: Place, pointer: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects at a place of a body, each with its RFC 6901 pointer."""
    if not place:
        if isinstance(value, dict):
            yield pointer, value
        return
    name, *below = place
    if name == ITEMS and isinstance(value, list):
        for number, item in enumerate(value):
            yield from _objects(item, tuple(below), f"{pointer}/{number}")
    elif isinstance(value, dict) and name in value:
        yield from _objects(value[name], tuple(below), f"{pointer}/{name}")
