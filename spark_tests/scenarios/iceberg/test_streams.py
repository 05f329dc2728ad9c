"""Streams into and out of tables."""

from __future__ import annotations

import tempfile
from pathlib import Path

from conformance.author.checks import equal
from conformance.author.requirement import must
from spark_tests.scenarios.lake import Lake

CLAUSE = "iceberg-streams"
SCHEMA = "x INT"


def stream_into(lake: Lake, source: Path, table: str, checkpoint: Path) -> None:
    """Append new JSON files of a folder to a table, with a stream that ends when no new file is left."""
    text = f"readStream.json({source.name}/) → writeStream.toTable({table}), available now, from the checkpoint"

    def work() -> None:
        lines = lake.spark.readStream.schema(SCHEMA).json(str(source))
        writer = lines.writeStream.format("iceberg").outputMode("append").trigger(availableNow=True)
        query = writer.option("checkpointLocation", str(checkpoint)).toTable(table)
        query.awaitTermination()

    lake.job(text, work)


@must("spark.iceberg.stream.appended", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_append(lake: Lake) -> None:
    """A stream restarted from its checkpoint appends the new rows, and no row twice."""
    table = lake.name("t")
    lake.run(f"CREATE TABLE {table} ({SCHEMA}) USING iceberg")
    with tempfile.TemporaryDirectory(prefix="lakeproof-stream-") as folder:
        source, checkpoint = Path(folder) / "in", Path(folder) / "checkpoint"
        source.mkdir()
        (source / "1.json").write_text('{"x": 1}\n{"x": 2}\n')
        stream_into(lake, source, table, checkpoint)
        (source / "2.json").write_text('{"x": 3}\n')
        stream_into(lake, source, table, checkpoint)
        stream_into(lake, source, table, checkpoint)
    equal(lake.run(f"SELECT x FROM {table} ORDER BY x"), [(1,), (2,), (3,)], "the rows after three runs of the stream")


@must("spark.iceberg.stream.repeated", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_repeat(lake: Lake) -> None:
    """A batch that was committed but not recorded in the checkpoint is not appended again."""
    table = lake.name("t")
    lake.run(f"CREATE TABLE {table} ({SCHEMA}) USING iceberg")
    with tempfile.TemporaryDirectory(prefix="lakeproof-stream-") as folder:
        source, checkpoint = Path(folder) / "in", Path(folder) / "checkpoint"
        source.mkdir()
        (source / "1.json").write_text('{"x": 1}\n')
        stream_into(lake, source, table, checkpoint)
        for noted in (checkpoint / "commits").glob("*0*"):
            noted.unlink()  # as if the driver had died between commit and checkpoint
        stream_into(lake, source, table, checkpoint)
    equal(lake.run(f"SELECT x FROM {table} ORDER BY x"), [(1,)], "the rows after the repeated batch")


@must("spark.iceberg.stream.read", operations=["loadTable"], clause=CLAUSE, kind="scenario")
def test_read(lake: Lake) -> None:
    """A stream out of a table delivers every append once, even across a restart."""
    source, sink = lake.name("t"), lake.name("u")
    lake.run(f"CREATE TABLE {source} (x INT) USING iceberg")
    lake.run(f"CREATE TABLE {sink} (x INT) USING iceberg")
    with tempfile.TemporaryDirectory(prefix="lakeproof-stream-") as folder:
        for x in (1, 2):
            lake.run(f"INSERT INTO {source} VALUES ({x})")
            lake.job(f"readStream.table({source}) → toTable({sink})", lambda: follow(lake, source, sink, folder))
    equal(lake.run(f"SELECT x FROM {sink} ORDER BY x"), [(1,), (2,)], "the rows that the stream delivered")


def follow(lake: Lake, source: str, sink: str, checkpoint: str) -> None:
    """Append the new rows of one table to another table."""
    writer = lake.spark.readStream.table(source).writeStream.format("iceberg").trigger(availableNow=True)
    writer.option("checkpointLocation", checkpoint).toTable(sink).awaitTermination()
