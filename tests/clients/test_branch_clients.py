"""Branches with the official clients: what they write on a branch is there, and the main branch stays as it is."""

from __future__ import annotations

import base64
from typing import Any

import lance
import lance.namespace
import lance_namespace_urllib3_client as generated
import lancedb
import pyarrow as pa
import pytest

from conformance.lance.support.arrow import read_rows, stream
from reference_server.serve import serve

ROWS = pa.table({"id": [1, 2, 3], "name": ["a", "b", "c"]})
MORE = pa.table({"id": [4], "name": ["d"]})
ON: dict[str, Any] = {"branch": "dev"}


@pytest.fixture
def newest(tmp_path):
    """A server of the newest revision on a directory."""
    with serve("lance/0.11", storage=f"dir:{tmp_path / 'lake'}") as server:
        yield server


def test_every_operation_of_the_generated_client_works_on_a_branch(newest):
    api = generated.ApiClient(generated.Configuration(host=newest.url))
    tables, views = generated.TableApi(api), generated.MaterializedViewApi(api)
    g = generated
    location = tables.create_table("t", stream(ROWS)).location
    tables.create_table_branch("t", g.CreateTableBranchRequest(name="dev"))
    assert [*tables.list_table_branches("t").branches] == ["dev"]
    assert tables.insert_into_table("t", stream(MORE), branch="dev").num_inserted_rows == 1
    tables.merge_insert_into_table("t", ["id"], stream(MORE), branch="dev", when_matched_update_all=True)
    tables.update_table("t", g.UpdateTableRequest(updates=[["name", "'e'"]], predicate="id = 4", **ON))
    tables.delete_from_table("t", g.DeleteFromTableRequest(predicate="id = 1", **ON))
    query: dict[str, Any] = {"vector": g.QueryTableRequestVector(single_vector=[]), "k": 9}
    read = tables.query_table("t", g.QueryTableRequest(**query, **ON))
    assert sorted(row["id"] for row in read_rows(bytes(read))) == [2, 3, 4]
    assert tables.count_table_rows("t", g.CountTableRowsRequest(**ON)) == 3
    assert tables.get_table_stats("t", g.GetTableStatsRequest(**ON)).num_rows == 3
    plan = g.QueryTableRequest(**query, **ON)
    assert tables.explain_table_query_plan("t", g.ExplainTableQueryPlanRequest(query=plan, **ON))
    assert tables.analyze_table_query_plan("t", g.AnalyzeTableQueryPlanRequest(**query, **ON))
    for added in (
        g.AddColumnsEntry(name="twice", expression="id * 2"),
        g.AddColumnsEntry(name="next", computed="id + 1"),
    ):
        tables.alter_table_add_columns("t", g.AlterTableAddColumnsRequest(new_columns=[added], **ON))
    filled = tables.alter_table_backfill_columns("t", g.AlterTableBackfillColumnsRequest(column="next", **ON))
    assert filled.job_id
    entry = g.AlterColumnsEntry(path="twice", rename="double")
    tables.alter_table_alter_columns("t", g.AlterTableAlterColumnsRequest(alterations=[entry], **ON))
    update = g.UpdateFieldMetadataEntry(path="id", metadata={"k": "v"})
    tables.update_field_metadata("t", g.UpdateFieldMetadataRequest(updates=[update], **ON))
    tables.update_table_schema_metadata("t", {"origin": "here"}, branch="dev")
    described = tables.describe_table("t", g.DescribeTableRequest(**ON), load_detailed_metadata=True)
    assert [field.name for field in described.var_schema.fields] == ["id", "name", "double", "next"]
    tables.alter_table_drop_columns("t", g.AlterTableDropColumnsRequest(columns=["double"], **ON))
    index = g.CreateTableIndexRequest(column="id", index_type="BTREE", name="idx", **ON)
    tables.create_table_scalar_index("t", index)
    assert [one.index_name for one in tables.list_table_indices("t", g.ListTableIndicesRequest(**ON)).indexes] == [
        "idx"
    ]
    assert tables.list_table_indices("t", g.ListTableIndicesRequest()).indexes == []
    assert tables.describe_table_index_stats("t", "idx", g.DescribeTableIndexStatsRequest(**ON)).num_indexed_rows == 3
    tables.drop_table_index("t", "idx", branch="dev")
    latest = tables.list_table_versions("t", branch="dev", descending=True).versions[0].version
    assert tables.describe_table_version("t", g.DescribeTableVersionRequest(version=latest, **ON)).version
    tables.create_table_tag("t", g.CreateTableTagRequest(tag="here", version=latest, **ON))
    assert tables.get_table_tag_version("t", g.GetTableTagVersionRequest(tag="here")).branch == "dev"
    tables.update_table_tag("t", g.UpdateTableTagRequest(tag="here", version=1))
    tables.restore_table("t", g.RestoreTableRequest(version=2, **ON))
    ranges = [g.VersionRange(start_version=3, end_version=4)]
    assert tables.batch_delete_table_versions("t", g.BatchDeleteTableVersionsRequest(ranges=ranges, **ON))
    assert lance.dataset(location).to_table().equals(ROWS)
    tables.delete_table_branch("t", g.DeleteTableBranchRequest(name="dev"))
    assert [*tables.list_table_branches("t").branches] == []
    schema = base64.b64encode(ROWS.schema.serialize().to_pybytes()).decode()
    view = g.CreateMaterializedViewRequest(kind="query", source_query="q", output_schema=schema, with_no_data=True)
    assert views.create_materialized_view("v", view).version == 1


def test_pylance_works_on_branches_through_the_namespace(newest):
    namespace, g = lance.namespace.RestNamespace(uri=newest.url), generated
    location = namespace.create_table(g.CreateTableRequest(id=["t"]), stream(ROWS)).location
    namespace.create_table_branch(g.CreateTableBranchRequest(id=["t"], name="dev"))
    namespace.insert_into_table(g.InsertIntoTableRequest(id=["t"], **ON), stream(MORE))

    def count(branch=None):
        return namespace.count_table_rows(g.CountTableRowsRequest(id=["t"], branch=branch)).count

    assert (count("dev"), count()) == (4, 3)
    assert [*namespace.list_table_branches(g.ListTableBranchesRequest(id=["t"])).branches] == ["dev"]
    opened = lance.dataset(namespace_client=namespace, table_id=["t"])
    assert opened.checkout_version(("dev", None)).count_rows() == 4
    opened.create_branch("own")
    written = opened.checkout_version(("own", None))
    lance.write_dataset(MORE, written, mode="append")
    assert count("own") == 4
    namespace.delete_table_branch(g.DeleteTableBranchRequest(id=["t"], name="dev"))
    assert [*lance.dataset(location).branches.list()] == ["own"]


def test_lancedb_works_on_branches(newest):
    db = lancedb.connect_namespace("rest", {"uri": newest.url})
    table = db.create_table("t", ROWS)
    dev = table.branches.create("dev")
    dev.add(MORE)
    assert (dev.count_rows(), table.count_rows()) == (4, 3)
    dev.delete("id = 1")
    assert sorted(dev.search().to_arrow().column("id").to_pylist()) == [2, 3, 4]
    assert [*table.branches.list()] == ["dev"]
    assert table.branches.checkout("dev").count_rows() == 3
    tables = generated.TableApi(generated.ApiClient(generated.Configuration(host=newest.url)))
    assert tables.count_table_rows("t", generated.CountTableRowsRequest(**ON)) == 3
    table.branches.delete("dev")
    assert [*tables.list_table_branches("t").branches] == []
