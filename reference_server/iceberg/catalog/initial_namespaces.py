"""Initial namespaces: they exist when a server starts, for an API in which clients cannot create any."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reference_server.errors import InvalidInput
from reference_server.iceberg.catalog.catalog import WarehouseChange
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.catalog.names import Path, check_namespace
from reference_server.storage import Storage
from reference_server.storage.transactions import Transaction
from specs.identifiers import READABLE_SEPARATOR, IdentifierError, split_levels
from specs.openapi import Document
from specs.problems import Problem

EXAMPLE = "Example: --namespace analytics"


def parse_namespaces(texts: Sequence[str], document: Document) -> list[Path]:
    """Parse the values of `--namespace`, levels with dots between them.

    Raises Problem for a text that is not a namespace, and for an empty list where the document has no createNamespace.
    """
    if not texts and "create_namespace" not in document.names:
        raise Problem(
            f"The {document.title} has no operation that creates a namespace, so the server needs an initial one.",
            EXAMPLE,
        )
    return [_parse(text) for text in texts]


def _parse(text: str) -> Path:
    try:
        path = tuple(split_levels(text, READABLE_SEPARATOR))
        check_namespace(path)
    except (IdentifierError, InvalidInput) as error:
        raise Problem(f"Invalid namespace {text!r}: {error}.", EXAMPLE) from None
    return path


async def make_namespaces(storage: Storage[bytes], warehouse: str, namespaces: Iterable[Path]) -> None:
    """Create namespaces of a warehouse and their parents, unless they exist."""
    change = WarehouseChange(Transaction(storage), warehouse)
    for path in namespaces:
        for depth in range(1, len(path) + 1):
            if change.find(Kind.NAMESPACE, path[:depth]) is None:
                change.add_namespace(path[:depth], {})
    await change.transaction.commit()
