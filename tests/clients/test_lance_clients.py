"""Other people's clients against the reference server: each does its work from beginning to end."""

from __future__ import annotations

import lance
import lance.namespace
import lance_namespace_urllib3_client as generated
import lancedb
import pyarrow as pa
import pytest
from lance_namespace_urllib3_client.exceptions import ApiException

from conformance.lance.support.arrow import stream

ROWS = pa.table({"id": [1, 2, 3], "name": ["a", "b", "c"]})
MORE = pa.table({"id": [4], "name": ["d"]})


class Generated:
    """lance-namespace's generated client, urllib3."""

    def __init__(self, url):
        api = generated.ApiClient(generated.Configuration(host=url))
        self.namespaces, self.tables = generated.NamespaceApi(api), generated.TableApi(api)
        self.data, self.metadata = generated.DataApi(api), generated.MetadataApi(api)


@pytest.fixture
def client(lance_directory):
    return Generated(lance_directory.url)


def test_generated_client_keeps_namespaces(client):
    created = client.namespaces.create_namespace("a", generated.CreateNamespaceRequest(properties={"k": "v"}))
    assert created.properties == {"k": "v"}
    client.namespaces.create_namespace("a$b", generated.CreateNamespaceRequest())
    assert client.namespaces.list_namespaces("a").namespaces == ["b"]
    assert client.namespaces.describe_namespace("a", generated.DescribeNamespaceRequest()).properties == {"k": "v"}
    with pytest.raises(ApiException) as caught:
        client.namespaces.drop_namespace("a", generated.DropNamespaceRequest())
    assert caught.value.status == 409
    client.namespaces.drop_namespace("a", generated.DropNamespaceRequest(behavior="Cascade"))
    assert client.namespaces.drop_namespace("a", generated.DropNamespaceRequest(mode="Skip")) is not None
    assert client.namespaces.list_namespaces("$").namespaces == []


def test_generated_client_follows_pages(client):
    for number in range(25):
        client.tables.declare_table(f"t{number:02}", generated.DeclareTableRequest())
    names, token = [], None
    while True:
        page = client.tables.list_tables("$", limit=10, page_token=token, include_declared=True)
        names += page.tables
        token = page.page_token
        if not token:
            break
    assert names == [f"t{number:02}" for number in range(25)]


def test_generated_client_works_with_tables(client):
    client.namespaces.create_namespace("ns", generated.CreateNamespaceRequest())
    created = client.data.create_table("ns$t", stream(ROWS))
    assert lance.dataset(created.location).count_rows() == 3
    client.data.insert_into_table("ns$t", stream(MORE))
    assert client.data.count_table_rows("ns$t", generated.CountTableRowsRequest()) == 4
    client.tables.rename_table("ns$t", generated.RenameTableRequest(new_table_name="u"))
    described = client.tables.describe_table("ns$u", generated.DescribeTableRequest(), load_detailed_metadata=True)
    assert (described.version, described.table, described.var_schema.fields[0].name) == (2, "u", "id")
    assert client.tables.list_all_tables().tables == ["ns$u"]
    gone = client.tables.deregister_table("ns$u", generated.DeregisterTableRequest())
    client.tables.register_table("ns$back", generated.RegisterTableRequest(location=gone.location))
    assert client.data.count_table_rows("ns$back", generated.CountTableRowsRequest(predicate="id > 2")) == 2
    client.tables.drop_table("ns$back")
    with pytest.raises(ApiException) as caught:
        client.tables.table_exists("ns$back", generated.TableExistsRequest())
    assert caught.value.status == 404


# pylance


@pytest.fixture
def namespace(lance_directory):
    return lance.namespace.RestNamespace(uri=lance_directory.url)


def test_pylance_writes_and_reads_through_the_namespace(namespace, client):
    namespace.create_namespace(generated.CreateNamespaceRequest(id=["ns"]))
    table_id = ["ns", "events"]
    lance.write_dataset(ROWS, namespace_client=namespace, table_id=table_id, mode="create")
    lance.write_dataset(MORE, namespace_client=namespace, table_id=table_id, mode="append")
    opened = lance.dataset(namespace_client=namespace, table_id=table_id)
    assert opened.to_table().column("id").to_pylist() == [1, 2, 3, 4]
    assert client.data.count_table_rows("ns$events", generated.CountTableRowsRequest()) == 4
    assert client.tables.list_tables("ns").tables == ["events"], "what was declared and written has data now"
    lance.write_dataset(MORE, namespace_client=namespace, table_id=table_id, mode="overwrite")
    assert client.data.count_table_rows("ns$events", generated.CountTableRowsRequest()) == 1


def test_pylance_sees_errors_as_its_own(namespace):
    from lance_namespace import errors  # noqa: PLC0415

    with pytest.raises(errors.NamespaceNotFoundError):
        namespace.describe_namespace(generated.DescribeNamespaceRequest(id=["none"]))
    with pytest.raises(errors.TableNotFoundError):
        namespace.describe_table(generated.DescribeTableRequest(id=["none"]))
    namespace.create_namespace(generated.CreateNamespaceRequest(id=["a"]))
    with pytest.raises(errors.NamespaceAlreadyExistsError):
        namespace.create_namespace(generated.CreateNamespaceRequest(id=["a"]))
    with pytest.raises(errors.TableNotFoundError):
        namespace.list_table_tags(generated.ListTableTagsRequest(id=["t"]))


def test_pylance_pages_and_renames(namespace):
    for name in ("a", "b", "c"):
        namespace.create_table(generated.CreateTableRequest(id=[name]), stream(ROWS))
    page = namespace.list_tables(generated.ListTablesRequest(id=[], limit=2))
    rest = namespace.list_tables(generated.ListTablesRequest(id=[], limit=2, page_token=page.page_token))
    assert (page.tables, rest.tables, rest.page_token) == (["a", "b"], ["c"], None)
    namespace.rename_table(generated.RenameTableRequest(id=["a"], new_table_name="z"))
    assert namespace.list_tables(generated.ListTablesRequest(id=[])).tables == ["b", "c", "z"]
    namespace.drop_table(generated.DropTableRequest(id=["z"]))
    assert namespace.list_tables(generated.ListTablesRequest(id=[])).tables == ["b", "c"]


# lancedb


def test_lancedb_works_from_beginning_to_end(lance_directory, client):
    db = lancedb.connect_namespace("rest", {"uri": lance_directory.url})
    db.create_namespace(["ns"])
    assert list(db.list_namespaces([]).namespaces) == ["ns"]
    table = db.create_table("people", ROWS, namespace_path=["ns"])
    table.add(MORE)
    assert table.count_rows() == 4
    again = db.open_table("people", namespace_path=["ns"])
    assert again.to_arrow().column("name").to_pylist() == ["a", "b", "c", "d"]
    again.delete("id = 1")
    assert client.data.count_table_rows("ns$people", generated.CountTableRowsRequest()) == 3
    for number in range(12):
        db.create_table(f"t{number:02}", ROWS, namespace_path=["ns"])
    page = db.list_tables(namespace_path=["ns"], limit=10)
    rest = db.list_tables(namespace_path=["ns"], limit=10, page_token=page.page_token)
    assert [*page.tables, *rest.tables] == ["people", *[f"t{number:02}" for number in range(12)]]
    db.drop_table("people", namespace_path=["ns"])
    with pytest.raises(Exception, match=r"not found|does not exist"):
        db.open_table("people", namespace_path=["ns"])


def test_every_client_opens_what_the_others_wrote(lance_directory, namespace, client):
    db = lancedb.connect_namespace("rest", {"uri": lance_directory.url})
    client.data.create_table("one", stream(ROWS))
    lance.write_dataset(ROWS, namespace_client=namespace, table_id=["two"], mode="create")
    db.create_table("three", ROWS)
    for name in ("one", "two", "three"):
        assert db.open_table(name).count_rows() == 3
        assert lance.dataset(namespace_client=namespace, table_id=[name]).count_rows() == 3
        assert client.data.count_table_rows(name, generated.CountTableRowsRequest()) == 3


def test_the_id_of_a_transaction_is_one_text_for_clients(client, lance_directory):
    client.data.create_table("t", stream(ROWS))
    restored = client.tables.restore_table("t", generated.RestoreTableRequest(version=1))
    namespace = lance.namespace.RestNamespace(uri=lance_directory.url)
    request = generated.DescribeTransactionRequest(id=[restored.transaction_id])
    assert namespace.describe_transaction(request).status == "Succeeded"
