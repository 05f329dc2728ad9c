"""The operations of Apache Polaris as methods; methods.pyi, which is generated, has them."""

from __future__ import annotations

from conformance.http.operation_client import OperationClient


class PolarisMethods(OperationClient):
    """See the module. The methods come with the client, which knows what their arguments look like."""
