"""pylance, which writes and reads the files of tables that the namespace locates, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import lance
import lance.namespace
import lance_namespace_urllib3_client as generated
import pyarrow as pa
import pytest
from lance_namespace import errors

from conformance.lance.support.arrow import stream
from tests.clients.steps import Session

ROWS = pa.table({"id": [1, 2, 3], "name": ["a", "b", "c"]})
MORE = pa.table({"id": [4], "name": ["d"]})


def connect(session: Session, token: str):
    """Return the namespace."""
    headers = {"header.Authorization": f"Bearer {token}"} if token else {}
    return lance.namespace.RestNamespace(uri=session.url, **headers)


def drive(session: Session) -> Iterator[str]:
    if session.token:
        with pytest.raises(errors.UnauthenticatedError):
            connect(session, "wrong").list_namespaces(generated.ListNamespacesRequest(id=[]))
    namespace = connect(session, session.token)

    def write(name, rows, mode):
        lance.write_dataset(rows, namespace_client=namespace, table_id=["ns", name], mode=mode)

    def opened(name):
        return lance.dataset(namespace_client=namespace, table_id=["ns", name])

    def tables():
        return namespace.list_tables(generated.ListTablesRequest(id=["ns"])).tables

    namespace.create_namespace(generated.CreateNamespaceRequest(id=["ns"], properties={"owner": "me"}))
    assert namespace.list_namespaces(generated.ListNamespacesRequest(id=[])).namespaces == ["ns"]
    described = namespace.describe_namespace(generated.DescribeNamespaceRequest(id=["ns"]))
    assert described.properties["owner"] == "me"
    yield "namespaces"
    write("t", ROWS, "create")
    with pytest.raises(errors.TableAlreadyExistsError):
        namespace.create_table(generated.CreateTableRequest(id=["ns", "t"]), stream(ROWS))
    yield "create"
    write("t", MORE, "append")
    yield "write"
    assert opened("t").to_table()["id"].to_pylist() == [1, 2, 3, 4]
    counted = namespace.count_table_rows(generated.CountTableRowsRequest(id=["ns", "t"], predicate="id > 1"))
    assert counted.count == 3
    yield "read"
    assert tables() == ["t"]
    yield "list"
    opened("t").add_columns({"double": "id * 2"})
    assert opened("t").schema.names == ["id", "name", "double"]
    yield "evolve"
    opened("t").tags.create("start", 1)
    assert opened("t").checkout_version("start").version == 1
    yield "branches"
    write("c", ROWS, "create")
    with ThreadPoolExecutor() as threads:
        list(threads.map(lambda rows: write("c", rows, "append"), (MORE, MORE)))
    assert opened("c").count_rows() == 5
    namespace.drop_table(generated.DropTableRequest(id=["ns", "c"]))
    yield "conflict"
    namespace.rename_table(generated.RenameTableRequest(id=["ns", "t"], new_table_name="u"))
    assert tables() == ["u"]
    yield "rename"
    namespace.drop_table(generated.DropTableRequest(id=["ns", "u"]))
    with pytest.raises(errors.TableNotFoundError):
        namespace.describe_table(generated.DescribeTableRequest(id=["ns", "u"]))
    namespace.drop_namespace(generated.DropNamespaceRequest(id=["ns"]))
    assert namespace.list_namespaces(generated.ListNamespacesRequest(id=[])).namespaces == []
    yield "drop"
    yield from names(namespace, session.names)


def names(namespace, unusual):
    """Work under the unusual names."""
    for kind, name in unusual.items():
        namespace.create_namespace(generated.CreateNamespaceRequest(id=[name]))
        namespace.create_table(generated.CreateTableRequest(id=[name, name]), stream(ROWS))
        assert namespace.list_tables(generated.ListTablesRequest(id=[name])).tables == [name]
        assert lance.dataset(namespace_client=namespace, table_id=[name, name]).count_rows() == 3
        namespace.drop_table(generated.DropTableRequest(id=[name, name]))
        namespace.drop_namespace(generated.DropNamespaceRequest(id=[name]))
        yield kind
