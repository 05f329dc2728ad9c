"""The operations that Polaris has beside those of Iceberg, as methods (see OperationClient), and their general form.

Names of catalogs, principals and roles are texts, namespaces sequences of levels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.http.client import Answer, Encoded, Expected
from conformance.http.operation_client import Headers, PathClient, Query, Signature, make_signature, python_name
from conformance.iceberg.client import names_below_prefix
from conformance.polaris.methods import PolarisMethods
from specs.identifiers import UNIT_SEPARATOR, encode_segment
from specs.openapi import Document, Operation

NAMESPACE = "namespace"


class PolarisClient(PolarisMethods, PathClient, api="polaris"):
    """See the module."""

    @classmethod
    def signature(cls, document: Document, operation: Operation) -> Signature:
        """See OperationClient: the prefix is that of the catalog in which the client works."""
        return make_signature(document, operation, names_below_prefix(operation))

    def segment(self, name: str, value: Any) -> str:
        """See PathClient: the levels of a namespace are written with separators between them."""
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
        """See OperationClient."""
        values = {name: path[python_name(name)] for name in names_below_prefix(self.signatures[operation].operation)}
        return self.send(operation, values, content, query=query, headers=headers, expect=expect)
