"""Other people's clients change columns and metadata on the reference server, and read statistics."""

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

ROWS = pa.table({"id": [1, 2, 3], "age": [30, 41, 52], "name": ["a", None, "c"]})
DOUBLED = generated.AddColumnsEntry(name="double", expression="age * 2")
RENAMED = generated.AlterColumnsEntry(path="age", rename="years", data_type={"type": "int32"})


@pytest.fixture
def api(lance_directory):
    api = generated.TableApi(generated.ApiClient(generated.Configuration(host=lance_directory.url)))
    generated.DataApi(api.api_client).create_table("t", stream(ROWS))
    return api


@pytest.fixture
def namespace(lance_directory):
    return lance.namespace.RestNamespace(uri=lance_directory.url)


def test_generated_client_changes_columns(api):
    added = api.alter_table_add_columns("t", generated.AlterTableAddColumnsRequest(new_columns=[DOUBLED]))
    altered = api.alter_table_alter_columns("t", generated.AlterTableAlterColumnsRequest(alterations=[RENAMED]))
    dropped = api.alter_table_drop_columns("t", generated.AlterTableDropColumnsRequest(columns=["name"]))
    assert [added.version, altered.version, dropped.version] == [2, 3, 4]
    described = api.describe_table("t", generated.DescribeTableRequest(), load_detailed_metadata=True)
    kinds = {field.name: field.type.type for field in described.var_schema.fields}
    assert kinds == {"id": "int64", "years": "int32", "double": "int64"}
    assert lance.dataset(described.location).to_table(["double"]).column(0).to_pylist() == [60, 82, 104]
    with pytest.raises(ApiException) as caught:
        api.alter_table_drop_columns("t", generated.AlterTableDropColumnsRequest(columns=["name"]))
    assert caught.value.status == 404


def test_generated_client_replaces_metadata(api):
    assert api.update_table_schema_metadata("t", {"a": "1", "id": "x"}) == {"a": "1", "id": "x"}
    api.update_table_schema_metadata("t", {"b": "2"})
    described = api.describe_table("t", generated.DescribeTableRequest(), load_detailed_metadata=True)
    assert described.var_schema.metadata == {"b": "2"}


def test_generated_client_reads_statistics(api):
    stats = api.get_table_stats("t", generated.GetTableStatsRequest())
    assert (stats.num_rows, stats.num_indices, stats.fragment_stats.num_fragments) == (3, 0, 1)
    assert stats.fragment_stats.lengths.max == 3


def test_pylance_changes_columns_through_the_namespace(namespace, api):
    namespace.alter_table_add_columns(generated.AlterTableAddColumnsRequest(id=["t"], new_columns=[DOUBLED]))
    namespace.alter_table_alter_columns(generated.AlterTableAlterColumnsRequest(id=["t"], alterations=[RENAMED]))
    namespace.alter_table_drop_columns(generated.AlterTableDropColumnsRequest(id=["t"], columns=["name"]))
    opened = lance.dataset(namespace_client=namespace, table_id=["t"])
    assert opened.to_table().to_pylist()[0] == {"id": 1, "years": 30, "double": 60}
    assert namespace.get_table_stats(generated.GetTableStatsRequest(id=["t"])).num_rows == 3
    with pytest.raises(errors.TableColumnNotFoundError):
        namespace.alter_table_drop_columns(generated.AlterTableDropColumnsRequest(id=["t"], columns=["name"]))
    with pytest.raises(errors.TableSchemaValidationError):
        namespace.alter_table_add_columns(generated.AlterTableAddColumnsRequest(id=["t"], new_columns=[DOUBLED]))


def test_what_lancedb_changes_is_described(lance_directory, api):
    table = lancedb.connect_namespace("rest", {"uri": lance_directory.url}).open_table("t")
    table.add_columns({"double": "age * 2"})
    altering: Any = {"path": "age", "rename": "years"}  # declared as an iterable of such dicts
    table.alter_columns(altering)
    table.drop_columns(["name"])
    described = api.describe_table("t", generated.DescribeTableRequest(), load_detailed_metadata=True)
    assert [field.name for field in described.var_schema.fields] == ["id", "years", "double"]
    assert api.get_table_stats("t", generated.GetTableStatsRequest()).num_rows == 3
