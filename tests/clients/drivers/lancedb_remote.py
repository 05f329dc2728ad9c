"""LanceDB for Python as a remote client (`db://`), step by step."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import lancedb
import pyarrow as pa
import pytest

from tests.clients.steps import Session

NS = ["ns"]


def rows(*ids, name="a"):
    """Rows with these ids and vectors."""
    vectors = pa.array([[float(id), 1.0] for id in ids], pa.list_(pa.float32(), 2))
    return pa.table({"id": list(ids), "vector": vectors, "name": [name for _ in ids]})


def connect(session: Session, token: str):
    """Return the connection; a server without tokens accepts any key."""
    return lancedb.connect("db://lakeproof", api_key=token or "none", host_override=session.url)


def write(table):
    """Add, update, delete and merge rows."""
    assert table.add(rows(4, name="z")).version == 2
    assert table.update(where="id = 1", values={"name": "b"}).rows_updated == 1
    assert table.delete("id = 2").num_deleted_rows == 1
    merge = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
    merged = merge.execute(rows(3, 5, name="m"))
    assert (merged.num_updated_rows, merged.num_inserted_rows) == (1, 1)


def read(opened):
    """Describe, count, filter and search rows."""
    assert opened.schema == rows(1).schema
    assert [opened.count_rows(), opened.count_rows("id > 3")] == [4, 2]
    assert opened.search().where("id = 4").to_arrow()["name"].to_pylist() == ["z"]
    assert opened.search([5.0, 1.0]).limit(2).to_arrow()["id"].to_pylist() == [5, 4]
    each = opened.search([[1.0, 1.0], [5.0, 1.0]]).limit(1).to_arrow()  # two requests at once, joined as they come
    assert sorted(zip(each["query_index"].to_pylist(), each["id"].to_pylist(), strict=True)) == [(0, 1), (1, 5)]
    assert opened.search([5.0, 1.0]).explain_plan()


def evolve(opened):
    """Add a column, then create, use and drop indexes."""
    opened.add_columns({"double": "id * 2"})
    assert opened.schema.names == ["id", "vector", "name", "double"]
    opened.create_scalar_index("id")
    opened.create_fts_index("name")
    assert sorted(index.columns[0] for index in opened.list_indices()) == ["id", "name"]
    assert opened.index_stats("id_idx").num_indexed_rows == 4
    assert opened.search("z", query_type="fts").to_arrow()["id"].to_pylist() == [4]
    opened.drop_index("id_idx")
    assert [index.columns[0] for index in opened.list_indices()] == ["name"]


def use_versions(opened):
    """Create a tag, list versions, and restore the first one."""
    opened.tags.create("start", 1)
    assert opened.tags.get_version("start") == 1
    assert opened.tags.list()["start"]["version"] == 1
    assert [version["version"] for version in opened.list_versions()][:2] == [1, 2]
    opened.checkout(1)
    assert opened.count_rows() == 3
    opened.restore()
    opened.checkout_latest()
    assert sorted(opened.search().to_arrow()["id"].to_pylist()) == [1, 2, 3]


def drive(session: Session) -> Iterator[str]:
    if session.token:
        with pytest.raises(Exception, match=r"401|[Uu]nauth"):
            connect(session, "wrong").list_tables()
    db = connect(session, session.token)
    db.create_namespace(NS, properties={"owner": "me"})
    assert list(db.list_namespaces().namespaces) == NS
    assert db.describe_namespace(NS).properties["owner"] == "me"
    yield "namespaces"
    table = db.create_table("t", rows(1, 2, 3), namespace_path=NS)
    with pytest.raises(Exception, match=r"409|exists"):
        db.create_table("t", rows(1), namespace_path=NS)
    assert db.create_table("root", rows(1)).count_rows() == 1
    db.drop_table("root")
    yield "create"
    write(table)
    yield "write"
    opened = db.open_table("t", namespace_path=NS)
    read(opened)
    yield "read"
    assert list(db.list_tables(namespace_path=NS).tables) == ["t"]
    yield "list"
    evolve(opened)
    yield "evolve"
    use_versions(opened)
    yield "branches"
    writers = [db.open_table("t", namespace_path=NS) for _ in range(2)]
    with ThreadPoolExecutor() as threads:
        list(threads.map(lambda writer, number: writer.add(rows(number)), writers, (6, 7)))
    assert opened.count_rows() == 5
    yield "conflict"
    db.rename_table("t", "u", cur_namespace_path=NS, new_namespace_path=NS)
    assert list(db.list_tables(namespace_path=NS).tables) == ["u"]
    yield "rename"
    db.drop_table("u", namespace_path=NS)
    with pytest.raises(Exception, match=r"not found|does not exist"):
        db.open_table("u", namespace_path=NS)
    db.drop_namespace(NS)
    assert list(db.list_namespaces().namespaces) == []
    yield "drop"
