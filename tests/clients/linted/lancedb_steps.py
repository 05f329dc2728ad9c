"""Work of lancedb and pylance over a REST namespace, for `lakeproof lint-client`: tables, rows, queries, indices."""

import os

import lance
import lance.namespace
import lancedb
import pyarrow as pa
from lancedb.index import BTree, IvfPq

URL = os.environ["LAKEPROOF_LANCE_URL"]
VECTORS = pa.FixedSizeListArray.from_arrays(pa.array([float(n % 17) for n in range(256 * 8)], pa.float32()), 8)
ROWS = pa.table({"id": list(range(256)), "name": [str(n) for n in range(256)], "vector": VECTORS})

database = lancedb.connect_namespace("rest", {"uri": URL})
database.create_namespace(["ns"])
list(database.list_namespaces([]).namespaces)
database.describe_namespace(["ns"])
for path in ([], ["ns"]):
    table = database.create_table("people", ROWS, namespace_path=path)
    table.add(ROWS.slice(0, 4))
    table.count_rows()
    table.count_rows("id > 2")
    table.search([1.0] * 8).limit(3).where("id > 2").to_list()
    table.update(where="id = 1", values={"name": "one"})
    table.delete("id = 3")
    table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(ROWS.slice(0, 9))
    table.create_index("id", config=BTree())
    table.create_index("vector", config=IvfPq(distance_type="l2", num_partitions=1, num_sub_vectors=4))
    list(table.list_indices())
    table.add_columns({"twice": "id * 2"})
    table.alter_columns({"path": "twice", "rename": "double"})  # type: ignore[dict-item]  # its stub has one level more
    table.drop_columns(["double"])
    table.list_versions()
    table.tags.create("first", 1)
    table.tags.list()
    table.checkout(1)
    table.restore()
    database.open_table("people", namespace_path=path).to_arrow()
    list(database.table_names(namespace_path=path))
    list(database.list_tables(namespace_path=path).tables)
    database.drop_table("people", namespace_path=path)
database.drop_namespace(["ns"])

client = lance.namespace.connect("rest", {"uri": URL}) if hasattr(lance.namespace, "connect") else None
if client is not None:
    lance.write_dataset(ROWS, namespace_client=client, table_id=["plain"], mode="create")
    lance.write_dataset(ROWS, namespace_client=client, table_id=["plain"], mode="append")
    lance.dataset(namespace_client=client, table_id=["plain"]).to_table()

remote = lancedb.connect("db://any", api_key="none", host_override=URL)
lancedb.connect_namespace("rest", {"uri": URL}).create_table("people", ROWS)
STEPS = (
    lambda: remote.create_table("folk", ROWS),
    lambda: remote.open_table("people"),
    lambda: [*remote.table_names()],
)
for step in STEPS:
    try:
        step()
    except Exception as error:  # the lint reports what it sent
        print(type(error).__name__)  # noqa: T201
