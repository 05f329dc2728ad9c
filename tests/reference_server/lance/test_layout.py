"""The directory layout, rule by rule, with pylance's DirectoryNamespace on the other side of it."""

from __future__ import annotations

import threading

import lance
import lance.namespace
import lance_namespace_urllib3_client as model
import pyarrow as pa
import pytest
from lance_namespace import errors

from conformance.lance.client import STREAM_TYPE
from conformance.lance.support.arrow import stream
from lakeproof import serve

ROWS = pa.table({"id": [1, 2, 3]})


class Api:
    """Our server over a root directory, in few words."""

    def __init__(self, server, http):
        self._url, self._http = server.url, http

    def post(self, path, body=None, expect=200):
        answer = self._http("POST", f"{self._url}/v1/{path}", json=body or {})
        assert answer.status == expect, answer.data
        return answer.json() if answer.data else None

    def create(self, table, rows=ROWS, expect=200, mode="Create"):
        path = f"{self._url}/v1/table/{table}/create?mode={mode}"
        answer = self._http("POST", path, body=stream(rows), headers={"Content-Type": STREAM_TYPE})
        assert answer.status == expect, answer.data
        return answer.json()

    def tables(self, namespace="$", declared=False):
        query = f"?include_declared={str(declared).lower()}"
        return self._http("GET", f"{self._url}/v1/namespace/{namespace}/table/list{query}").json()["tables"]

    def all_tables(self, limit=1000):
        names, token = [], ""
        while True:
            page = self._http("GET", f"{self._url}/v1/table?limit={limit}&page_token={token}").json()
            names += page["tables"]
            token = page["page_token"]
            if not token:
                return names

    def namespaces(self, namespace="$"):
        return self._http("GET", f"{self._url}/v1/namespace/{namespace}/list").json()["namespaces"]

    def count(self, table):
        return self.post(f"table/{table}/count_rows")

    def exists(self, table):
        return self._http("POST", f"{self._url}/v1/table/{table}/exists", json={}).status == 200


class Pylance:
    """pylance over the same directory, in few words."""

    def __init__(self, root, **options):
        self.namespace = lance.namespace.DirectoryNamespace(root=str(root), **options)

    def tables(self, *namespace):
        return sorted(self.namespace.list_tables(model.ListTablesRequest(id=list(namespace))).tables)

    def namespaces(self, *namespace):
        return sorted(self.namespace.list_namespaces(model.ListNamespacesRequest(id=list(namespace))).namespaces)

    def create(self, *table, rows=ROWS):
        self.namespace.create_table(model.CreateTableRequest(id=list(table)), stream(rows))

    def create_namespace(self, *path, **properties):
        self.namespace.create_namespace(model.CreateNamespaceRequest(id=list(path), properties=properties))

    def declare(self, *table):
        self.namespace.declare_table(model.DeclareTableRequest(id=list(table)))

    def location(self, *table):
        return self.namespace.describe_table(model.DescribeTableRequest(id=list(table))).location

    def rows(self, *table):
        return lance.dataset(namespace_client=self.namespace, table_id=list(table)).count_rows()

    def drop(self, *table):
        self.namespace.drop_table(model.DropTableRequest(id=list(table)))

    def deregister(self, *table):
        self.namespace.deregister_table(model.DeregisterTableRequest(id=list(table)))


@pytest.fixture
def root(tmp_path):
    return tmp_path / "lance"


@pytest.fixture
def ours(tmp_path, http):
    with serve("lance", storage=f"dir:{tmp_path}") as server:
        yield Api(server, http)


@pytest.fixture
def theirs(ours, root):
    return Pylance(root)


def manifest(root):
    return {row["object_id"]: row for row in lance.dataset(str(root / "__manifest")).to_table().to_pylist()}


# D1-D6: root tables are directories


def test_a_root_table_is_a_directory(ours, theirs, root):
    ours.create("t")
    assert (root / "t.lance" / "_versions").is_dir()
    assert theirs.tables() == ["t"]
    assert theirs.rows("t") == 3


def test_a_directory_with_a_file_is_a_root_table(ours, root):
    lance.write_dataset(ROWS, str(root / "by_hand.lance"))
    assert ours.tables() == ["by_hand"]
    assert ours.count("by_hand") == 3
    assert ours.all_tables() == ["by_hand"]


def test_empty_directories_and_files_are_no_tables(ours, root):
    (root / "empty.lance").mkdir()
    (root / "file.lance").write_text("no table")
    (root / "nested.lance" / "deeper").mkdir(parents=True)
    assert ours.tables(declared=True) == []
    assert not ours.exists("empty")
    assert not ours.exists("file")
    ours.create("empty")
    assert ours.count("empty") == 3


def test_a_reserved_directory_is_a_declared_table(ours, theirs, root):
    ours.post("table/t/declare")
    assert (root / "t.lance" / ".lance-reserved").exists()
    assert ours.tables() == []
    assert ours.tables(declared=True) == ["t"]
    assert theirs.tables() == ["t"]
    theirs.declare("u")
    assert ours.tables(declared=True) == ["t", "u"]
    assert ours.post("table/u/describe?check_declared=true")["is_only_declared"] is True
    ours.create("u")
    assert ours.post("table/u/describe?check_declared=true")["is_only_declared"] is False


def test_a_deregistered_directory_is_hidden_and_keeps_its_data(ours, theirs, root):
    ours.create("t")
    location = ours.post("table/t/deregister")["location"]
    assert (root / "t.lance" / ".lance-deregistered").exists()
    assert not ours.exists("t")
    assert ours.tables(declared=True) == []
    assert theirs.tables() == []
    ours.post("table/t/register", {"location": location})
    assert not (root / "t.lance" / ".lance-deregistered").exists()
    assert ours.count("t") == 3
    assert theirs.rows("t") == 3


def test_a_deregistered_directory_can_be_dropped(ours, root):
    ours.create("t")
    ours.post("table/t/deregister")
    ours.post("table/t/drop")
    assert not (root / "t.lance").exists()
    ours.post("table/t/drop", expect=404)


def test_a_new_table_leaves_deregistered_data_alone(ours, root):
    ours.create("t")
    ours.post("table/t/deregister")
    ours.create("t", ROWS.slice(0, 1))
    assert ours.count("t") == 1
    assert lance.dataset(str(root / "t.lance")).count_rows() == 3
    ours.post("table/t/drop")
    assert not ours.exists("t")
    assert lance.dataset(str(root / "t.lance")).count_rows() == 3


# D7-D15, D20: the manifest table


def test_the_manifest_is_made_with_the_first_name(ours, root):
    assert ours.namespaces() == []
    assert not (root / "__manifest").exists()
    ours.post("namespace/a/create", {"properties": {"k": "v"}})
    table = lance.dataset(str(root / "__manifest"))
    assert table.schema.names == ["object_id", "object_type", "location", "metadata", "base_objects"]
    key = table.schema.field("object_id")
    assert key.metadata[b"lance-schema:unenforced-primary-key:position"] == b"0"
    assert not key.nullable
    assert manifest(root)["a"] == {
        "object_id": "a",
        "object_type": "namespace",
        "location": None,
        "metadata": '{"k":"v"}',
        "base_objects": None,
    }


def test_child_tables_lie_at_hashed_locations(ours, theirs, root):
    ours.post("namespace/ns/create")
    ours.create("ns%24t")
    row = manifest(root)["ns$t"]
    assert row["object_type"] == "table"
    assert row["location"].endswith("_ns$t")
    assert (root / row["location"] / "_versions").is_dir()
    assert theirs.tables("ns") == ["t"]
    assert theirs.rows("ns", "t") == 3


def test_what_pylance_writes_is_seen_at_once(ours, theirs):
    theirs.create_namespace("a", k="v")
    assert ours.namespaces() == ["a"]
    theirs.create_namespace("a", "b")
    theirs.create("a", "b", "t")
    theirs.create("root_table")
    assert ours.namespaces("a") == ["b"]
    assert ours.post("namespace/a/describe") == {"properties": {"k": "v"}}
    assert ours.tables("a%24b") == ["t"]
    assert ours.all_tables() == ["root_table", "a$b$t"]
    assert ours.count("a%24b%24t") == 3
    theirs.drop("a", "b", "t")
    assert ours.tables("a%24b") == []


def test_what_we_write_is_seen_in_a_handle_that_is_open(ours, theirs):
    assert theirs.namespaces() == []
    ours.post("namespace/a/create", {"properties": {"k": "v"}})
    assert theirs.namespaces() == ["a"]
    ours.create("a%24t")
    assert theirs.tables("a") == ["t"]
    ours.post("table/a%24t/rename", {"new_table_name": "u"})
    assert theirs.tables("a") == ["u"]
    assert theirs.rows("a", "u") == 3
    ours.post("table/a%24u/drop")
    ours.post("namespace/a/drop")
    assert theirs.namespaces() == []


def test_both_write_the_same_tables(ours, theirs, root):
    ours.post("namespace/ns/create")
    ours.create("ns%24t")
    opened = lance.dataset(namespace_client=theirs.namespace, table_id=["ns", "t"])
    lance.write_dataset(ROWS, opened.uri, mode="append")
    assert ours.count("ns%24t") == 6
    theirs.create("ns", "u")
    assert ours.count("ns%24u") == 3
    with pytest.raises(errors.TableAlreadyExistsError):
        theirs.declare("ns", "t")
    ours.create("ns%24u", expect=409)


def test_both_write_the_manifest_at_the_same_time(ours, root):
    ours.post("namespace/ours/create")
    created, failed = [], []

    def they():
        pylance = Pylance(root)
        for number in range(30):
            try:
                pylance.create_namespace(f"theirs{number}")
                created.append(f"theirs{number}")
            except errors.LanceNamespaceError as error:
                failed.append(error)

    thread = threading.Thread(target=they)
    thread.start()
    for number in range(30):
        ours.post(f"namespace/ours{number}/create")
        created.append(f"ours{number}")
    thread.join()
    assert sorted(ours.namespaces()) == sorted(["ours", *created])
    assert len(manifest(root)) == len(created) + 1


def test_columns_that_others_added_stay(ours, root):
    ours.post("namespace/a/create")
    ours.post("namespace/b/create")
    path = str(root / "__manifest")
    lance.dataset(path).add_columns(pa.field("owner", pa.string()))
    lance.dataset(path).update({"owner": "'somebody'"})
    ours.post("namespace/c/create")
    ours.post("namespace/b/drop")
    rows = manifest(root)
    assert {name: row["owner"] for name, row in rows.items()} == {"a": "somebody", "c": None}


def test_rows_that_nobody_knows_stay(ours, root):
    ours.post("namespace/a/create")
    path = str(root / "__manifest")
    foreign = pa.table(
        {"object_id": ["what$ever"], "object_type": ["view"], "location": ["x"], "metadata": ["{}"]},
        schema=pa.schema(list(lance.dataset(path).schema)[:4]),
    )
    lance.dataset(path).merge_insert("object_id").when_not_matched_insert_all().execute(foreign)
    ours.post("namespace/b/create")
    assert manifest(root)["what$ever"]["object_type"] == "view"
    assert ours.namespaces() == ["a", "b"]


def test_names_are_unique_whoever_was_first(ours, theirs):
    theirs.create_namespace("a")
    ours.post("namespace/a/create", expect=409)
    ours.post("namespace/b/create")
    with pytest.raises(errors.NamespaceAlreadyExistsError):
        theirs.create_namespace("b")


def test_a_name_with_the_separator_is_refused(ours):
    ours.post("namespace/do%24lar/create?delimiter=.", expect=400)
    assert ours.namespaces() == []


def test_the_roots_properties_are_the_tables_metadata(ours, root):
    ours.post("namespace/a/create")
    lance.dataset(str(root / "__manifest")).update_metadata({"owner": "somebody"})
    assert ours.post("namespace/$/describe") == {"properties": {"owner": "somebody"}}


# D16-D19: both views of the root


def test_the_manifest_comes_before_the_directory(ours, root):
    ours.post("namespace/ns/create")
    ours.create("ns%24t", ROWS.slice(0, 1))
    ours.post("table/ns%24t/rename", {"new_table_name": "both", "new_namespace_id": []})
    lance.write_dataset(ROWS, str(root / "both.lance"))
    assert ours.count("both") == 1
    assert ours.tables() == ["both"]


def test_listings_of_the_root_merge_both(ours, root):
    for name in ("b", "d"):
        ours.create(name)
    for name in ("a", "c", "e"):
        lance.write_dataset(ROWS, str(root / f"{name}.lance"))
    ours.post("namespace/ns/create")
    ours.create("ns%24z")
    assert ours.tables() == ["a", "b", "c", "d", "e"]
    for limit in (1, 2, 3, 100):
        assert ours.all_tables(limit) == ["a", "b", "c", "d", "e", "ns$z"]


@pytest.mark.parametrize("by_hand", [False, True])
def test_a_renamed_root_table_moves_to_a_hashed_location(ours, root, by_hand):
    if by_hand:
        lance.write_dataset(ROWS, str(root / "before.lance"))
    else:
        ours.create("before")
    ours.post("table/before/rename", {"new_table_name": "after"})
    assert ours.tables() == ["after"]
    assert ours.count("after") == 3
    assert not (root / "before.lance").exists()
    location = manifest(root)["after"]["location"]
    assert location.endswith("_after")
    assert lance.dataset(str(root / location)).count_rows() == 3
    migrating = Pylance(root, dir_listing_to_manifest_migration_enabled="true")
    assert migrating.rows("after") == 3
    ours.create("before", ROWS.slice(0, 1))
    assert (ours.count("before"), ours.count("after")) == (1, 3)


def test_a_rename_that_is_refused_changes_nothing(ours, theirs, root):
    ours.create("a")
    lance.write_dataset(ROWS.slice(0, 1), str(root / "b.lance"))
    ours.post("table/a/rename", {"new_table_name": "b"}, expect=409)
    ours.post("table/a/rename", {"new_table_name": "b", "new_namespace_id": ["none"]}, expect=404)
    assert (ours.count("a"), ours.count("b")) == (3, 1)
    assert theirs.tables() == ["a", "b"]


def test_an_overwritten_root_table_stays_in_its_place(ours, theirs, root):
    ours.create("t")
    ours.create("t", pa.table({"other": ["x"]}), mode="Overwrite")
    assert ours.count("t") == 1
    assert theirs.rows("t") == 1
    assert [path.name for path in root.glob("*.lance")] == ["t.lance"]


def test_an_overwritten_root_table_has_no_past(ours, root):
    ours.create("t")
    dataset = lance.dataset(str(root / "t.lance"))
    dataset.insert(ROWS)
    dataset.tags.create("old", 1)
    dataset.create_branch("b/c").insert(ROWS)
    files = list((root / "t.lance").glob("data/*"))
    ours.create("t", pa.table({"other": ["x"]}), mode="Overwrite")
    assert len(ours.post("table/t/version/list")["versions"]) == 1
    assert ours.post("table/t/tags/list")["tags"] == {}
    after = lance.dataset(str(root / "t.lance"))
    assert (after.branches.list(), after.to_table().to_pylist()) == ({}, [{"other": "x"}])
    assert files and not any(file.exists() for file in files)
    assert not (root / "t.lance" / "tree").exists()


# D23, D24


def test_only_empty_namespaces_are_dropped_whoever_filled_them(ours, theirs):
    ours.post("namespace/a/create")
    theirs.create("a", "t")
    ours.post("namespace/a/drop", expect=409)
    theirs.drop("a", "t")
    ours.post("namespace/a/drop")
    assert theirs.namespaces() == []


def test_a_table_whose_files_are_gone_can_be_dropped(ours, root):
    import shutil  # noqa: PLC0415

    ours.post("namespace/ns/create")
    ours.create("ns%24t")
    shutil.rmtree(root / manifest(root)["ns$t"]["location"])
    ours.post("table/ns%24t/drop")
    assert ours.tables("ns", declared=True) == []


def test_a_directory_that_is_wiped_is_empty(ours, root):
    import shutil  # noqa: PLC0415

    ours.post("namespace/a/create")
    shutil.rmtree(root / "__manifest")
    assert ours.namespaces() == []
    ours.post("namespace/b/create")
    assert ours.namespaces() == ["b"]


@pytest.mark.parametrize("name", ["sp ace", "100%", "a%2Fb", "größe", "a+b", "数据", "it's"])
def test_odd_names_are_opened_by_pylance(ours, theirs, name):
    from specs.identifiers import encode_segment  # noqa: PLC0415

    ours.create(encode_segment(name))
    assert theirs.tables() == [name]
    assert lance.dataset(ours.post(f"table/{encode_segment(name)}/describe")["location"]).count_rows() == 3
    if name.isascii() and "%" not in name:  # pylance 14 does not find the others, even if it made them
        assert theirs.rows(name) == 3


def test_a_refused_location_names_the_table_there_or_says_that_there_is_none(ours):
    def refusal(location):
        return ours.post("table/u/declare", {"location": location}, expect=400)["error"]

    ours.create("t")
    assert 'that of the table ["t"]' in refusal("t.lance/x")
    assert 'reserved for the name ["none"], although no table of that name lies there' in refusal("none.lance/x")
    ours.post("table/t/rename", {"new_table_name": "none"})  # which lies elsewhere
    assert 'reserved for the name ["none"], although no table of that name lies there' in refusal("none.lance")
    assert ours.tables() == ["none"]
    ours.post("table/u/declare", {"location": "some/none.lance"})
    ours.post("table/none2/declare", {"location": "none2.lance"})


def test_no_table_lies_where_a_root_table_or_the_catalog_does(ours):
    ours.create("t")
    ours.post("namespace/ns/create")
    for taken in ("t.lance", "t.lance/x", "none.lance", "__manifest", "__manifest/x", ".lakeproof/x"):
        ours.post("table/ns$u/declare", {"location": taken}, expect=400)
    ours.post("table/t/deregister")
    ours.post("table/ns$u/register", {"location": "t.lance"})
    ours.post("table/ns$v/register", {"location": "t.lance"}, expect=400)
    assert ours.count("ns$u") == 3
