"""Operations of the Lance Namespace as methods; their signatures are generated into methods.pyi."""

from __future__ import annotations

from conformance.http.operation_client import OperationClient


class LanceMethods(OperationClient):
    """Base of the Lance client. OperationClient creates the methods from the document."""
