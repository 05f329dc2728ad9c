"""Locations that requests give to new tables and views."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.author.checks import equal, text
from conformance.author.requirement import should
from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.assertions import POLICY
from conformance.iceberg.support.content import SCHEMA, view_body
from conformance.values.outcomes import Unoffered


@dataclass(frozen=True, slots=True)
class Placed:
    """Object with a location: the operation that creates it, its request, and the load of its metadata."""

    id: str
    operation: str
    make: Callable[..., Answer]
    look: Callable[[IcebergCatalog, Names], dict[str, Any]]


def _table(catalog: IcebergCatalog, id: Names, **more: Any) -> Answer:
    return catalog.create_table(id, schema=SCHEMA, **more)


def _view(catalog: IcebergCatalog, id: Names, **more: Any) -> Answer:
    return catalog.create_view(id, **view_body(catalog.home), **more)


PLACED = {
    "table": Placed("table", "createTable", _table, lambda catalog, id: catalog.metadata(id)),
    "view": Placed("view", "createView", _view, lambda catalog, id: catalog.view_metadata(id)),
}


def _place_beside(catalog: IcebergCatalog, case: Placed) -> str:
    """Return a location beside another object of the run. Raises Unoffered where their folder is not the run's own."""
    with catalog.client.preparing():
        other = case.make(catalog, catalog.table_id("other"))["metadata"]["location"]
    folder = text(other, "the location of another one").rstrip("/").rpartition("/")[0]
    if catalog.target.prefix not in folder:
        raise Unoffered("no folder is known that is the run's own")
    return f"{folder}/{catalog.target.new_name()}"


@should("iceberg.{}.create.place", operations=lambda case: [case.operation], clause="requested-places", each=PLACED)
def test_requested_place(catalog: IcebergCatalog, case: Placed) -> None:
    """A new {} has the location given in the request, or the request is rejected."""
    wanted, id = _place_beside(catalog, case), catalog.table_id("t")
    made = case.make(catalog, id, location=wanted, expect=(200, *POLICY))
    if not made.succeeded:
        raise Unoffered("the server chooses the places")
    equal(str(case.look(catalog, id)["location"]).rstrip("/"), wanted, f"the location of the {case.id}")
