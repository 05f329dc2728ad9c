"""The client that lance-namespace generates for Python, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import lance_namespace_urllib3_client as generated
import pyarrow as pa
import pytest
from lance_namespace_urllib3_client.exceptions import ApiException

from conformance.lance.support.arrow import stream
from tests.clients.steps import Session


def rows(*ids):
    """Rows as the body of a request."""
    return stream(pa.table({"id": pa.array(ids, pa.int64()), "name": ["a"] * len(ids)}))


def connect(session: Session, token: str):
    """Return the client."""
    client = generated.ApiClient(generated.Configuration(host=session.url))
    if token:
        client.set_default_header("Authorization", f"Bearer {token}")
    return client


def refused(status, call, *arguments):
    """Check that a call is refused."""
    with pytest.raises(ApiException) as caught:
        call(*arguments)
    assert caught.value.status == status


def drive(session: Session) -> Iterator[str]:
    if session.token:
        refused(401, generated.NamespaceApi(connect(session, "wrong")).list_namespaces, "$")
    client = connect(session, session.token)
    namespaces, tables = generated.NamespaceApi(client), generated.TableApi(client)
    data, tags = generated.DataApi(client), generated.TagApi(client)

    def count(name, **fields):
        return data.count_table_rows(name, generated.CountTableRowsRequest(**fields))

    creation = generated.CreateNamespaceRequest(properties={"owner": "me"})
    namespaces.create_namespace("ns", creation)
    refused(409, namespaces.create_namespace, "ns", creation)
    described = namespaces.describe_namespace("ns", generated.DescribeNamespaceRequest())
    assert described.properties["owner"] == "me"
    assert namespaces.list_namespaces("$").namespaces == ["ns"]
    yield "namespaces"
    data.create_table("ns$t", rows(1, 2))
    refused(409, data.create_table, "ns$t", rows(1))
    yield "create"
    data.insert_into_table("ns$t", rows(3))
    yield "write"
    assert tables.describe_table("ns$t", generated.DescribeTableRequest()).location
    assert count("ns$t", predicate="id > 1") == 2
    query = generated.QueryTableRequest.from_dict({"vector": {}, "k": 9, "filter": "id > 2"})
    assert pa.ipc.open_file(data.query_table("ns$t", query)).read_all()["id"].to_pylist() == [3]
    yield "read"
    assert namespaces.list_tables("ns").tables == ["t"]
    yield "list"
    double = generated.AddColumnsEntry(name="double", expression="id * 2")
    tables.alter_table_add_columns("ns$t", generated.AlterTableAddColumnsRequest(new_columns=[double]))
    yield "evolve"
    tags.create_table_tag("ns$t", generated.CreateTableTagRequest(tag="start", version=1))
    assert tags.get_table_tag_version("ns$t", generated.GetTableTagVersionRequest(tag="start")).version == 1
    yield "branches"
    data.create_table("ns$c", rows(1))
    with ThreadPoolExecutor() as threads:
        list(threads.map(lambda body: data.insert_into_table("ns$c", body), (rows(2), rows(3))))
    assert count("ns$c") == 3
    tables.drop_table("ns$c")
    yield "conflict"
    tables.rename_table("ns$t", generated.RenameTableRequest(new_table_name="u"))
    assert namespaces.list_tables("ns").tables == ["u"]
    yield "rename"
    tables.drop_table("ns$u")
    refused(404, tables.table_exists, "ns$u", generated.TableExistsRequest())
    namespaces.drop_namespace("ns", generated.DropNamespaceRequest())
    assert namespaces.list_namespaces("$").namespaces == []
    yield "drop"
    yield from names(namespaces, tables, data, session.names)


def names(namespaces, tables, data, unusual):
    """Work under the unusual names."""
    for kind, name in unusual.items():
        namespaces.create_namespace(name, generated.CreateNamespaceRequest())
        data.create_table(f"{name}${name}", rows(1))
        assert namespaces.list_namespaces("$").namespaces == [name]
        assert namespaces.list_tables(name).tables == [name]
        tables.drop_table(f"{name}${name}")
        namespaces.drop_namespace(name, generated.DropNamespaceRequest())
        yield kind
