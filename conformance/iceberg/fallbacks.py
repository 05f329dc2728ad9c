"""Fallbacks of an Iceberg catalog: ways to create the objects that requirements start from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

from conformance.author.checks import contains, text
from conformance.iceberg.catalog import BODIES, CREATED, IcebergCatalog
from conformance.iceberg.support.content import WIDER, layout, partition, sort_field
from conformance.iceberg.support.files import WAYS
from conformance.iceberg.support.metadata import snapshot_ids
from conformance.iceberg.support.staging import FIRST, SNAPSHOTS, new_table_with_snapshots
from conformance.iceberg.support.updates import (
    COMMIT_WAYS,
    COMMITS,
    Updates,
    add_and_use_order,
    add_and_use_schema,
    add_and_use_spec,
)
from conformance.target.fallbacks import GIVEN_PLACE, PLACES, SERVERS_PLACE, Fallbacks
from conformance.values.outcomes import Blocked, Violation
from conformance.values.resources import TABLE

# Updates that add one thing without an id.
ADDITIONS: dict[str, Updates] = {
    "schema": add_and_use_schema(WIDER),
    "spec": add_and_use_spec(layout(partition(3, "day"))),
    "sort-order": add_and_use_order(layout(sort_field(1))),
}


def _make_table(catalog: IcebergCatalog) -> None:
    location = text(catalog.metadata(catalog.new_table())["location"], "the location of the table").rstrip("/")
    if (given := catalog.target.location) and _path(given) not in _path(location):
        raise Violation(f"the table is at {location}")
    folder = location.rpartition("/")[0]
    catalog.target.table_folder = next((place for place in (folder, location) if catalog.target.prefix in place), "")


def _path(location: str) -> str:
    """Return a location without its scheme, which servers may write in another way: `file:/a` for `file:///a`."""
    return f"/{(location.partition(':')[2] or location).strip('/')}/"


def _make_commit(catalog: IcebergCatalog, part: str) -> None:
    catalog.update_table(catalog.new_table(), ADDITIONS[part])


def _make_snapshot(catalog: IcebergCatalog) -> None:
    id, _ = new_table_with_snapshots(catalog, FIRST)
    contains(snapshot_ids(catalog.metadata(id)), [FIRST], "the snapshots of the table")


def _make_tables(catalog: IcebergCatalog) -> None:
    """Find the body with which the server creates tables in the place being tried."""
    ways = catalog.target.ways
    ways.find((TABLES,), catalog)
    if ways.impossible(TABLE):
        raise Blocked(next(iter(ways.refused[TABLE].values())), "createTable")


def _created(operation: str, make: Callable[[IcebergCatalog], object]) -> Fallbacks:
    return Fallbacks(CREATED[operation], (operation,), tuple(BODIES[operation]), make)


NAMESPACES = _created("createNamespace", lambda catalog: catalog.home)
TABLES = _created("createTable", _make_table)
REST = (
    _created("createView", lambda catalog: catalog.new_view()),
    *(
        Fallbacks(thing, ("updateTable",), COMMIT_WAYS, partial(_make_commit, part=part), (TABLE,))
        for part, thing in COMMITS.items()
    ),
    Fallbacks(SNAPSHOTS, ("updateTable",), tuple(WAYS), _make_snapshot, (TABLE,)),
)


def find_ways(catalog: IcebergCatalog) -> Iterator[None]:
    """Find the ways in which the server creates objects; pause after each. Raises Stopped when the run is over."""
    ways = catalog.target.ways
    ways.find((NAMESPACES,), catalog)
    yield
    with suppress(Blocked):
        find_tables(catalog)
    yield
    for fallbacks in REST:
        ways.find((fallbacks,), catalog)
        yield


def find_tables(catalog: IcebergCatalog) -> None:
    """Find the place and the body with which the server creates tables. Raises Blocked where it creates none."""
    ways = catalog.target.ways
    places = (GIVEN_PLACE, SERVERS_PLACE) if catalog.target.settings.location else (SERVERS_PLACE,)
    ways.find((Fallbacks(PLACES, TABLES.operations, places, _make_tables),), catalog)
    if ways.impossible(PLACES):
        raise Blocked(next(iter(ways.refused[PLACES].values())), "createTable")
