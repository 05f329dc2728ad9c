"""Requests of all kinds, half of them with one thing wrong: each is answered, and never with 500."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tests.reference_server.drawn_requests import SEEDS, Drawn, send_drawn
from tests.reference_server.lance.arrow_streams import ARROW, stream
from tests.reference_server.served import served

ROWS = stream(pa.table({"id": pa.array(range(20), pa.int64()), "s": ["x"] * 20, "v": [[1.0, 2.0]] * 20}))
PREDICATES = ("id > 5", "s = 'x' AND id IN (1, 2)", "NOT (id IS NULL)", "id % 2 = 0 OR s LIKE 'x%'")
NAMES = ("t", "u")


def of_namespaces(draw, number):
    new, one = ("v1", "namespace", f"n{number}"), ("v1", "namespace", draw.choice("ab"))
    declared = {"declare_table": {"id": ["a", f"d{number}"]}}
    return [
        Drawn("POST", (*new, "create"), {"mode": "create", "properties": {"k": "v"}}),
        Drawn("GET", (*one, "list"), query="limit=2"),
        Drawn("POST", (*one, "describe"), {}),
        Drawn("POST", (*one, "exists"), {}),
        Drawn("POST", (*new, "drop"), {"mode": "skip", "behavior": "restrict"}),
        Drawn("GET", (*one, "table", "list"), query="include_declared=true"),
        Drawn("GET", ("v1", "table")),
        Drawn("POST", ("v1", "table", "batch-commit"), {"operations": [declared]}),
    ]


def table(draw):
    return ("v1", "table", f"{draw.choice('ab')}${draw.choice(NAMES)}")


def of_tables(draw, number):
    one = table(draw)
    new = ("v1", "table", f"a$n{number}")
    return [
        Drawn("POST", (*new, "create"), ROWS, ARROW),
        Drawn("POST", (*new, "declare"), {"properties": {"k": "v"}}),
        Drawn("POST", (*one, "create"), ROWS, ARROW, query="mode=overwrite"),
        Drawn("POST", (*one, "describe"), {"load_detailed_metadata": True}),
        Drawn("POST", (*one, "exists"), {}),
        Drawn("POST", (*one, "stats"), {}),
        Drawn("POST", (*one, "register"), {"location": f"{number}.lance", "mode": "create"}),
        Drawn("POST", (*one, "rename"), {"new_table_name": "t"}),
        Drawn("POST", (*one, "schema_metadata", "update"), {"metadata": {"k": str(number)}}),
        Drawn("POST", (*new, "drop")),
        Drawn("POST", (*new, "deregister"), {}),
    ]


def of_rows(draw, number):
    one, predicate = table(draw), draw.choice(PREDICATES)
    query = {"filter": predicate, "columns": {"column_names": ["id", "s"]}, "k": 3, "vector": {"single_vector": []}}
    nearest = {"vector": {"single_vector": [1.0, 2.0]}, "vector_column": "v", "k": 2, "distance_type": "l2"}
    return [
        Drawn("POST", (*one, "insert"), ROWS, ARROW, query="mode=append"),
        Drawn("POST", (*one, "merge_insert"), ROWS, ARROW, query="on=id&when_matched_update_all=true"),
        Drawn("POST", (*one, "update"), {"predicate": predicate, "updates": [["s", f"'{number}'"]]}),
        Drawn("POST", (*one, "delete"), {"predicate": f"id = {number}"}),
        Drawn("POST", (*one, "count_rows"), {"predicate": predicate}),
        Drawn("POST", (*one, "query"), query),
        Drawn("POST", (*one, "query"), nearest),
        Drawn("POST", (*one, "explain_plan"), {"query": query, "verbose": True}),
        Drawn("POST", (*one, "analyze_plan"), nearest),
    ]


def of_schemas_and_versions(draw, number):
    one, tag = table(draw), f"g{draw.randrange(4)}"
    index = {"column": "id", "index_type": "BTREE", "name": f"i{number}"}
    return [
        Drawn("POST", (*one, "version", "list"), query="limit=3"),
        Drawn("POST", (*one, "version", "describe"), {"version": 1}),
        Drawn("POST", (*one, "version", "delete"), {"ranges": [{"start_version": 1, "end_version": 1}]}),
        Drawn("POST", (*one, "restore"), {"version": 1}),
        Drawn("POST", (*one, "tags", "list")),
        Drawn("POST", (*one, "tags", "create"), {"tag": tag, "version": 1}),
        Drawn("POST", (*one, "tags", "update"), {"tag": tag, "version": 1}),
        Drawn("POST", (*one, "tags", "version"), {"tag": tag}),
        Drawn("POST", (*one, "tags", "delete"), {"tag": tag}),
        Drawn("POST", (*one, "add_columns"), {"new_columns": [{"name": f"c{number}", "expression": "id + 1"}]}),
        Drawn("POST", (*one, "alter_columns"), {"alterations": [{"path": "s", "nullable": True}]}),
        Drawn("POST", (*one, "drop_columns"), {"columns": [f"c{number - 1}"]}),
        Drawn("POST", (*one, "create_scalar_index"), index),
        Drawn("POST", (*one, "index", "list"), {}),
        Drawn("POST", (*one, "index", f"i{number - 1}", "stats"), {}),
        Drawn("POST", (*one, "index", f"i{number - 1}", "drop")),
        Drawn("POST", ("v1", "transaction", "x", "describe"), {}),
    ]


def drawn_request(draw, number):
    kind = draw.choice((of_namespaces, of_tables, of_rows, of_schemas_and_versions))
    return draw.choice(kind(draw, number))


@pytest.mark.parametrize("seed", SEEDS)
def test_drawn_requests(tmp_path, seed):
    with served("lance", tmp_path, "--storage", f"dir:{tmp_path}") as server:
        for name in "ab":
            assert server.send("POST", f"/v1/namespace/{name}/create", json={}).status == 200
            for one in NAMES:
                assert server.send("POST", f"/v1/table/{name}${one}/create", body=ROWS, headers=ARROW).status == 200
        send_drawn(server, seed, drawn_request)
        assert server.send("GET", "/v1/namespace/a/list").status == 200
