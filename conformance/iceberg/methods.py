"""Operations of the Iceberg REST catalog as methods, declared in the generated methods.pyi."""

from __future__ import annotations

from conformance.http.operation_client import OperationClient


class IcebergMethods(OperationClient):
    """Methods of every operation; the client subclass, which knows the forms of their arguments, creates them."""
