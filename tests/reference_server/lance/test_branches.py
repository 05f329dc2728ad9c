"""Branches are Lance's own: pylance and the server read and write the same ones."""

from __future__ import annotations

from pathlib import Path

import httpx
import lance
import pyarrow as pa
import pytest

from reference_server.serve import serve
from tests.reference_server.lance.arrow_streams import ARROW, stream

TABLE = "/v1/table/t"


@pytest.fixture(params=["memory:pure", "dir"])
def http(request, tmp_path):
    storage = request.param if request.param != "dir" else f"dir:{tmp_path / 'root'}"
    with serve("lance/0.11", storage=storage) as server, httpx.Client(base_url=server.url) as client:
        make_table(client)
        yield client


@pytest.fixture
def directory(tmp_path):
    with (
        serve("lance/0.11", storage=f"dir:{tmp_path / 'root'}") as server,
        httpx.Client(base_url=server.url) as client,
    ):
        make_table(client)
        location = client.post(f"{TABLE}/describe", json={}).json()["location"]
        yield client, location.removeprefix("file://")


def make_table(client: httpx.Client) -> None:
    client.post(f"{TABLE}/create", content=stream(rows(3)), headers=ARROW).raise_for_status()


def rows(count: int, first: int = 0) -> pa.Table:
    return pa.table({"id": pa.array(range(first, first + count), pa.int64())})


def make(client: httpx.Client, name: str, **source) -> httpx.Response:
    return client.post(f"{TABLE}/branches/create", json={"name": name, **source})


def delete(client: httpx.Client, name: str) -> httpx.Response:
    return client.post(f"{TABLE}/branches/delete", json={"name": name})


def insert(client: httpx.Client, count: int, **query) -> httpx.Response:
    return client.post(f"{TABLE}/insert", content=stream(rows(count, 10)), headers=ARROW, params=query)


def count(client: httpx.Client, branch: str | None = None) -> int:
    counted: int = client.post(f"{TABLE}/count_rows", json={"branch": branch}).json()
    return counted


def code(answer: httpx.Response) -> tuple[int, int]:
    return answer.status_code, answer.json()["code"]


def test_pylance_reads_a_branch_of_the_server(directory):
    client, path = directory
    make(client, "dev")
    insert(client, 2, branch="dev")
    dataset = lance.dataset(path)
    assert dataset.count_rows() == 3
    assert dataset.checkout_version(("dev", None)).count_rows() == 5
    assert dataset.branches.list()["dev"]["parent_version"] == 1


def test_the_server_reads_a_branch_of_pylance_also_after_compaction(directory):
    client, path = directory
    branch = lance.dataset(path).create_branch("dev")
    for first in (20, 30):
        branch = lance.write_dataset(rows(1, first), branch, mode="append")
    assert (count(client, "dev"), count(client)) == (5, 3)
    branch.optimize.compact_files()
    insert(client, 1, branch="dev")
    assert count(client, "dev") == 6
    assert lance.dataset(path).checkout_version(("dev", None)).count_rows() == 6


def test_a_branch_that_pylance_deletes_is_gone(directory):
    client, path = directory
    make(client, "dev")
    assert count(client, "dev") == 3
    lance.dataset(path).branches.delete("dev")
    assert code(client.post(f"{TABLE}/count_rows", json={"branch": "dev"})) == (404, 4)
    assert code(insert(client, 1, branch="dev")) == (404, 4)


def test_files_of_half_a_branch_are_no_obstacle(directory):
    client, path = directory
    make(client, "dev")
    insert(client, 2, branch="dev")
    Path(path, "_refs", "branches", "dev.json").unlink()
    assert code(client.post(f"{TABLE}/count_rows", json={"branch": "dev"})) == (404, 4)
    assert make(client, "dev").status_code == 200
    assert count(client, "dev") == 3


def test_a_branch_below_another_outlives_it(http):
    make(http, "dev")
    make(http, "dev/inner")
    insert(http, 1, branch="dev/inner")
    assert delete(http, "dev").status_code == 200
    assert count(http, "dev/inner") == 4
    insert(http, 1)
    assert make(http, "dev").status_code == 200
    assert (count(http, "dev"), count(http, "dev/inner")) == (4, 4)


def test_what_is_in_use_is_not_deleted(http):
    make(http, "dev")
    make(http, "inner", from_branch="dev")
    assert code(delete(http, "dev")) == (409, 19)
    delete(http, "inner")
    http.post(f"{TABLE}/tags/create", json={"tag": "here", "version": 1, "branch": "dev"}).raise_for_status()
    assert code(delete(http, "dev")) == (409, 19)
    http.post(f"{TABLE}/tags/delete", json={"tag": "here"}).raise_for_status()
    assert delete(http, "dev").status_code == 200


def test_overwriting_a_branch_leaves_it_a_branch(http):
    make(http, "dev")
    insert(http, 1, branch="dev", mode="overwrite")
    assert (count(http, "dev"), count(http)) == (1, 3)
    assert make(http, "copy", from_branch="dev").status_code == 200
    assert count(http, "copy") == 1


@pytest.mark.parametrize(
    "name",
    ["", "main", "a b", "a/../b", "..", ".", "/a", "a/", "a//b", "a.lock", "é", "a/data", "_versions", "x" * 201],
)
def test_names_that_lance_cannot_have(http, name):
    assert code(make(http, name)) == (400, 13)
    assert http.post(f"{TABLE}/branches/list").json()["branches"] == {}


def test_main_is_the_table_itself(http):
    make(http, "dev", from_branch="main")
    insert(http, 2, branch="main")
    assert (count(http, "main"), count(http), count(http, "dev")) == (5, 5, 3)
    assert code(delete(http, "main")) == (400, 13)


def test_a_request_for_two_branches_is_refused(http):
    make(http, "dev")
    query = {"k": 1, "vector": {}, "branch": "dev"}
    assert code(http.post(f"{TABLE}/explain_plan", json={"query": query, "branch": "main"})) == (400, 13)
    assert code(http.post(f"{TABLE}/count_rows", json={"branch": "dev"}, params={"branch": "main"})) == (400, 13)
    assert http.post(f"{TABLE}/count_rows", json={}, params={"branch": "dev"}).json() == 3


def test_metadata_of_a_schema_may_have_a_key_branch(http):
    make(http, "dev")
    metadata = {"branch": "nowhere"}
    answer = http.post(f"{TABLE}/schema_metadata/update", json=metadata, params={"branch": "dev"})
    assert answer.json() == metadata


@pytest.mark.parametrize("entry", ["create_table_version", "delete_table_versions"])
def test_a_batch_on_a_branch_is_refused(http, entry):
    make(http, "dev")
    version = {"version": 2, "manifest_path": "_versions/x"} if entry.startswith("create") else {"ranges": []}
    operation = {entry: {"id": ["t"], "branch": "dev", **version}}
    assert code(http.post("/v1/table/batch-commit", json={"operations": [operation]})) == (406, 0)


def test_a_transaction_on_a_branch_is_known(http):
    make(http, "dev")
    transaction = insert(http, 1, branch="dev").json()["transaction_id"]
    assert http.post(f"/v1/transaction/{transaction}/describe", json={}).json()["status"] == "Succeeded"


def test_the_next_table_of_a_name_has_no_branches(http):
    make(http, "dev")
    assert count(http, "dev") == 3
    http.post(f"{TABLE}/drop").raise_for_status()
    make_table(http)
    assert code(http.post(f"{TABLE}/count_rows", json={"branch": "dev"})) == (404, 4)


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        ("IVF_FLAT", {"num_partitions": 2**30}),
        ("IVF_FLAT", {"num_partitions": 2, "target_partition_size": 2}),
        ("IVF_HNSW_SQ", {"m": 3}),
        ("IVF_HNSW_SQ", {"m": 100_000}),
        ("IVF_HNSW_SQ", {"ef_construction": 10**9}),
        ("IVF_PQ", {"num_bits": 7}),
        ("IVF_PQ", {"num_sub_vectors": 3}),
    ],
)
def test_parameters_that_no_index_can_have(http, kind, parameters):
    vectors = pa.array([[float(i), 0.0, 1.0, 2.0] for i in range(300)], pa.list_(pa.float32(), 4))
    table = stream(pa.table({"vector": vectors}))
    http.post("/v1/table/vectors/create", content=table, headers=ARROW).raise_for_status()
    body = {"column": "vector", "index_type": kind, **parameters}
    assert code(http.post("/v1/table/vectors/create_index", json=body)) == (400, 13)


def test_parameters_reach_the_index(http):
    vectors = pa.array([[float(i), 0.0, 1.0, 2.0] for i in range(300)], pa.list_(pa.float32(), 4))
    table = stream(pa.table({"vector": vectors}))
    http.post("/v1/table/vectors/create", content=table, headers=ARROW).raise_for_status()
    body = {"column": "vector", "index_type": "IVF_HNSW_SQ", "name": "idx", "m": 8, "ef_construction": 40}
    http.post("/v1/table/vectors/create_index", json=body).raise_for_status()
    (index,) = http.post("/v1/table/vectors/index/list", json={}).json()["indexes"]
    assert '"max_connections":8' in index["index_details"]
    assert '"construction_ef":40' in index["index_details"]
    assert (index["num_indexed_rows"], index["num_unindexed_rows"]) == (300, 0)
