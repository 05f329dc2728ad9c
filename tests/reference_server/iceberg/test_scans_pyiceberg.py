"""Scan plans compared with those that PyIceberg makes itself, of the same tables, for many filters.

The server leaves out every file that PyIceberg leaves out, but none that holds a row that fits: PyIceberg loses such
files where truncating a very small integer has wrapped around. What is left of a filter has to choose the same rows
of a file as the filter does.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import struct
import uuid
from decimal import Decimal
from itertools import chain
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyiceberg import expressions as ex
from pyiceberg.catalog import load_catalog
from pyiceberg.conversions import from_bytes
from pyiceberg.expressions.visitors import rewrite_not
from pyiceberg.io.pyarrow import ArrowScan, schema_to_pyarrow
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import TableProperties
from pyiceberg.transforms import parse_transform
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

from lakeproof import serve
from tests.amount import amount

NAN = float("nan")
ZONE = dt.UTC
TYPES = {
    "flag": BooleanType(),
    "small": IntegerType(),
    "big": LongType(),
    "ratio": FloatType(),
    "precise": DoubleType(),
    "price": DecimalType(9, 2),
    "word": StringType(),
    "day": DateType(),
    "hour": TimeType(),
    "at": TimestampType(),
    "since": TimestamptzType(),
    "code": UUIDType(),
    "fixed": FixedType(2),
    "blob": BinaryType(),
}
VALUES: dict[str, list[Any]] = {
    "flag": [False, True],
    "small": [-2147483648, -7, 0, 5, 20, 2147483647],
    "big": [-(1 << 63), -11, 0, 9, 25, (1 << 63) - 1],
    "ratio": [-1.5, 0.0, 0.375, 2.5],
    "precise": [-1e300, -0.25, 0.0, 1.0, 1e300],
    "price": [Decimal("-999999.99"), Decimal("-0.01"), Decimal("0.00"), Decimal("1.50"), Decimal("12.34")],
    "word": ["", "a", "ab", "abc", "abcdefghijklmnopqrstuvwxyz", "b", "é", "\U0001f600", "\U0010ffff" * 20],
    "day": [
        dt.date(1971, 1, 1),
        dt.date(2023, 12, 31),
        dt.date(2024, 1, 1),
        dt.date(2024, 2, 29),
        dt.date(9999, 12, 31),
    ],
    "hour": [dt.time(0, 0), dt.time(12, 30, 1, 5), dt.time(23, 59, 59, 999999)],
    "at": [dt.datetime(1971, 6, 1), dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, 0, 59, 59, 999999)],
    "since": [dt.datetime(1971, 6, 1, tzinfo=ZONE), dt.datetime(2024, 1, 1, 1, tzinfo=ZONE)],
    "code": [uuid.UUID(int=0), uuid.UUID(int=5), uuid.UUID(int=(1 << 128) - 1)],
    "fixed": [b"\0\0", b"ab", b"\xff\xff"],
    "blob": [b"", b"a", b"ab", b"\xff\xff"],
}
SCHEMA = Schema(
    *(NestedField(number, name, kind, required=False) for number, (name, kind) in enumerate(TYPES.items(), 1)),
    NestedField(15, "id", LongType(), required=True),
    NestedField(16, "point", StructType(NestedField(17, "x", IntegerType(), required=False)), required=False),
)
SPECS = {
    "plain": (),
    "identity": (("word", "identity"), ("flag", "identity")),
    "buckets": (("big", "bucket[4]"), ("word", "bucket[3]"), ("day", "bucket[5]")),
    "more_buckets": (("price", "bucket[4]"), ("code", "bucket[3]"), ("blob", "bucket[2]"), ("since", "bucket[2]")),
    "cut": (("word", "truncate[2]"), ("small", "truncate[10]")),
    "cut_more": (("price", "truncate[100]"), ("big", "truncate[7]")),
    "times": (("at", "hour"), ("since", "day"), ("day", "month")),
    "long_times": (("at", "year"), ("since", "month"), ("day", "day")),
    "years": (("day", "year"), ("since", "hour"), ("at", "month")),
}

ROWS_OF_FILE = 4
SETTINGS = settings(
    max_examples=amount(30, 3000),
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)


def make_rows():
    """Rows in which every value meets others, with gaps; a file has a few of them."""
    rows = []
    for number in range(10 * ROWS_OF_FILE):
        file, place = divmod(number, ROWS_OF_FILE)
        row = {name: values[(file * (1 + place % 2) + place) % len(values)] for name, values in VALUES.items()}
        for position, name in enumerate(VALUES):
            if (file + position) % 5 == 0 and (place == 1 or (file + position) % 10 == 0):
                row[name] = None
            elif (file + position) % 7 == 0 and name in ("ratio", "precise"):
                row[name] = NAN if place < 2 or file % 2 else row[name]
        point = None if number % 6 == 0 else {"x": file if number % 5 else None}
        rows.append({**row, "id": number, "point": point})
    return rows


ROWS = make_rows()


@pytest.fixture(scope="module")
def server():
    """A server whose answers hold few files, so that most scan plans have plan tasks."""
    with serve("iceberg", page_size=7, scan_bounds="values") as running:
        yield running


@pytest.fixture(scope="module")
def tables(server):
    """A table for each spec, and one whose spec and schema have changed."""
    catalog = load_catalog("here", type="rest", uri=server.url)
    catalog.create_namespace_if_not_exists("ns")
    arrow = schema_to_pyarrow(SCHEMA)
    for name, fields in SPECS.items():
        table = catalog.create_table(f"ns.{name}", SCHEMA, partition_spec=spec_of(fields))
        for begin in range(0, len(ROWS), ROWS_OF_FILE):
            table.append(pa.Table.from_pylist(ROWS[begin : begin + ROWS_OF_FILE], schema=arrow))
    evolve(catalog, arrow)
    return {name: catalog.load_table(f"ns.{name}") for name in (*SPECS, "evolved")}


class Planner:
    """Asks the server for scan plans of one table. PyIceberg's own client cannot read partition values of null."""

    def __init__(self, http, url, name):
        self.http, self.url = http, f"{url}/v1/namespaces/ns/tables/{name}"

    def tasks(self, **request):
        answer = self.post("plan", request)
        assert answer["status"] == "completed"
        answers = [answer, *(self.post("tasks", {"plan-task": task}) for task in answer["plan-tasks"])]
        tasks = [task for page in answers for task in page["file-scan-tasks"]]
        by_path = {task["data-file"]["file-path"]: task for task in tasks}
        assert len(by_path) == len(tasks)
        return by_path

    def post(self, path, body):
        headers = {"Content-Type": "application/json"}
        answer = self.http("POST", f"{self.url}/{path}", body=json.dumps(body), headers=headers)
        assert answer.status == 200, answer.data
        return json.loads(answer.data)


def spec_of(fields):
    bound = (
        PartitionField(SCHEMA.find_field(name).field_id, 1000 + place, parse_transform(transform), f"p{place}")
        for place, (name, transform) in enumerate(fields)
    )
    return PartitionSpec(*bound)


def evolve(catalog, arrow):
    """Make a table that had three specs, has a column more and one less, and whose files were changed."""
    table = catalog.create_table("ns.evolved", SCHEMA, properties={TableProperties.MANIFEST_MIN_MERGE_COUNT: "2"})
    table.append(pa.Table.from_pylist(ROWS[:8], schema=arrow))
    with table.update_spec() as update:
        update.add_field("day", "month").add_field("word", "truncate[1]")
    table.append(pa.Table.from_pylist(ROWS[8:16], schema=arrow))
    with table.update_spec() as update:
        update.remove_field("day_month").add_identity("flag")
    with table.update_schema() as update:
        update.rename_column("small", "little").delete_column("blob").add_column("new", StringType())
    with table.update_schema() as update:
        update.update_column("little", LongType())
    rows = [{**row, "little": row["small"]} for row in ROWS[16:]]
    table.append(pa.Table.from_pylist(rows, schema=schema_to_pyarrow(table.schema())))
    table.delete("id == 9")


def filters(schema):
    """Filters over the columns of a schema."""
    names = [name for name in MORE_VALUES if name in schema.column_names]
    conditions = st.sampled_from(names).flatmap(lambda name: conditions_on(name, MORE_VALUES[name]))
    return st.recursive(
        conditions,
        lambda inner: st.one_of(
            st.tuples(st.sampled_from([ex.And, ex.Or]), inner, inner).map(lambda drawn: drawn[0](*drawn[1:])),
            inner.map(ex.Not),
        ),
        max_leaves=4,
    )


def conditions_on(name, values):
    value = st.sampled_from(values)
    conditions = [with_value(COMPARISONS, name, value), with_value(SETS, name, st.sets(value, min_size=1, max_size=4))]
    conditions.append(st.sampled_from(GAPS[name in ("ratio", "precise")]).map(lambda build: build(name)))
    if name == "word":
        conditions.append(
            with_value(PREFIXES, name, st.sampled_from(["", "a", "ab", "abc", "abcd", "b", "é", "\U0010ffff"]))
        )
    return st.one_of(conditions)


def with_value(operators, name, value):
    return st.tuples(st.sampled_from(operators), value).map(lambda drawn: drawn[0](name, drawn[1]))


COMPARISONS = [ex.LessThan, ex.LessThanOrEqual, ex.GreaterThan, ex.GreaterThanOrEqual, ex.EqualTo, ex.NotEqualTo]
SETS = [ex.In, ex.NotIn]
PREFIXES = [ex.StartsWith, ex.NotStartsWith]
GAPS = {False: [ex.IsNull, ex.NotNull], True: [ex.IsNull, ex.NotNull, ex.IsNaN, ex.NotNaN]}
MORE_VALUES = {**VALUES, "little": VALUES["big"], "new": ["x"], "point.x": [0, 3, 100], "id": [0, 7, 1000]}


@pytest.mark.parametrize("name", [*SPECS, "evolved"])
def test_files_and_what_is_left_of_filters(tables, name, server, http):
    table, planner = tables[name], Planner(http, server.url, name)
    rows = rows_of_files(table)

    @SETTINGS
    @given(filters(table.schema()))
    def compare(chosen):
        sent = json.loads(rewrite_not(chosen).model_dump_json())
        tasks = planner.tasks(filter=json.loads(chosen.model_dump_json()))
        fitting = {path for path, rows_of_file in rows.items() if any(fits(sent, row) for row in rows_of_file)}
        assert fitting <= set(tasks) <= files_of_pyiceberg(table, chosen) | fitting
        for path, task in tasks.items():
            assert [fits(task["residual-filter"], row) for row in rows[path]] == [fits(sent, row) for row in rows[path]]
            assert task["data-file"]["record-count"] == len(rows[path])

    compare()


def files_of_pyiceberg(table, chosen):
    """Return the files that PyIceberg finds. It cannot say what is left of a filter where a partition value is null."""
    manifests = table.current_snapshot().manifests(table.io)
    entries = table.scan(row_filter=chosen)._manifest_planner.plan_manifest_entries(manifests)
    return {entry.data_file.file_path for entry in chain.from_iterable(entries)}


def rows_of_files(table):
    """Return the rows of every file, with the names that the columns have now."""
    scan = ArrowScan(table.metadata, table.io, table.schema().select("id"), ex.AlwaysTrue())
    tasks = table.scan().plan_files()
    ids_by_path = {task.file.file_path: scan.to_table([task])["id"].to_pylist() for task in tasks}
    return {
        path: [{**ROWS[id], "little": ROWS[id]["small"], "new": None} for id in ids]
        for path, ids in ids_by_path.items()
    }


def fits(node, row):
    """Return whether a row fits an expression; a value that is missing fits no comparison but its opposite."""
    if isinstance(node, bool):
        return node
    if node["type"] in ("and", "or"):
        return {"and": all, "or": any}[node["type"]](fits(node[side], row) for side in ("left", "right"))
    name = node["term"]
    value = (row["point"] or {}).get("x") if name == "point.x" else row[name]
    return HOLDS[node["type"]](value, [read(name, literal) for literal in node.get("values", [node.get("value")])])


def read(name, literal):
    """Return a literal as rows have it: PyIceberg sends times as microseconds and leaves the zone of others out."""
    if name == "hour" and isinstance(literal, int):
        return (dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=literal)).time()
    return READERS[name](literal) if name in READERS and literal is not None else literal


READERS = {
    "ratio": lambda literal: struct.unpack("f", struct.pack("f", literal))[0],
    "price": Decimal,
    "day": dt.date.fromisoformat,
    "hour": dt.time.fromisoformat,
    "at": dt.datetime.fromisoformat,
    "since": lambda literal: dt.datetime.fromisoformat(literal).replace(tzinfo=ZONE),
    "code": uuid.UUID,
    "fixed": bytes.fromhex,
    "blob": bytes.fromhex,
}


def compared(compare):
    return lambda value, literals: value is not None and compare(value, literals)


def is_nan(value):
    return isinstance(value, float) and math.isnan(value)


HOLDS = {
    "is-null": lambda value, _: value is None,
    "not-null": lambda value, _: value is not None,
    "is-nan": lambda value, _: is_nan(value),
    "not-nan": lambda value, _: not is_nan(value),
    "lt": compared(lambda value, literals: value < literals[0]),
    "lt-eq": compared(lambda value, literals: value <= literals[0]),
    "gt": compared(lambda value, literals: value > literals[0]),
    "gt-eq": compared(lambda value, literals: value >= literals[0]),
    "eq": compared(lambda value, literals: value == literals[0]),
    "in": compared(lambda value, literals: value in literals),
    "starts-with": compared(lambda value, literals: value.startswith(literals[0])),
    "not-eq": lambda value, literals: value != literals[0],
    "not-in": lambda value, literals: value not in literals,
    "not-starts-with": lambda value, literals: value is None or not value.startswith(literals[0]),
}


@pytest.mark.parametrize("version", ["1", "2"])
def test_every_snapshot_and_every_range(server, http, version):
    """A table that was appended to, overwritten and deleted from, in a format version of its own."""
    name = f"history_{version}"
    catalog = load_catalog("here", type="rest", uri=server.url)
    catalog.create_namespace_if_not_exists("ns")
    table = catalog.create_table(f"ns.{name}", SCHEMA, properties={"format-version": version})
    parts = [pa.Table.from_pylist(ROWS[place : place + 4], schema=schema_to_pyarrow(SCHEMA)) for place in (0, 4, 8, 12)]
    table.append(parts[0])
    table.append(parts[1])
    table.delete("id == 1")
    table.append(parts[2])
    table.overwrite(parts[3], "id < 6")
    table.append(parts[0])
    planner = Planner(http, server.url, name)
    history = [entry.snapshot_id for entry in table.history()]
    for place, last in enumerate(history):
        files = {task.file.file_path for task in table.scan(snapshot_id=last).plan_files()}
        assert set(planner.tasks(**{"snapshot-id": last})) == files
        for first in history[:place]:
            scan = table.incremental_append_scan(from_snapshot_id_exclusive=first, to_snapshot_id_inclusive=last)
            tasks = planner.tasks(**{"start-snapshot-id": first, "end-snapshot-id": last})
            assert set(tasks) == {task.file.file_path for task in scan.plan_files()}


def test_statistics_are_those_of_manifests(tables, server, http):
    table = tables["plain"]
    wanted = ["big", "word", "day", "price", "point.x", "ratio"]
    tasks = Planner(http, server.url, "plain").tasks(**{"stats-fields": wanted})
    ids = {name: table.schema().find_field(name).field_id for name in wanted}
    for task in table.scan().plan_files():
        data_file = tasks[task.file.file_path]["data-file"]
        for key, counts in (
            ("value-counts", task.file.value_counts),
            ("null-value-counts", task.file.null_value_counts),
        ):
            assert as_map(data_file[key]) == {id: counts[id] for id in counts if id in ids.values()}
        bounds = as_map(data_file["lower-bounds"])
        for name, id in ids.items():
            raw = task.file.lower_bounds.get(id)
            expected = None if raw is None else from_bytes(table.schema().find_field(name).field_type, raw)
            bound = bounds.get(id)
            assert (read(name, bound) if bound is not None else None) == in_rows(name, expected)


def as_map(shown):
    return dict(zip(shown["keys"], shown["values"], strict=True))


def in_rows(name, value):
    return dt.date(1970, 1, 1) + dt.timedelta(days=value) if name == "day" and value is not None else value
