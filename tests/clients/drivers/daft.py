"""Daft, step by step: its catalog around one that PyIceberg opens."""

from __future__ import annotations

from collections.abc import Iterator

import daft
import pytest
from daft.catalog import Catalog, Identifier, NotFoundError
from pyiceberg.exceptions import TableAlreadyExistsError

from tests.clients.drivers.pyiceberg import connect
from tests.clients.steps import Session

ROWS = {"id": [1, 2, 3], "name": ["a", "b", "c"]}


def rows_of(table):
    """The rows of a table by column, sorted by id."""
    return table.read().sort("id").to_pydict()


def drive(session: Session) -> Iterator[str]:
    catalog = Catalog.from_iceberg(connect(session))
    frame = daft.from_pydict(ROWS)
    catalog.create_namespace("ns")
    assert catalog.has_namespace("ns")
    assert catalog.list_namespaces() == [Identifier("ns")]
    yield "namespaces"
    table = catalog.create_table("ns.t", frame.schema())
    with pytest.raises(TableAlreadyExistsError):
        catalog.create_table("ns.t", frame.schema())
    yield "create"
    table.append(frame)
    yield "write"
    assert rows_of(catalog.get_table("ns.t")) == ROWS
    yield "read"
    assert catalog.list_tables("ns") == [Identifier("ns", "t")]
    yield "list"
    catalog.drop_table("ns.t")
    with pytest.raises(NotFoundError):
        catalog.get_table("ns.t")
    catalog.drop_namespace("ns")
    assert catalog.list_namespaces() == []
    yield "drop"
    for kind, name in session.names.items():
        unusual = Identifier(name, name)
        catalog.create_namespace(Identifier(name))
        catalog.create_table(unusual, frame).append(frame)
        assert rows_of(catalog.get_table(unusual))["id"] == [1, 1, 2, 2, 3, 3]
        catalog.drop_table(unusual)
        catalog.drop_namespace(Identifier(name))
        yield kind
