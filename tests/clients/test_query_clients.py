"""Other people's clients query the reference server."""

from __future__ import annotations

from typing import Any

import lance
import lance.namespace
import lance_namespace_urllib3_client as generated
import lancedb
import pyarrow as pa
import pytest
from lance_namespace import errors
from lance_namespace_urllib3_client.exceptions import ApiException

from conformance.lance.support.arrow import stream
from conformance.lance.support.queries import ROWS, SCHEMA

TEXT = {"string_query": {"query": "red", "columns": ["color"]}}


@pytest.fixture
def api(lance_directory):
    configuration = generated.ApiClient(generated.Configuration(host=lance_directory.url))
    data = generated.DataApi(configuration)
    data.create_table("t", stream(pa.Table.from_pylist(ROWS, schema=SCHEMA)))
    return data


def query(**fields):
    """Return a query as the generated models have it: without a vector, its vector is {}."""
    return generated.QueryTableRequest.from_dict({"vector": {}, "k": 3, **fields})


def ids(body):
    return pa.ipc.open_file(body).read_all()["id"].to_pylist()


QUERIES: dict[str, Any] = {
    "filter": ({"filter": "id >= 7", "offset": 1}, [8, 9, 10]),
    "vector": ({"vector": {"single_vector": [3.0, 3.0]}, "k": 2, "distance_type": "l2"}, [3, 8]),
    "batch": ({"vector": {"multi_vector": [[3.0, 3.0], [8.0, 1.0]]}, "k": 1}, [3, 10]),
    "text": ({"full_text_query": TEXT}, [0, 4, 8]),
    "match": (
        {"full_text_query": {"structured_query": {"query": {"match": {"terms": "red", "column": "color"}}}}},
        [0, 4, 8],
    ),
    "columns": ({"columns": {"column_names": ["id"]}, "with_row_id": True}, [0, 1, 2]),
}


@pytest.mark.parametrize("name", QUERIES)
def test_generated_client_queries(api, name):
    fields, expected = QUERIES[name]
    hits = ids(api.query_table("t", query(**fields)))
    assert sorted(hits) == sorted(expected) if name != "vector" else hits[0] == expected[0]


@pytest.mark.parametrize("name", QUERIES)
def test_pylance_queries_through_the_namespace(lance_directory, api, name):
    fields, expected = QUERIES[name]
    namespace = lance.namespace.RestNamespace(uri=lance_directory.url)
    hits = ids(namespace.query_table({"id": ["t"], "vector": {}, "k": 3, **fields}).data)
    assert sorted(hits) == sorted(expected) if name != "vector" else hits[0] == expected[0]


def test_clients_read_plans(lance_directory, api):
    namespace = lance.namespace.RestNamespace(uri=lance_directory.url)
    request = generated.ExplainTableQueryPlanRequest(id=["t"], query=query(filter="id > 3"), verbose=True)
    assert "LanceRead" in namespace.explain_table_query_plan(request)
    assert "LanceRead" in api.explain_table_query_plan("t", request)
    analyzed = generated.AnalyzeTableQueryPlanRequest.from_dict({"id": ["t"], "vector": {}, "k": 3})
    assert "AnalyzeExec" in namespace.analyze_table_query_plan(analyzed)
    assert "AnalyzeExec" in api.analyze_table_query_plan("t", analyzed)


@pytest.mark.parametrize(
    ("fields", "status", "error"),
    [
        ({"filter": "((("}, 400, errors.InvalidInputError),
        ({"columns": {"column_names": ["nowhere"]}}, 404, errors.TableColumnNotFoundError),
        ({"version": 4711}, 404, errors.TableVersionNotFoundError),
        ({"vector": {"single_vector": [1.0]}}, 400, errors.InvalidInputError),
    ],
)
def test_clients_understand_errors(lance_directory, api, fields, status, error):
    with pytest.raises(ApiException) as caught:
        api.query_table("t", query(**fields))
    assert caught.value.status == status
    namespace = lance.namespace.RestNamespace(uri=lance_directory.url)
    with pytest.raises(error):
        namespace.query_table({"id": ["t"], "vector": {}, "k": 3, **fields})


def test_lancedb_finds_what_the_api_finds(lance_directory, api):
    table = lancedb.connect_namespace("rest", {"uri": lance_directory.url}).open_table("t")
    hits = table.search([3.0, 3.0]).limit(4).where("id > 2", prefilter=True).to_list()
    fields = {"vector": {"single_vector": [3.0, 3.0]}, "k": 4, "filter": "id > 2", "prefilter": True}
    assert ids(api.query_table("t", query(**fields))) == [row["id"] for row in hits]
