"""Plannings compared with those that PyIceberg makes itself, of the same tables, for many filters.

The files have to be the same; what is left of a filter has to choose the same rows of a file as the filter does.
"""

from __future__ import annotations

import datetime as dt
import json
import uuid
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter
from pyiceberg import expressions as ex
from pyiceberg.catalog import load_catalog
from pyiceberg.expressions.visitors import expression_evaluator
from pyiceberg.io.pyarrow import ArrowScan, schema_to_pyarrow
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import TableProperties
from pyiceberg.transforms import parse_transform
from pyiceberg.typedef import Record
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

EXPRESSION = TypeAdapter(ex.BooleanExpression)
NAN = float("nan")
ZONE = dt.timezone.utc
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
VALUES = {
    "flag": [False, True],
    "small": [-2147483648, -7, 0, 5, 20, 2147483647],
    "big": [-(1 << 63), -11, 0, 9, 25, (1 << 63) - 1],
    "ratio": [-1.5, 0.0, 0.1, 2.5, 1e30],
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
    max_examples=60,
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
    """A server whose answers hold few files, so that most plannings have plan tasks."""
    with serve("iceberg", page_size=7) as running:
        yield running


@pytest.fixture(scope="module")
def tables(server):
    """A table for each spec, and one whose spec and schema have changed."""
    catalog = load_catalog("here", type="rest", uri=server.url)
    catalog.create_namespace("ns")
    arrow = schema_to_pyarrow(SCHEMA)
    for name, fields in SPECS.items():
        table = catalog.create_table(f"ns.{name}", SCHEMA, partition_spec=spec_of(fields))
        for begin in range(0, len(ROWS), ROWS_OF_FILE):
            table.append(pa.Table.from_pylist(ROWS[begin : begin + ROWS_OF_FILE], schema=arrow))
    evolve(catalog, arrow)
    return {name: catalog.load_table(f"ns.{name}") for name in (*SPECS, "evolved")}


class Planner:
    """Asks the server for plannings of one table. PyIceberg's own client cannot read partition values of null."""

    def __init__(self, http, url, name):
        self.http, self.url = http, f"{url}/v1/namespaces/ns/tables/{name}"

    def tasks(self, **request):
        answer = self.post("plan", request)
        assert answer["status"] == "completed"
        found = [answer, *(self.post("tasks", {"plan-task": task}) for task in answer["plan-tasks"])]
        tasks = [task for one in found for task in one["file-scan-tasks"]]
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
    table.delete(ex.EqualTo("id", 9))


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
    found = [with_value(COMPARISONS, name, value), with_value(SETS, name, st.sets(value, min_size=1, max_size=4))]
    found.append(st.sampled_from(GAPS[name in ("ratio", "precise")]).map(lambda one: one(name)))
    if name == "word":
        found.append(with_value(PREFIXES, name, st.sampled_from(["", "a", "ab", "abc", "abcd", "b", "é", "\U0010ffff"])))
    return st.one_of(found)


def with_value(operators, name, value):
    return st.tuples(st.sampled_from(operators), value).map(lambda drawn: drawn[0](name, drawn[1]))


COMPARISONS = [ex.LessThan, ex.LessThanOrEqual, ex.GreaterThan, ex.GreaterThanOrEqual, ex.EqualTo, ex.NotEqualTo]
SETS = [ex.In, ex.NotIn]
PREFIXES = [ex.StartsWith, ex.NotStartsWith]
GAPS = {False: [ex.IsNull, ex.NotNull], True: [ex.IsNull, ex.NotNull, ex.IsNaN, ex.NotNaN]}
MORE_VALUES = {**VALUES, "little": VALUES["big"], "new": ["x"], "point.x": [0, 3, 100], "id": [0, 7, 1000]}


@pytest.mark.parametrize("name", [*SPECS, "evolved"])
def test_same_files_and_rows(tables, name, server, http):
    table, planner = tables[name], Planner(http, server.url, name)
    rows = rows_of_files(table)

    @SETTINGS
    @given(filters(table.schema()))
    def compare(chosen):
        sent = json.loads(chosen.model_dump_json())
        mine = planner.tasks(filter=sent)
        theirs = {task.file.file_path for task in table.scan(row_filter=chosen).plan_files()}
        assert set(mine) == theirs
        wanted = expression_evaluator(table.schema(), chosen, True)
        for path, task in mine.items():
            left = expression_evaluator(table.schema(), EXPRESSION.validate_python(task["residual-filter"]), True)
            assert [left(row) for row in rows[path]] == [wanted(row) for row in rows[path]]
            assert task["data-file"]["record-count"] == len(rows[path])

    compare()


def rows_of_files(table):
    """Return the rows of every file, as PyIceberg evaluates expressions on them."""
    scan = ArrowScan(table.metadata, table.io, table.schema(), ex.AlwaysTrue())
    tasks = table.scan().plan_files()
    rows = {task.file.file_path: scan.to_table([task]).to_pylist() for task in tasks}
    return {path: [record(row, table.schema()) for row in found] for path, found in rows.items()}


def record(row, schema):
    return Record(*(inside(row[field.name], field.field_type) for field in schema.fields))


def inside(value, kind):
    """Return a value as PyIceberg compares it."""
    if value is None or isinstance(kind, StructType):
        return value if value is None else Record(*(value[field.name] for field in kind.fields))
    if isinstance(kind, DateType):
        return (value - dt.date(1970, 1, 1)).days
    if isinstance(kind, TimeType):
        return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond
    if isinstance(kind, TimestampType | TimestamptzType):
        start = dt.datetime(1970, 1, 1, tzinfo=ZONE if isinstance(kind, TimestamptzType) else None)
        return (value - start) // dt.timedelta(microseconds=1)
    return value
