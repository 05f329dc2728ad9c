"""The manifest table beside others who write it: what is read of it, how it is kept small, and that nobody is hurt."""

from __future__ import annotations

import asyncio
import fcntl
import threading
from datetime import timedelta

import lance
import lance.namespace
import lance_namespace_urllib3_client as model
import pytest
from lance_namespace import errors

from reference_server.errors import ServiceUnavailable
from reference_server.lance.catalog.entries import Table
from reference_server.lance.catalog.keys import NAMESPACE, catalog_key, children, table_key
from reference_server.lance.catalog.layout import manifest, manifest_table, upkeep
from reference_server.lance.catalog.layout.manifest import ManifestStorage
from reference_server.lance.catalog.layout.rows import entry_of
from tests.children import wait_for

NOW = timedelta(0)
NEVER = timedelta(days=1)


@pytest.fixture(autouse=True)
def kept_for(monkeypatch):
    """Set how long versions are kept after another one took their place."""

    def keep(age):
        monkeypatch.setattr(upkeep, "KEPT_FOR", age)

    keep(NEVER)
    return keep


@pytest.fixture
def opened(tmp_path):
    """Open a server's storage of the directory; several may be open."""
    storages = []

    def another():
        storages.append(ManifestStorage(tmp_path, tmp_path / "lock"))
        return storages[-1]

    yield another
    for storage in storages:
        storage.close()


@pytest.fixture
def storage(opened):
    return opened()


@pytest.fixture
def rows_read(monkeypatch):
    """The rows that were read from the table, as they are read."""
    rows = []
    read = manifest_table._read

    def counted(dataset, fragment):
        batch = list(read(dataset, fragment))
        rows.extend(batch)
        return batch

    monkeypatch.setattr(manifest_table, "_read", counted)
    return rows


@pytest.fixture
def taken_over(monkeypatch):
    """The rows that became entries, as they do."""
    rows = []
    monkeypatch.setattr(manifest, "entry_of", lambda row: rows.append(row) or entry_of(row))
    return rows


def write(storage, entries):
    asyncio.run(storage.commit({}, entries))


def namespaces(*names):
    return {catalog_key(NAMESPACE, (name,)): {} for name in names}


def numbered(first, end):
    return namespaces(*(f"n{number:04}" for number in range(first, end)))


def names(storage):
    return {key for key, _ in storage.scan(children(NAMESPACE, ()))}


def pylance(root):
    return lance.namespace.DirectoryNamespace(root=str(root))


def table(root):
    return lance.dataset(str(root / manifest_table.TABLE))


def versions(root):
    return manifest_table.ManifestTable(root).count_versions()


def test_what_we_wrote_is_not_read(storage, rows_read):
    write(storage, numbered(0, 1))  # makes the table, which is looked at
    rows_read.clear()
    for number in range(1, 40):
        write(storage, numbered(number, number + 1))
    write(storage, {table_key(("n0001", "t")): Table("x")})
    write(storage, {table_key(("n0001", "t")): None})
    assert names(storage) == numbered(0, 40).keys()
    assert rows_read == []


def test_of_what_another_server_wrote_the_difference_is_read(opened, rows_read):
    ours, theirs = opened(), opened()
    write(theirs, numbered(0, 500))
    assert len(names(ours)) == 500
    rows_read.clear()
    for number in range(500, 505):
        write(theirs, numbered(number, number + 1))
        assert len(names(ours)) == number + 1
    assert len(rows_read) == 5


def test_a_row_that_others_delete_or_change_is_no_other_than_that(opened, taken_over):
    ours, theirs = opened(), opened()
    write(theirs, numbered(0, 300))
    assert len(names(ours)) == 300
    taken_over.clear()
    key, other = numbered(7, 9)
    write(theirs, {key: None, other: {"k": "v"}})
    assert (ours.get(key), ours.get(other)) == (None, {"k": "v"})
    assert [row.object_id for row in taken_over] == ["n0008"]


def test_of_a_table_that_pylance_wrote_anew_the_difference_is_taken_over(storage, taken_over, tmp_path):
    write(storage, numbered(0, 300))
    assert len(names(storage)) == 300
    pylance(tmp_path).create_namespace(model.CreateNamespaceRequest(id=["first"]))
    assert len(names(storage)) == 301
    taken_over.clear()
    pylance(tmp_path).create_namespace(model.CreateNamespaceRequest(id=["second"], properties={"k": "v"}))
    pylance(tmp_path).drop_namespace(model.DropNamespaceRequest(id=["n0003"]))
    assert storage.get(catalog_key(NAMESPACE, ("second",))) == {"k": "v"}
    assert storage.get(catalog_key(NAMESPACE, ("n0003",))) is None
    assert {row.object_id for row in taken_over} == {"second"}


def test_others_may_undo_what_we_did_since_we_read(opened):
    """Then the rows are as they were when they were read: no difference of them says that."""
    ours, theirs = opened(), opened()
    kept, changed, made = (catalog_key(NAMESPACE, (name,)) for name in ("kept", "changed", "made"))
    write(theirs, {kept: {}, changed: {"k": "old"}})
    assert len(names(ours)) == 2
    write(ours, {kept: None, changed: {"k": "new"}, made: {}})
    write(theirs, {kept: {}, changed: {"k": "old"}, made: None})
    assert {key: ours.get(key) for key in (kept, changed, made)} == {kept: {}, changed: {"k": "old"}, made: None}


def test_a_compaction_changes_nothing_for_those_who_have_read(opened, rows_read, tmp_path):
    ours, theirs = opened(), opened()
    for number in range(upkeep.MOST_FRAGMENTS):
        write(theirs, numbered(number, number + 1))
    assert len(names(ours)) == upkeep.MOST_FRAGMENTS
    state, fragments = ours.version(), len(table(tmp_path).get_fragments())
    rows_read.clear()
    manifest_table.ManifestTable(tmp_path).compact()
    assert len(table(tmp_path).get_fragments()) < fragments
    assert ours.version() == state
    assert rows_read == []


def test_small_fragments_are_merged_in_the_background(storage, tmp_path):
    for number in range(upkeep.MOST_FRAGMENTS * 3):
        write(storage, numbered(number, number + 1))
    wait_for(lambda: len(table(tmp_path).get_fragments()) <= upkeep.MOST_FRAGMENTS)
    assert names(storage) == numbered(0, upkeep.MOST_FRAGMENTS * 3).keys()


def test_full_fragments_are_left_alone(storage, tmp_path, monkeypatch):
    monkeypatch.setattr(manifest_table, "FULL_FRAGMENT", 10)
    write(storage, numbered(0, 10))
    first = table(tmp_path).get_fragments()[0].fragment_id
    for number in range(10, 40):
        write(storage, numbered(number, number + 1))
    wait_for(lambda: len(table(tmp_path).get_fragments()) <= upkeep.MOST_FRAGMENTS)
    assert table(tmp_path).get_fragments()[0].fragment_id == first


def test_old_versions_are_removed(storage, kept_for, tmp_path):
    for number in range(20):
        write(storage, numbered(number, number + 1))
    assert versions(tmp_path) > 20
    kept_for(NOW)
    write(storage, numbered(20, 21))
    storage.close()
    another = ManifestStorage(tmp_path, tmp_path / "lock")
    try:
        assert names(another) == numbered(0, 21).keys()
        wait_for(lambda: versions(tmp_path) == 1)
        assert names(another) == numbered(0, 21).keys()
    finally:
        another.close()


def test_a_version_that_has_room_is_still_read(storage, tmp_path):
    write(storage, numbered(0, 5))
    reader = table(tmp_path)
    for number in range(5, 5 + upkeep.MOST_FRAGMENTS * 2):
        write(storage, numbered(number, number + 1))
    wait_for(lambda: len(table(tmp_path).get_fragments()) <= upkeep.MOST_FRAGMENTS)
    manifest_table.ManifestTable(tmp_path).remove_versions(NEVER)
    assert reader.count_rows() == 5


def test_pylance_writes_while_the_table_is_tidied_up(storage, kept_for, tmp_path, monkeypatch):
    """Neither loses a name, whoever is quicker, and both read the table before, meanwhile and afterwards."""
    monkeypatch.setattr(upkeep, "MOST_FRAGMENTS", 2)
    kept_for(timedelta(seconds=2))  # longer than any request of pylance takes to read the table
    write(storage, namespaces("before"))
    assert "before" in listed(pylance(tmp_path))
    created, failures = [], []

    def they():
        namespace = pylance(tmp_path)
        for number in range(25):
            name = f"theirs{number}"
            try:
                namespace.create_namespace(model.CreateNamespaceRequest(id=[name]))
                created.append(name)
                assert name in listed(namespace)
            except errors.ConcurrentModificationError:
                continue  # pylance has lost a race and says so
            except BaseException as error:  # it is raised again below
                failures.append(error)
                return

    thread = threading.Thread(target=they)
    thread.start()
    for number in range(60):
        write(storage, numbered(number, number + 1))
    thread.join()
    assert not failures, failures[0]
    assert created
    expected = namespaces("before", *created).keys() | numbered(0, 60).keys()
    assert names(storage) == expected
    kept_for(NOW)
    write(storage, namespaces("after"))
    wait_for(lambda: versions(tmp_path) == 1)
    assert set(listed(pylance(tmp_path))) >= {"before", "after", *created}


def listed(namespace):
    listing, token = [], None
    while True:
        page = namespace.list_namespaces(model.ListNamespacesRequest(id=[], page_token=token))
        listing += page.namespaces
        token = page.page_token
        if not token:
            return listing


def test_a_lock_that_others_keep_is_answered_in_the_end(storage, tmp_path, monkeypatch):
    monkeypatch.setattr(manifest, "PATIENCE", 0.1)
    add = storage.commit({}, {catalog_key(NAMESPACE, ("n",)): {}})
    with (tmp_path / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(ServiceUnavailable, match="Another process"):
            asyncio.run(asyncio.wait_for(add, 5))
    asyncio.run(storage.commit({}, {catalog_key(NAMESPACE, ("n",)): {}}))
    assert storage.get(catalog_key(NAMESPACE, ("n",))) == {}


def test_a_commit_of_many_looks_for_a_newer_version_a_few_times(storage, monkeypatch):
    keys = [catalog_key(NAMESPACE, (f"n{number}",)) for number in range(100)]
    looks, is_newest = [], ManifestStorage._is_newest
    monkeypatch.setattr(ManifestStorage, "_is_newest", lambda self: looks.append(1) or is_newest(self))
    asyncio.run(storage.commit(dict.fromkeys(keys), {key: {} for key in keys}))
    assert len(looks) < len(keys) / 10


def test_a_turn_of_the_loop_looks_once_for_what_others_wrote(opened, monkeypatch):
    first, second = opened(), opened()
    looks = []
    monkeypatch.setattr(first, "_is_newest", lambda: looks.append(1) or type(first)._is_newest(first))

    async def in_turns():
        assert names(first) == names(first) == set()
        assert len(looks) == 1
        await second.commit({}, namespaces("n"))
        assert names(first) == namespaces("n").keys()
        assert await asyncio.to_thread(lambda: (names(first), names(first))) == (namespaces("n").keys(),) * 2

    asyncio.run(in_turns())
    assert len(looks) == 4, "one for each turn, and each of the thread's own"


def test_what_comes_after_a_commit_fails_alone(storage):
    done = []

    def broken():
        raise OSError("no space")

    async def at_once():
        writes = [namespaces("a"), namespaces("b")]
        commits = [storage.commit({}, writes[0], (), broken), storage.commit({}, writes[1], (), lambda: done.append(1))]
        return await asyncio.gather(*commits, return_exceptions=True)

    failed, written = asyncio.run(at_once())
    assert isinstance(failed, OSError)
    assert (written, done) == (None, [1])
    assert names(storage) == namespaces("a", "b").keys()
