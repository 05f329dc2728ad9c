"""Polars, step by step: it makes, writes and reads tables of a catalog that PyIceberg opens."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl
import pytest
from polars.exceptions import PolarsError
from pyiceberg.exceptions import CommitFailedException

from tests.clients.drivers.pyiceberg import connect
from tests.clients.steps import Session

FRAME = pl.DataFrame({"id": [1, 2, 3], "name": ["a", "b", "c"]})


def drive(session: Session) -> Iterator[str]:
    catalog = connect(session)

    def write(frame, name, **options):
        frame.lazy().sink_iceberg(name, mode="append", catalog=catalog, **options)

    def read(name):
        return pl.scan_iceberg(name, catalog=catalog).sort("id").collect()

    write(FRAME, "ns.t", create_if_not_exists=True, create_namespace_if_not_exists=True)
    yield "create"
    write(pl.DataFrame({"id": [4], "name": ["d"]}), "ns.t")
    yield "write"
    assert read("ns.t")["id"].to_list() == [1, 2, 3, 4]
    assert pl.scan_iceberg("ns.t", catalog=catalog).filter(pl.col("name") == "b").collect().rows() == [(2, "b")]
    yield "read"
    stale = catalog.load_table("ns.t")
    write(pl.DataFrame({"id": [5], "name": ["e"], "more": [7]}), "ns.t", schema_mode="merge")
    assert read("ns.t").row(4) == (5, "e", 7)
    yield "evolve"
    with pytest.raises((CommitFailedException, PolarsError)):
        pl.DataFrame({"id": [6], "name": ["f"], "other": [7]}).lazy().sink_iceberg(
            stale, mode="append", schema_mode="merge"
        )
    assert read("ns.t").columns == ["id", "name", "more"]
    yield "conflict"
    for kind, name in session.names.items():
        write(FRAME, f"{name}.{name}", create_if_not_exists=True, create_namespace_if_not_exists=True)
        assert read(f"{name}.{name}").equals(FRAME)
        yield kind
