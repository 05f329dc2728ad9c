"""Requests of the Lance API that cost a server much more than their sender."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from reference_server.lance.catalog.version_names import FOLDER, V2, manifest_name
from tests.reference_server.costly import PATIENCE, Costly, encoded_bodies
from tests.reference_server.lance.arrow_streams import ARROW, stream

ROWS = 7
TABLE, CREATE, NAMESPACE = "/v1/table/a$t", "/v1/table/a$n/create", "/v1/namespace/p/create"
DIGITS = "9" * 5000


def pretended(table, rows):
    """Return the stream of a table of ROWS rows whose headers say that there are many more."""
    return stream(table).replace(ROWS.to_bytes(8, "little"), rows.to_bytes(8, "little"))


def nested(opening, closing, levels, inside="id"):
    return opening * levels + inside + closing * levels


def shared(text, rows, kind):
    """Return rows that share one text: each a view of it, or a number of a dictionary."""
    if kind == "dictionary":
        return pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int8()), pa.array([text]))
    view = len(text).to_bytes(4, "little") + text[:4].encode() + bytes(8)
    buffers = [None, pa.py_buffer(view * rows), pa.py_buffer(text.encode())]
    return pa.Array.from_buffers(pa.string_view(), rows, buffers)


def _predicates():
    texts = {
        "50 nested CAST": nested("CAST(", " AS BIGINT)", 50) + " > 1",
        "40 nested coalesce": nested("coalesce(", ", 1)", 40) + " > 1",
        "44 nested NOT": nested("NOT (", ")", 44, "id > 1"),
        "a list of 500,000 values": "id IN (" + ",".join(map(str, range(500_000))) + ")",
        "a list of 10,000 values": "id IN (" + ",".join(map(str, range(10_000))) + ")",
        "3,000 alternatives": " OR ".join(f"(id = {number})" for number in range(3000)),
        "20,000 alternatives": " OR ".join(f"id = {number}" for number in range(20_000)),
        "30,000 comments": "/*" * 30_000,
        "60,001 quotes": "'" * 60_001,
        "a text of 2 GB": "length(repeat(s, 2000000000)) > 1",
        "a number of 5,000 digits": f"id = {DIGITS}",
        "a text of 2 MB": "s = '" + "x" * 2_000_000 + "'",
    }
    return [Costly(name, "POST", f"{TABLE}/count_rows", {"predicate": text}) for name, text in texts.items()]


def _streams():
    wide = pa.table({f"c{number}": [1] for number in range(20_000)})
    streams = {
        "2^50 nulls": pretended(pa.table({"n": pa.nulls(ROWS)}), 1 << 50),
        "2^40 values of width 0": pretended(pa.table({"n": pa.array([b""] * ROWS, pa.binary(0))}), 1 << 40),
        "zstd, 2 GiB unpacked": _packed(2),
        "a text of 1 MB, 1,000 times": stream(pa.table({"n": shared("x" * 1_000_000, 1000, "view")})),
        "20,000 columns": stream(wide),
        "60 MiB of rows": stream(pa.table({"n": pa.array(range(7_800_000), pa.int64())})),
    }
    return [Costly(name, "POST", CREATE, body, ARROW) for name, body in streams.items()]


def _packed(gib):
    """Return a stream in zstd that unpacks to this many GiB."""
    column = pa.array([bytes(1 << 20)] * 256, pa.large_binary())
    return stream(pa.table({"n": pa.chunked_array([column] * (4 * gib))}), "zstd")


def _queries():
    deep = '{"boolean":{"should":[],"must_not":[],"must":['
    match = '{"match":{"terms":"x","column":"s"}}'
    tree = '{"k":1,"full_text_query":{"structured_query":{"query":' + nested(deep, "]}}", 5000, match) + "}}}"
    vectors = {"k": 10, "vector_column": "v", "vector": {"multi_vector": [[1.0, 2.0]] * 10_000}}
    bodies = {
        "a query for 2^31 rows": {"k": 2**31 - 1, "vector": {}},
        "10,000 vectors": vectors,
        "5,000 nested full-text queries": tree.encode(),
        "100,000 columns of a query": {"k": 1, "vector": {}, "columns": {"column_names": ["id"] * 100_000}},
    }
    return [Costly(name, "POST", f"{TABLE}/query", body) for name, body in bodies.items()]


def _batches():
    def declared(count):
        return {"operations": [{"declare_table": {"id": ["a", f"x{number}"]}} for number in range(count)]}

    ranges = [{"start_version": 9, "end_version": 9}]
    updates = {"updates": [["s", f"'{number}'"] for number in range(100_000)]}
    columns = {"new_columns": [{"name": f"n{number}", "expression": "id + 1"} for number in range(20_000)]}
    made = {"properties": {f"k{number}": "v" for number in range(250_000)}}
    return [
        Costly("1,000 declarations", "POST", "/v1/table/batch-commit", declared(1000)),
        Costly("20,000 declarations", "POST", "/v1/table/batch-commit", declared(20_000)),
        Costly("20,000 ranges of versions", "POST", f"{TABLE}/version/delete", {"ranges": ranges * 20_000}),
        Costly("100,000 updates of a column", "POST", f"{TABLE}/update", updates),
        Costly("20,000 new columns", "POST", f"{TABLE}/add_columns", columns),
        Costly("a namespace with 250,000 properties", "POST", NAMESPACE, made),
        Costly("limit with 5,000 digits", "GET", f"/v1/namespace/$/list?limit={DIGITS}"),
        Costly("2,000 levels of a name", "POST", f"/v1/namespace/{'$'.join(['x'] * 2000)}/create", {}),
    ]


def _large():
    """Requests about many tables and many versions, which are made first."""
    none = [{"start_version": 20_000 + number, "end_version": 20_001 + number} for number in range(1000)]
    first = [{"start_version": 1, "end_version": 5001}]

    def of_versions(*ranges):
        return {"operations": [{"delete_table_versions": {"id": ["a", "t"], "ranges": chosen}} for chosen in ranges]}

    cascade, overwrite = {"behavior": "Cascade"}, {"mode": "Overwrite"}
    batch, one = "/v1/table/batch-commit", f"{TABLE}/version/delete"
    return [
        Costly("1,000 ranges of 10,000 versions", "POST", one, {"ranges": none}, prepare=_versions),
        Costly("1,000 ranges of 10,000 versions, 20 times", "POST", batch, of_versions(*[none] * 20)),
        Costly("5,000 versions go in a batch", "POST", batch, of_versions(first), prepare=_versions),
        Costly("a cascade over 20,000 tables", "POST", "/v1/namespace/m/drop", cascade, prepare=_tables("m")),
        Costly("mode Overwrite over 20,000 tables", "POST", "/v1/namespace/o/create", overwrite, prepare=_tables("o")),
        Costly("all tables, 20,000 in the root", "GET", "/v1/table?limit=100", prepare=_tables()),
        Costly("a location of 4,000 folders", "POST", "/v1/table/a$l/declare", {"location": "/".join("x" * 4000)}),
    ]


def _versions(server):
    """Give a table manifests for 10,000 versions; that they are copies of one matters to who reads them alone."""
    location = server.send("POST", f"{TABLE}/describe", json={}).json()["location"]
    folder = Path(location.removeprefix("file://")) / FOLDER
    manifest = next(folder.glob("*.manifest")).read_bytes()
    for number in range(1, 10_001):
        (folder / Path(manifest_name(number, V2)).name).write_bytes(manifest)


def _tables(*namespace):
    """Return a function that declares 20,000 tables in a namespace, or in the root."""

    def declare(server):
        if namespace:
            assert server.send("POST", f"/v1/namespace/{namespace[0]}/create", json={}).status == 200
        for begin in range(0, 20_000, 1000):
            ids = ([*namespace, f"t{number}"] for number in range(begin, begin + 1000))
            batch = {"operations": [{"declare_table": {"id": id}} for id in ids]}
            assert server.send("POST", "/v1/table/batch-commit", json=batch, timeout=PATIENCE).status == 200

    return declare


def costly_requests(server, _folder):
    """Yield the requests, in an order in which each finds what it needs."""
    assert server.send("POST", "/v1/namespace/a/create", json={}).status == 200
    rows = {"id": pa.array(range(100), pa.int64()), "s": ["x"] * 100}
    rows["v"] = pa.array([[1.0, 2.0]] * 100, pa.list_(pa.float32(), 2))
    assert server.send("POST", f"{TABLE}/create", body=stream(pa.table(rows)), headers=ARROW).status == 200
    yield from _predicates()
    yield from _streams()
    yield from _queries()
    yield from _batches()
    yield from encoded_bodies(NAMESPACE)
    yield from _large()
