"""The catalog without HTTP, on both of its record stores: what follows from a change, and what two of them do."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from reference_server import limits
from reference_server.backends import OWN_FOLDER
from reference_server.errors import (
    InvalidInput,
    NamespaceNotEmpty,
    NamespaceNotFound,
    ServiceUnavailable,
    TableAlreadyExists,
    TableNotFound,
)
from reference_server.lance.catalog import changes
from reference_server.lance.catalog.catalog import EntryCatalog
from reference_server.lance.catalog.changes import EntryChange
from reference_server.lance.catalog.entries import ListRequest, Table
from reference_server.lance.catalog.keys import PENDING, VERSION
from reference_server.lance.catalog.layout import open_layout
from reference_server.lance.catalog.layout.manifest import ManifestStorage
from reference_server.lance.catalog.locations import AnyLocations
from reference_server.lance.errors import ConcurrentModification
from reference_server.storage.memory import MemoryStorage

MANY, FEW = 1200, 12
EVERYTHING = ListRequest(None, None, 100)
T, U = Table("t-data", {"k": "v"}), Table("u-data")


@pytest.fixture(params=["memory", "layout"])
def catalog(request, tmp_path):
    if request.param == "memory":
        catalog = EntryCatalog(MemoryStorage(), AnyLocations(managed=True))
    else:
        (tmp_path / OWN_FOLDER).mkdir()
        catalog = open_layout(tmp_path, managed=True)
    asyncio.run(catalog.create_namespace(("n",), {"a": "b"}))
    yield catalog
    catalog.close()


def ignore(_location):
    """Note nothing."""


def do(awaitable):
    return asyncio.run(awaitable)


def change(catalog, *edits):
    """Make several changes in one commit."""

    async def build(change):
        for edit in edits:
            edit(change)

    do(catalog.change(build))


@pytest.mark.parametrize("location", ["t-data", "t-data/x", "t-data/x/y"])
def test_no_table_lies_at_in_or_around_another(catalog, location):
    inside = Table(location)
    do(catalog.add_table(("n", "t"), inside))
    for other in ("t-data", "t-data/x", "t-data/x/y"):
        if other.startswith(location) or location.startswith(other):
            with pytest.raises(InvalidInput, match="of the table"):
                do(catalog.add_table(("n", "u"), Table(other)))
            do(catalog.add_table(("n", "u"), U))
            with pytest.raises(InvalidInput, match="of the table"):
                do(catalog.replace_table(("n", "u"), U, Table(other)))
            do(catalog.drop_table(("n", "u"), ignore))
    do(catalog.rename_table(("n", "t"), ("n", "moved")))
    with pytest.raises(InvalidInput, match="moved"):
        do(catalog.add_table(("n", "t"), inside))
    do(catalog.drop_namespace(("n",), ignore, cascade=True))
    do(catalog.create_namespace(("n",), {}))
    do(catalog.add_table(("n", "t"), Table("t-data")))


def test_one_of_two_tables_gets_a_place(catalog):
    async def race():
        places = ("x", "x/y", "x/y/z", "x")
        adding = [catalog.add_table(("n", f"t{n}"), Table(place)) for n, place in enumerate(places)]
        return await asyncio.gather(*adding, return_exceptions=True)

    outcomes = do(race())
    assert outcomes.count(None) == 1
    assert sum(isinstance(outcome, InvalidInput) for outcome in outcomes) == 3


def test_tables_come_move_and_go(catalog):
    do(catalog.add_table(("n", "t"), T))
    assert catalog.table(("n", "t")) == T
    do(catalog.rename_table(("n", "t"), ("n", "u")))
    with pytest.raises(TableNotFound):
        catalog.table(("n", "t"))
    assert [listed.path for listed in catalog.list_tables(None, EVERYTHING).items] == [("n", "u")]
    assert do(catalog.drop_table(("n", "u"), ignore)) == T
    assert catalog.list_tables(("n",), EVERYTHING).items == []


def test_names_are_taken_once(catalog):
    do(catalog.add_table(("n", "t"), T))
    do(catalog.add_table(("n", "u"), U))
    with pytest.raises(TableAlreadyExists):
        do(catalog.add_table(("n", "t"), U))
    with pytest.raises(TableAlreadyExists):
        do(catalog.rename_table(("n", "t"), ("n", "u")))
    with pytest.raises(NamespaceNotFound):
        do(catalog.add_table(("other", "t"), U))
    assert catalog.table(("n", "t")) == T


def test_namespaces_go_with_what_is_in_them_or_not_at_all(catalog):
    do(catalog.create_namespace(("n", "inner"), {}))
    do(catalog.add_table(("n", "inner", "t"), T))
    with pytest.raises(NamespaceNotEmpty):
        do(catalog.drop_namespace(("n",), ignore, cascade=False))
    assert do(catalog.drop_namespace(("n",), ignore, cascade=True)) == {("n", "inner", "t"): T}
    with pytest.raises(NamespaceNotFound):
        catalog.namespace(("n", "inner"))


def test_versions_below_a_namespace_go_and_those_of_a_table_of_its_name_stay(catalog):
    do(catalog.create_namespace(("n", "inner"), {}))
    for path, table in ((("n", "inner", "t"), T), (("n",), U), (("nn",), Table("w-data"))):
        do(catalog.add_table(path, table))
        do(catalog.finalize_versions(path, {1: {"e_tag": "z"}}))
    do(catalog.drop_namespace(("n",), ignore, cascade=True))
    assert catalog.versions(VERSION, ("n", "inner", "t")) == {}
    assert catalog.versions(VERSION, ("n",)) == catalog.versions(VERSION, ("nn",)) == {1: {"e_tag": "z"}}


@pytest.fixture
def crowded(monkeypatch):
    """A catalog of many tables in a namespace, and the scans of its storage."""
    storage = MemoryStorage()
    catalog = EntryCatalog(storage, AnyLocations(managed=True))
    do(catalog.create_namespace(("n",), {}))
    tables = [(("n", f"t{number}"), Table(f"data-{number}")) for number in range(MANY)]
    change(catalog, *(partial(EntryChange.add_table, path=path, table=table) for path, table in tables))
    scans, scan = [], storage.scan
    monkeypatch.setattr(storage, "scan", lambda *args, **named: scans.append(args) or scan(*args, **named))
    return catalog, scans


def test_a_namespace_of_many_tables_goes_by_few_scans_and_others_have_turns(crowded):
    catalog, scans = crowded
    turns = []

    async def beside():
        dropped = asyncio.ensure_future(catalog.drop_namespace(("n",), ignore, cascade=True))
        while not dropped.done():
            turns.append(1)
            await asyncio.sleep(0)
        return dropped.result()

    assert len(do(beside())) == MANY
    assert len(scans) < FEW
    assert len(turns) > MANY / changes.SLICE


def test_more_tables_than_a_limit_do_not_go_with_their_namespace(crowded, monkeypatch):
    catalog, _ = crowded
    monkeypatch.setattr(limits, "CASCADE", MANY - 1)
    with pytest.raises(InvalidInput, match=str(MANY - 1)):
        do(catalog.drop_namespace(("n",), ignore, cascade=True))
    assert catalog.table(("n", "t0")) == Table("data-0")


def test_an_entry_is_replaced_only_if_it_is_still_the_same(catalog):
    do(catalog.add_table(("n", "t"), T))
    do(catalog.replace_table(("n", "t"), T, U))
    with pytest.raises(ConcurrentModification):
        do(catalog.replace_table(("n", "t"), T, Table("v-data")))
    assert catalog.table(("n", "t")) == U


def test_whether_there_are_data_makes_no_other_entry(catalog):
    do(catalog.add_table(("n", "t"), T))
    created = Table(T.location, T.properties, created=True)
    do(catalog.replace_table(("n", "t"), T, created))
    assert [listed.table.created for listed in catalog.list_tables(("n",), EVERYTHING).items] == [True]
    do(catalog.replace_table(("n", "t"), T, U))


def test_what_is_refused_in_a_change_leaves_nothing_of_it(catalog):
    with pytest.raises(TableNotFound):
        change(catalog, lambda batch: batch.add_table(("n", "t"), T), lambda batch: batch.remove_table(("n", "u")))
    with pytest.raises(TableNotFound):
        catalog.table(("n", "t"))


def test_versions_are_pending_until_they_are_finalized(catalog):
    do(catalog.add_table(("n", "t"), T))
    pending = {"staged": "x", "naming_scheme": "V2"}
    change(catalog, lambda batch: batch.add_version(("n", "t"), 1, pending))
    with pytest.raises(ConcurrentModification):
        change(catalog, lambda batch: batch.add_version(("n", "t"), 1, {"staged": "y"}))
    assert catalog.tables_with_pending_versions() == [("n", "t")]
    do(catalog.finalize_versions(("n", "t"), {1: {"e_tag": "z"}}, {1: {"staged": "somebody else's"}}))
    assert catalog.versions(PENDING, ("n", "t")) == {1: pending}
    do(catalog.finalize_versions(("n", "t"), {1: {"e_tag": "z"}}, {1: pending}))
    assert catalog.versions(PENDING, ("n", "t")) == {}
    assert catalog.versions(VERSION, ("n", "t")) == {1: {"e_tag": "z"}}


def test_records_of_versions_go_where_their_table_goes(catalog):
    do(catalog.add_table(("n", "t"), T))
    do(catalog.finalize_versions(("n", "t"), {1: {"e_tag": "z"}}))
    do(catalog.rename_table(("n", "t"), ("n", "u")))
    assert catalog.versions(VERSION, ("n", "t")) == {}
    assert catalog.versions(VERSION, ("n", "u")) == {1: {"e_tag": "z"}}
    do(catalog.remove_table(("n", "u")))
    assert catalog.versions(VERSION, ("n", "u")) == {}
    do(catalog.add_table(("n", "t"), T))
    do(catalog.finalize_versions(("n", "t"), {1: {}}))
    do(catalog.drop_namespace(("n",), ignore, cascade=True))
    assert catalog.versions(VERSION, ("n", "t")) == {}


def test_no_change_is_lost_among_many(catalog):
    async def add(number):
        await catalog.add_table(("n", f"t{number:02}"), Table(f"data-{number}"))

    async def race():
        await asyncio.gather(*(add(number) for number in range(20)))

    do(race())
    assert len(catalog.list_tables(("n",), EVERYTHING).items) == 20


# What is particular to directories


@pytest.fixture
def layout(tmp_path):
    (tmp_path / OWN_FOLDER).mkdir()
    (tmp_path / "t.lance").mkdir()
    (tmp_path / "t.lance" / "data").touch()
    catalog = open_layout(tmp_path)
    yield catalog
    catalog.close()


def test_a_directory_becomes_a_record_when_it_is_changed_not_when_it_is_read(layout, tmp_path):
    table = layout.table(("t",))
    assert not table.recorded
    assert [listed.path for listed in layout.list_tables(None, EVERYTHING).items] == [("t",)]
    assert not (tmp_path / "__manifest").exists()
    do(layout.replace_table(("t",), table, Table(table.location, {"k": "v"})))
    assert layout.table(("t",)).recorded
    assert layout.table(("t",)).properties == {"k": "v"}


def test_a_directory_is_renamed_with_what_is_in_it(layout, tmp_path):
    do(layout.create_namespace(("n",), {}))
    do(layout.rename_table(("t",), ("n", "u")))
    assert not (tmp_path / "t.lance").exists()
    assert (tmp_path / layout.table(("n", "u")).location / "data").exists()
    assert [listed.path for listed in layout.list_tables(None, EVERYTHING).items] == [("n", "u")]


def test_a_directory_whose_row_stays_is_shown_again(layout, tmp_path, monkeypatch):
    commit = ManifestStorage.commit

    async def refuse_removals(self, expected, writes, *rest):
        if None in writes.values():
            raise ServiceUnavailable("Other writers keep the lock.")
        await commit(self, expected, writes, *rest)

    monkeypatch.setattr(ManifestStorage, "commit", refuse_removals)
    with pytest.raises(ServiceUnavailable):
        do(layout.remove_table(("t",)))
    assert [path.name for path in (tmp_path / "t.lance").iterdir()] == ["data"]
    assert [listed.path for listed in layout.list_tables(None, EVERYTHING).items] == [("t",)]
