"""Base of the Polaris client, whose methods the generated methods.pyi declares to type checkers."""

from __future__ import annotations

from conformance.http.operation_client import OperationClient


class PolarisMethods(OperationClient):
    """Client with one method per operation. The client adds the methods by the signatures of the document."""
