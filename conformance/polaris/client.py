"""Client of the operations that Polaris adds to those of Iceberg, and the documented part of its responses.

Names of catalogs, principals and roles are strings; namespaces are sequences of levels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.http.answers import Answer
from conformance.http.client import Encoded, Expected
from conformance.http.operation_client import Headers, PathClient, Query, Signature, make_signature, python_name
from conformance.iceberg.client import names_below_prefix
from conformance.polaris.methods import PolarisMethods
from conformance.values.json_values import canonical
from specs.identifiers import UNIT_SEPARATOR, encode_segment
from specs.openapi import Document, Operation

NAMESPACE = "namespace"
PROPERTIES = "properties"  # the field whose names clients choose


class PolarisClient(PolarisMethods, PathClient, api="polaris"):
    """Methods for the operations of Polaris, by the signatures that the document gives them."""

    @classmethod
    def signature(cls, document: Document, operation: Operation) -> Signature:
        """Return the signature of an operation, without the prefix: the client is bound to one catalog."""
        return make_signature(document, operation, names_below_prefix(operation))

    def segment(self, name: str, value: Any) -> str:
        """Encode a path value, joining the levels of a namespace with the unit separator."""
        if name != NAMESPACE or isinstance(value, str):
            return super().segment(name, value)
        return Encoded(encode_segment(UNIT_SEPARATOR).join(map(encode_segment, value)))

    def transmit(
        self,
        operation: str,
        path: Mapping[str, Any],
        content: Any,
        *,
        query: Query,
        headers: Headers | None,
        expect: Expected,
    ) -> Answer:
        """Send a call by its Python arguments and return the answer."""
        values = {name: path[python_name(name)] for name in names_below_prefix(self.signatures[operation].operation)}
        return self.send(operation, values, content, query=query, headers=headers, expect=expect)


def documented(document: Document, value: Any) -> Any:
    """Return a value of a response without fields that the document does not declare, at any depth.

    Servers may add fields of their own, with another value in each response. All entries of `properties` stay. Lists
    other than the levels of a namespace are in one order for comparisons: the documents state none.
    """
    return _part(value, declared_names(document))


def declared_names(document: Document) -> frozenset[str]:
    """Return the names of all fields that the schemas of the document declare."""
    return document.once("names of fields", lambda: frozenset(_names(document.raw["components"])))


def _names(node: Any) -> Iterator[str]:
    """Yield the names of all fields that schemas inside a node of the document declare."""
    if isinstance(node, dict):
        fields = node.get("properties")
        yield from fields if isinstance(fields, dict) else ()
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _names(child)


def _part(value: Any, names: frozenset[str]) -> Any:
    if isinstance(value, list):
        return sorted((_part(item, names) for item in value), key=canonical)
    if not isinstance(value, dict):
        return value
    kept = {name: item for name, item in value.items() if name in names}
    return {name: item if name in (PROPERTIES, NAMESPACE) else _part(item, names) for name, item in kept.items()}
