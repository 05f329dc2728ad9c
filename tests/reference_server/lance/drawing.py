"""Requests of all kinds as they should be, drawn at random, and what they need."""

from __future__ import annotations

import pyarrow as pa

from tests.reference_server.drawn_requests import Drawn
from tests.reference_server.lance.arrow_streams import ARROW, stream

ROWS = stream(pa.table({"id": pa.array(range(20), pa.int64()), "s": ["x"] * 20, "v": [[1.0, 2.0]] * 20}))
PREDICATES = ("id > 5", "s = 'x' AND id IN (1, 2)", "NOT (id IS NULL)", "id % 2 = 0 OR s LIKE 'x%'")
NAMES = ("t", "u")


def of_namespaces(draw, number):
    new, namespace = ("v1", "namespace", f"n{number}"), ("v1", "namespace", draw.choice("ab"))
    declared = {"declare_table": {"id": ["a", f"d{number}"]}}
    return [
        Drawn("POST", (*new, "create"), {"mode": "create", "properties": {"k": "v"}}),
        Drawn("GET", (*namespace, "list"), query="limit=2"),
        Drawn("POST", (*namespace, "describe"), {}),
        Drawn("POST", (*namespace, "exists"), {}),
        Drawn("POST", (*new, "drop"), {"mode": "skip", "behavior": "restrict"}),
        Drawn("GET", (*namespace, "table", "list"), query="include_declared=true"),
        Drawn("GET", ("v1", "table")),
        Drawn("POST", ("v1", "table", "batch-commit"), {"operations": [declared]}),
    ]


def table(draw):
    return ("v1", "table", f"{draw.choice('ab')}${draw.choice(NAMES)}")


def of_tables(draw, number):
    path = table(draw)
    new = ("v1", "table", f"a$n{number}")
    return [
        Drawn("POST", (*new, "create"), ROWS, ARROW),
        Drawn("POST", (*new, "declare"), {"properties": {"k": "v"}}),
        Drawn("POST", (*path, "create"), ROWS, ARROW, query="mode=overwrite"),
        Drawn("POST", (*path, "describe"), {"load_detailed_metadata": True}),
        Drawn("POST", (*path, "exists"), {}),
        Drawn("POST", (*path, "stats"), {}),
        Drawn("POST", (*path, "register"), {"location": f"{number}.lance", "mode": "create"}),
        Drawn("POST", (*path, "rename"), {"new_table_name": "t"}),
        Drawn("POST", (*path, "schema_metadata", "update"), {"metadata": {"k": str(number)}}),
        Drawn("POST", (*new, "drop")),
        Drawn("POST", (*new, "deregister"), {}),
    ]


def of_rows(draw, number):
    path, predicate = table(draw), draw.choice(PREDICATES)
    query = {"filter": predicate, "columns": {"column_names": ["id", "s"]}, "k": 3, "vector": {"single_vector": []}}
    nearest = {"vector": {"single_vector": [1.0, 2.0]}, "vector_column": "v", "k": 2, "distance_type": "l2"}
    return [
        Drawn("POST", (*path, "insert"), ROWS, ARROW, query="mode=append"),
        Drawn("POST", (*path, "merge_insert"), ROWS, ARROW, query="on=id&when_matched_update_all=true"),
        Drawn("POST", (*path, "update"), {"predicate": predicate, "updates": [["s", f"'{number}'"]]}),
        Drawn("POST", (*path, "delete"), {"predicate": f"id = {number}"}),
        Drawn("POST", (*path, "count_rows"), {"predicate": predicate}),
        Drawn("POST", (*path, "query"), query),
        Drawn("POST", (*path, "query"), nearest),
        Drawn("POST", (*path, "explain_plan"), {"query": query, "verbose": True}),
        Drawn("POST", (*path, "analyze_plan"), nearest),
    ]


def of_schemas_and_versions(draw, number):
    path, tag = table(draw), f"g{draw.randrange(4)}"
    index = {"column": "id", "index_type": "BTREE", "name": f"i{number}"}
    return [
        Drawn("POST", (*path, "version", "list"), query="limit=3"),
        Drawn("POST", (*path, "version", "describe"), {"version": 1}),
        Drawn("POST", (*path, "version", "delete"), {"ranges": [{"start_version": 1, "end_version": 1}]}),
        Drawn("POST", (*path, "restore"), {"version": 1}),
        Drawn("POST", (*path, "tags", "list")),
        Drawn("POST", (*path, "tags", "create"), {"tag": tag, "version": 1}),
        Drawn("POST", (*path, "tags", "update"), {"tag": tag, "version": 1}),
        Drawn("POST", (*path, "tags", "version"), {"tag": tag}),
        Drawn("POST", (*path, "tags", "delete"), {"tag": tag}),
        Drawn("POST", (*path, "add_columns"), {"new_columns": [{"name": f"c{number}", "expression": "id + 1"}]}),
        Drawn("POST", (*path, "alter_columns"), {"alterations": [{"path": "s", "nullable": True}]}),
        Drawn("POST", (*path, "drop_columns"), {"columns": [f"c{number - 1}"]}),
        Drawn("POST", (*path, "create_scalar_index"), index),
        Drawn("POST", (*path, "index", "list"), {}),
        Drawn("POST", (*path, "index", f"i{number - 1}", "stats"), {}),
        Drawn("POST", (*path, "index", f"i{number - 1}", "drop")),
        Drawn("POST", ("v1", "transaction", "x", "describe"), {}),
    ]


def drawn_request(draw, number):
    kind = draw.choice((of_namespaces, of_tables, of_rows, of_schemas_and_versions))
    return draw.choice(kind(draw, number))


def prepare(server):
    for name in "ab":
        assert server.send("POST", f"/v1/namespace/{name}/create", json={}).status == 200
        for table_name in NAMES:
            assert server.send("POST", f"/v1/table/{name}${table_name}/create", body=ROWS, headers=ARROW).status == 200
