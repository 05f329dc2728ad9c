"""Other people's clients build, watch and drop indices on the reference server."""

from __future__ import annotations

import lance
import lance.namespace
import lance_namespace_urllib3_client as generated
import lancedb
import pytest
from lance_namespace import errors
from lance_namespace_urllib3_client.exceptions import ApiException
from lancedb.index import BTree, IvfPq

from conformance.lance.support.arrow import stream
from conformance.lance.support.indexing import DIMENSION, ROWS, indexable


@pytest.fixture
def api(lance_directory):
    configuration = generated.ApiClient(generated.Configuration(host=lance_directory.url))
    generated.DataApi(configuration).create_table("t", stream(indexable()))
    return generated.IndexApi(configuration)


def names(api):
    return [index.index_name for index in api.list_table_indices("t", generated.ListTableIndicesRequest()).indexes]


def test_generated_client_builds_and_drops(api):
    request = generated.CreateTableIndexRequest(column="vector", index_type="IVF_PQ", distance_type="cosine", name="v")
    assert api.create_table_index("t", request).transaction_id
    request = generated.CreateTableIndexRequest(column="text", index_type="FTS", with_position=True)
    api.create_table_scalar_index("t", request)
    assert names(api) == ["text_idx", "v"]
    stats = api.describe_table_index_stats("t", "v", generated.DescribeTableIndexStatsRequest())
    assert (stats.index_type, stats.distance_type, stats.num_indexed_rows) == ("IVF_PQ", "cosine", ROWS)
    api.drop_table_index("t", "v")
    assert names(api) == ["text_idx"]
    with pytest.raises(ApiException) as caught:
        api.drop_table_index("t", "v")
    assert caught.value.status == 404


def test_generated_client_follows_pages(api):
    for number in range(5):
        request = generated.CreateTableIndexRequest(column="id", index_type="BTREE", name=f"i{number}")
        api.create_table_index("t", request)
    seen, token = [], None
    while True:
        page = api.list_table_indices("t", generated.ListTableIndicesRequest(limit=2, page_token=token))
        seen += [index.index_name for index in page.indexes]
        token = page.page_token
        if not token:
            break
    assert seen == [f"i{number}" for number in range(5)]


def test_pylance_builds_through_the_namespace(lance_directory, api):
    namespace = lance.namespace.RestNamespace(uri=lance_directory.url)
    request = generated.CreateTableIndexRequest(id=["t"], column="color", index_type="BITMAP", name="c")
    namespace.create_table_scalar_index(request)
    with pytest.raises(errors.TableIndexAlreadyExistsError):
        namespace.create_table_scalar_index(request)
    dataset = lance.dataset(namespace_client=namespace, table_id=["t"])
    assert [index.name for index in dataset.describe_indices()] == ["c"]
    assert dataset.to_table(filter="color = 'green'").num_rows == ROWS // 3
    stats = namespace.describe_table_index_stats(generated.DescribeTableIndexStatsRequest(id=["t"], index_name="c"))
    assert (stats.index_type, stats.num_unindexed_rows) == ("BITMAP", 0)
    namespace.drop_table_index(generated.DropTableIndexRequest(id=["t"], index_name="c"))
    with pytest.raises(errors.TableIndexNotFoundError):
        namespace.drop_table_index(generated.DropTableIndexRequest(id=["t"], index_name="c"))


def test_what_lancedb_builds_is_listed(lance_directory, api):
    database = lancedb.connect_namespace("rest", {"uri": lance_directory.url})
    table = database.open_table("t")
    table.create_index("id", config=BTree())
    table.create_index("vector", config=IvfPq(distance_type="dot", num_partitions=1, num_sub_vectors=4))
    assert sorted(names(api)) == sorted(index.name for index in table.list_indices())
    stats = api.describe_table_index_stats("t", "vector_idx", generated.DescribeTableIndexStatsRequest())
    assert stats.distance_type == "dot"
    hits = table.search([1.0] * DIMENSION, vector_column_name="vector").limit(3).to_list()
    assert len(hits) == 3
    api.drop_table_index("t", "vector_idx")
    assert [index.name for index in database.open_table("t").list_indices()] == ["id_idx"]
