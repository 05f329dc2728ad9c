"""LanceDB for Python, through the namespace, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import lancedb
import pyarrow as pa
import pytest

from tests.clients.steps import Session

ROWS = pa.table({"id": [1, 2, 3], "name": ["a", "b", "c"]})


def more(number):
    """One more row."""
    return pa.table({"id": [number], "name": ["z"]})


def connect(session: Session, token: str):
    """Return the connection."""
    headers = {"header.Authorization": f"Bearer {token}"} if token else {}
    return lancedb.connect_namespace(
        "rest", {"uri": session.url, **headers}, read_consistency_interval=timedelta(seconds=0)
    )


def drive(session: Session) -> Iterator[str]:
    if session.token:
        with pytest.raises(Exception, match=r"401|[Uu]nauth"):
            connect(session, "wrong").list_namespaces([])
    db = connect(session, session.token)
    ns = ["ns"]
    db.create_namespace(ns, properties={"owner": "me"})
    assert list(db.list_namespaces([]).namespaces) == ns
    assert db.describe_namespace(ns).properties["owner"] == "me"
    yield "namespaces"
    table = db.create_table("t", ROWS, namespace_path=ns)
    with pytest.raises(Exception, match="already exists"):
        db.create_table("t", ROWS, namespace_path=ns)
    yield "create"
    table.add(more(4))
    yield "write"
    opened = db.open_table("t", namespace_path=ns)
    assert opened.count_rows("id > 1") == 3
    assert opened.search().where("id = 4").to_arrow()["name"].to_pylist() == ["z"]
    yield "read"
    assert list(db.list_tables(namespace_path=ns).tables) == ["t"]
    yield "list"
    opened.add_columns({"double": "id * 2"})
    assert opened.schema.names == ["id", "name", "double"]
    yield "evolve"
    opened.tags.create("start", 1)
    assert opened.tags.get_version("start") == 1
    yield "branches"
    writers = [db.open_table("t", namespace_path=ns) for _ in range(2)]
    with ThreadPoolExecutor() as threads:
        list(threads.map(lambda writer, number: writer.add(more(number)), writers, (5, 6)))
    assert opened.count_rows() == 6
    yield "conflict"
    db.rename_table("t", "u", cur_namespace_path=ns, new_namespace_path=ns)
    assert list(db.list_tables(namespace_path=ns).tables) == ["u"]
    yield "rename"
    db.drop_table("u", namespace_path=ns)
    with pytest.raises(Exception, match=r"not found|does not exist"):
        db.open_table("u", namespace_path=ns)
    db.drop_namespace(ns)
    assert list(db.list_namespaces([]).namespaces) == []
    yield "drop"
    for kind, name in session.names.items():
        db.create_namespace([name])
        db.create_table(name, ROWS, namespace_path=[name])
        assert list(db.list_tables(namespace_path=[name]).tables) == [name]
        assert db.open_table(name, namespace_path=[name]).count_rows() == 3
        db.drop_table(name, namespace_path=[name])
        db.drop_namespace([name])
        yield kind
