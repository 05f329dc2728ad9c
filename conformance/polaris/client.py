"""The operations that Polaris has beside those of Iceberg, as methods (see OperationClient), and their general form.

Names of catalogs, principals and roles are texts, namespaces sequences of levels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.client import Answer, Encoded, Expected
from conformance.operation_client import DECLARED, Headers, Query, Signature, make_signature, python_name
from conformance.polaris.methods import PolarisMethods
from specs.identifiers import UNIT_SEPARATOR, encode_segment
from specs.openapi import Document, Operation

PREFIX, NAMESPACE = "prefix", "namespace"


def path_names(operation: Operation) -> list[str]:
    """Return what a path names beside the catalog in which a client works."""
    return [one.name for one in operation.parameters if one.location == "path" and one.name != PREFIX]


class PolarisClient(PolarisMethods, api="polaris"):
    """See the module."""

    @classmethod
    def signature(cls, document: Document, operation: Operation) -> Signature:
        """See OperationClient: the prefix is that of the catalog in which the client works."""
        return make_signature(document, operation, path_names(operation))

    def send(
        self,
        operation: str,
        path: Mapping[str, Any] | None = None,
        body: Any = None,
        *,
        query: Query | None = None,
        expect: Expected = DECLARED,
        **options: Any,
    ) -> Answer:
        """Send an operation; a body of bytes goes as it is. `options` are those of Client.call."""
        wanted = self.successes(operation) if expect is DECLARED else expect
        content = {"body": body} if isinstance(body, bytes) else {"json": body}
        values = {name: _segment(name, value) for name, value in (path or {}).items()}
        return self.client.call(operation, path=values, query=query, expect=wanted, **content, **options)

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
        """See OperationClient."""
        values = {name: path[python_name(name)] for name in path_names(self.signatures[operation].operation)}
        return self.send(operation, values, content, query=query, headers=headers, expect=expect)


def _segment(name: str, value: Any) -> str:
    """Return a name as it stands in a path: the levels of a namespace with separators between them."""
    if name != NAMESPACE or isinstance(value, str):
        return str(value) if not isinstance(value, Encoded) else value
    return Encoded(encode_segment(UNIT_SEPARATOR).join(map(encode_segment, value)))
