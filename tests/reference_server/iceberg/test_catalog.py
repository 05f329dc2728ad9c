"""The catalog on storage, without HTTP: what a change requires of the state that it was made from."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from reference_server.errors import NamespaceNotEmpty, NamespaceNotFound, TableAlreadyExists
from reference_server.iceberg.catalog.catalog import PageRequest, WarehouseCatalog, WarehouseChange
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.errors import ViewAlreadyExists
from reference_server.storage import CommitConflict
from reference_server.storage.directory import DirectoryStorage
from reference_server.storage.memory import MemoryStorage
from reference_server.storage.transactions import Transaction

BACKENDS: dict[str, Callable[[Any], Any]] = {
    "memory": lambda _: MemoryStorage(),
    "directory": lambda folder: DirectoryStorage(folder / "x.sqlite"),
}
EVERYTHING = PageRequest(None, None, 10)


class Counted:
    """A storage that counts how many pairs are read from it."""

    def __init__(self, storage):
        self.storage, self.read = storage, 0

    def get(self, key):
        self.read += 1
        return self.storage.get(key)

    def scan(self, prefix, after=None, limit=None):
        entries = self.storage.scan(prefix, after, limit)
        self.read += len(entries)
        return entries


@pytest.fixture(params=BACKENDS)
def storage(request, tmp_path):
    storage = BACKENDS[request.param](tmp_path)
    change = WarehouseChange(Transaction(storage), "w")
    change.add_namespace(("a",), {})
    commit(change)
    yield storage
    storage.close()


def commit(change):
    asyncio.run(change.transaction.commit())


def do(storage, action):
    """Commit one change."""
    change = WarehouseChange(Transaction(storage), "w")
    action(change)
    commit(change)


def test_tables_and_views_exclude_each_other(storage):
    do(storage, lambda change: change.add(Kind.TABLE, ("a", "t"), "x"))
    do(storage, lambda change: change.add(Kind.VIEW, ("a", "v"), "y"))
    with pytest.raises(TableAlreadyExists):
        do(storage, lambda change: change.add(Kind.VIEW, ("a", "t"), "z"))
    with pytest.raises(ViewAlreadyExists):
        do(storage, lambda change: change.move(Kind.TABLE, ("a", "t"), ("a", "v")))
    catalog = WarehouseCatalog(storage, "w")
    assert catalog.list_names(Kind.TABLE, ("a",), EVERYTHING).items == ["t"]
    assert catalog.list_names(Kind.VIEW, ("a",), EVERYTHING).items == ["v"]


PAIRS = {
    "two of one name": (
        lambda change: change.add(Kind.TABLE, ("a", "t"), "x"),
        lambda change: change.add(Kind.TABLE, ("a", "t"), "y"),
    ),
    "a table and a view": (
        lambda change: change.add(Kind.TABLE, ("a", "t"), "x"),
        lambda change: change.add(Kind.VIEW, ("a", "t"), "y"),
    ),
    "a table and its namespace's end": (
        lambda change: change.add(Kind.TABLE, ("a", "t"), "x"),
        lambda change: change.remove_namespace(("a",)),
    ),
    "a namespace's end and a view": (
        lambda change: change.remove_namespace(("a",)),
        lambda change: change.add(Kind.VIEW, ("a", "t"), "x"),
    ),
    "a namespace's end and one below": (
        lambda change: change.remove_namespace(("a",)),
        lambda change: change.add_namespace(("a", "b"), {}),
    ),
    "two sets of properties": (
        lambda change: change.set_properties(("a",), {**change.properties(("a",)), "x": "1"}),
        lambda change: change.set_properties(("a",), {**change.properties(("a",)), "y": "1"}),
    ),
}


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_of_two_changes_that_do_not_go_together_one_lands(storage, pair):
    first, second = WarehouseChange(Transaction(storage), "w"), WarehouseChange(Transaction(storage), "w")
    pair[0](first)
    pair[1](second)
    commit(first)
    with pytest.raises(CommitConflict):
        commit(second)


def test_a_change_sees_what_it_wrote(storage):
    change = WarehouseChange(Transaction(storage), "w")
    change.add(Kind.TABLE, ("a", "t"), "x")
    change.replace(Kind.TABLE, ("a", "t"), "y")
    change.move(Kind.TABLE, ("a", "t"), ("a", "u"))
    assert change.find(Kind.TABLE, ("a", "t")) is None
    assert change.location(Kind.TABLE, ("a", "u")) == "y"
    assert WarehouseCatalog(storage, "w").find(Kind.TABLE, ("a", "u")) is None
    commit(change)
    assert WarehouseCatalog(storage, "w").location(Kind.TABLE, ("a", "u")) == "y"


def test_a_namespace_with_anything_in_it_stays(storage):
    additions = [
        lambda change: change.add(Kind.TABLE, ("a", "x"), "l"),
        lambda change: change.add(Kind.VIEW, ("a", "y"), "l"),
        lambda change: change.add_namespace(("a", "z"), {}),
    ]
    removals = [
        lambda change: change.remove(Kind.TABLE, ("a", "x")),
        lambda change: change.remove(Kind.VIEW, ("a", "y")),
        lambda change: change.remove_namespace(("a", "z")),
    ]
    for add, remove in zip(additions, removals, strict=True):
        do(storage, add)
        with pytest.raises(NamespaceNotEmpty):
            do(storage, lambda change: change.remove_namespace(("a",)))
        do(storage, remove)
    do(storage, lambda change: change.remove_namespace(("a",)))
    with pytest.raises(NamespaceNotFound):
        WarehouseCatalog(storage, "w").properties(("a",))


def test_warehouses_are_apart(storage):
    other = WarehouseChange(Transaction(storage), "other")
    assert other.list_names(Kind.NAMESPACE, (), EVERYTHING).items == []
    other.add_namespace(("a",), {"k": "v"})
    commit(other)
    assert WarehouseCatalog(storage, "w").properties(("a",)) == {}


def test_a_page_reads_a_page(storage):
    change = WarehouseChange(Transaction(storage), "w")
    for number in range(2000):
        change.add(Kind.TABLE, ("a", f"t{number:04}"), "x")
    commit(change)
    counted = Counted(storage)
    page = WarehouseCatalog(counted, "w").list_names(Kind.TABLE, ("a",), PageRequest("", 100, 1000))
    assert len(page.items) == 100
    assert counted.read <= 102
