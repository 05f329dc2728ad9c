"""The warehouse: what is loaded, that loading again changes nothing, and the answers beside those of plain Python."""

from __future__ import annotations

import itertools
import json
import shutil
from collections import Counter, defaultdict

import orjson
import pytest

from benchmarks.generate import Amount, generate, verdict
from conformance.after.reading import read_results
from conformance.values.results_files import write_compressed
from lakeproof import serve
from spark_tests.connectors import SparkCatalog
from spark_tests.pipeline import reading, schema
from spark_tests.pipeline.aggregates import QUERIES, aggregate
from spark_tests.pipeline.loading import load
from spark_tests.pipeline.reading import find_results, look_at
from spark_tests.pipeline.report import matrix, page, sentence, to_json, write
from spark_tests.pipeline.schema import CATALOG, TABLES, VERSION, VERSION_PROPERTY, ensure_tables, table
from spark_tests.session import attach
from specs.problems import Problem

AMOUNT = Amount(runs=12, requirements=230, exchanges=105, servers=3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    generate(folder, AMOUNT)
    return folder


@pytest.fixture(scope="module")
def warehouse(spark, folder, tmp_path_factory):
    """A warehouse on a directory with all runs in it, and what loading them said."""
    with serve("iceberg", storage=f"dir:{tmp_path_factory.mktemp('warehouse')}") as server:
        attach(spark, SparkCatalog(CATALOG, "iceberg", server.url, {"cache-enabled": "false"}))
        yield load(spark, [folder])


@pytest.fixture(scope="module")
def answers(spark, warehouse):
    return aggregate(spark)


def contents(spark):
    """The snapshots of all tables: what changes with any write."""
    return {
        name: [row[0] for row in spark.sql(f"SELECT snapshot_id FROM {table(name)}.snapshots").collect()]
        for name in TABLES
    }


def test_compressed_results_are_read_as_the_others(spark, folder, tmp_path):
    plain = folder / "run00000" / "results.json"
    packed = write_compressed(tmp_path, plain.read_bytes())
    assert find_results([tmp_path]) == [packed]
    rows = [reading.read_results(spark, [str(path)]).drop("source").collect() for path in (plain, packed)]
    assert rows[0] == rows[1]
    assert [head.run for head in look_at(spark, [packed])] == [read_results(plain).run.id]


def test_made_up_results_have_the_form_of_real_ones(folder):
    results = read_results(folder / "run00000")
    assert len(results.requirements) == AMOUNT.requirements
    lines = (folder / "run00000" / "exchanges.jsonl").read_bytes().splitlines()
    assert len(lines) == AMOUNT.exchanges
    assert [line for line in lines if not json.loads(line)["seconds"] > 0] == []


def test_everything_is_loaded(spark, warehouse):
    runs = AMOUNT.runs
    assert (warehouse.files, warehouse.runs, warehouse.refused) == (runs, runs, [])
    counts = {"runs": runs, "verdicts": runs * AMOUNT.requirements, "exchanges": runs * AMOUNT.exchanges}
    assert warehouse.rows == counts
    assert {name: spark.table(table(name)).count() for name in TABLES} == counts


def test_second_load_changes_nothing(spark, warehouse, folder):
    before = contents(spark)
    again = load(spark, [folder, folder / "run00000"])
    assert (again.files, again.runs) == (AMOUNT.runs, 0)
    assert contents(spark) == before


def test_run_in_two_folders_is_one_run(spark, warehouse, folder, tmp_path):
    before = contents(spark)
    shutil.copytree(folder / "run00003", tmp_path / "copy")
    assert load(spark, [tmp_path]).runs == 0
    assert contents(spark) == before


def runs_of(server):
    return list(range(server, AMOUNT.runs, AMOUNT.servers))


def test_matrix_has_the_newest_verdicts_of_each_server(answers):
    matrix = {(row["server"], row["requirement"]): row["verdict"] for row in answers["matrix"]}
    assert matrix == {
        (f"server {server}", f"iceberg.made_up.r{number:05}"): verdict(AMOUNT, runs_of(server)[-1], number)
        for server in range(AMOUNT.servers)
        for number in range(AMOUNT.requirements)
    }


def test_trend_counts_each_run(answers):
    trend = {(row["server"], row["started"]): (row["pass"], row["fail"]) for row in answers["trend"]}
    assert len(trend) == AMOUNT.runs
    counts = Counter(verdict(AMOUNT, 4, number) for number in range(AMOUNT.requirements))
    assert trend["server 1", "2026-01-01T04:00:00"] == (counts["pass"], counts["fail"])


def test_flaky_are_those_that_flip(answers):
    expected = defaultdict(int)
    for server in range(AMOUNT.servers):
        for number in range(AMOUNT.requirements):
            seen = [verdict(AMOUNT, run, number) for run in runs_of(server)]
            flips = sum(verdict != other for verdict, other in itertools.pairwise(seen))
            if flips >= 2:
                expected[f"server {server}", f"iceberg.made_up.r{number:05}"] = flips
    assert expected
    assert {(row["server"], row["requirement"]): row["flips"] for row in answers["flaky"]} == expected


def test_changes_are_between_the_last_two_runs(answers):
    expected = set()
    for server in range(AMOUNT.servers):
        before, now = runs_of(server)[-2:]
        for number in range(AMOUNT.requirements):
            pair = verdict(AMOUNT, before, number), verdict(AMOUNT, now, number)
            if pair[0] != pair[1]:
                expected.add((f"server {server}", f"iceberg.made_up.r{number:05}", *pair))
    assert expected
    changes = {(row["server"], row["requirement"], row["before"], row["now"]) for row in answers["changes"]}
    assert changes == expected


def test_latencies_are_percentiles_of_the_wire_logs(answers, folder):
    seconds = defaultdict(list)
    for log in sorted(folder.glob("*/exchanges.jsonl")):
        server = json.loads((log.parent / "results.json").read_bytes())["target"]["name"]
        for line in log.read_bytes().splitlines():
            exchange = orjson.loads(line)
            seconds[server, exchange["operation"]].append(1000 * exchange["seconds"])
    assert {(row["server"], row["operation"]) for row in answers["latency"]} == set(seconds)
    for row in answers["latency"]:
        values = sorted(seconds[row["server"], row["operation"]])
        assert row["requests"] == len(values)
        assert row["slowest"] == pytest.approx(values[-1])
        assert row["percentiles"][0] == pytest.approx(values[-(-len(values) // 2) - 1])


def test_groups_count_each_requirement_once(answers):
    rows = {(row["server"], row["group"]): row for row in answers["groups"]}
    assert {group for _, group in rows} == {"reads", "tables"}
    last = Counter(verdict(AMOUNT, runs_of(1)[-1], number) for number in range(AMOUNT.requirements))
    for group in ("reads", "tables"):  # those of loadTable, the only operation of the requirements
        row = rows["server 1", group]
        assert (row["requirements"], row["tested"], row["passed"]) == (AMOUNT.requirements, 230, last["pass"])


def test_report(answers, tmp_path):
    report = to_json(answers, "here")
    paths = write(report, tmp_path)
    shown = paths["html"].read_text()
    assert sentence(report) in shown
    assert orjson.loads(paths["results"].read_bytes())["servers"] == answers["servers"]
    listed = matrix(report)
    assert len(listed.servers) == AMOUNT.servers
    assert [cells for cells in listed.rows.values() if set(cells.values()) == {"pass"}] == []
    for name in listed.rows:
        assert name in shown


def test_names_are_shown_as_text(answers):
    report = to_json(answers, "<script>alert(1)</script>")
    assert "<script>alert" not in page(report)


def test_a_run_of_some_requirements_hides_no_others(spark, warehouse, folder, answers, tmp_path):
    """A run with -k, or of the scenarios of Spark, has few requirements; the others keep their newest verdicts."""
    shutil.copytree(folder / f"run{AMOUNT.runs - 1:05}", tmp_path / "some")

    def cut(value):
        value["run"].update(id="some", started="2027-01-01T00:00:00+00:00")
        value["requirements"] = [{**value["requirements"][0], "verdict": "blocked"}]

    edit(tmp_path / "some", cut)
    assert load(spark, [tmp_path]).runs == 1
    renewed = aggregate(spark)
    for name in TABLES:
        spark.sql(f"DELETE FROM {table(name)} WHERE run_id = 'some'")
    others = [row for row in answers["matrix"] if row not in renewed["matrix"]]
    (changed,) = [row for row in renewed["matrix"] if row not in answers["matrix"]]
    assert (changed["requirement"], changed["verdict"]) == ("iceberg.made_up.r00000", "blocked")
    assert [(row["requirement"], row["server"]) for row in others] == [(changed["requirement"], changed["server"])]
    assert len(renewed["matrix"]) == len(answers["matrix"])


def test_interrupted_load_is_done_again(spark, warehouse, folder, answers):
    """A load that ended before the table of runs was written leaves halves; they do not count, and are replaced."""
    spark.sql(f"DELETE FROM {table('runs')} WHERE run_id LIKE '20260101T05%'")
    counted = sum(row["requests"] for row in spark.sql(QUERIES["latency"]).collect())
    assert counted == (AMOUNT.runs - 1) * AMOUNT.exchanges
    assert load(spark, [folder]).runs == 1
    assert aggregate(spark) == answers


def test_what_is_no_results_file_is_refused(spark, warehouse, folder, tmp_path):
    broken, newer = tmp_path / "broken", tmp_path / "newer"
    for directory in (broken, newer):
        directory.mkdir()
    (broken / "results.json").write_text("{")
    value = json.loads((folder / "run00001" / "results.json").read_bytes())
    (newer / "results.json").write_text(json.dumps({**value, "version": 99}))
    loaded = load(spark, [tmp_path])
    assert loaded.runs == 0
    assert [head.path for head in loaded.refused] == [str(directory / "results.json") for directory in (broken, newer)]
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(Problem, match="There is no results"):
        load(spark, [empty])


def test_odd_names_of_folders(spark, warehouse, folder, tmp_path):
    """Names of folders may look like a pattern or a percent-encoding of Spark."""
    names = ("a b", "c[1]", "d{x}%20*?", "ü,;#")
    for number, name in enumerate(names):
        shutil.copytree(folder / f"run0000{number}", tmp_path / name)
        edit(tmp_path / name, lambda value, name=name: value["run"].update(id=f"odd {name}"))
    log = tmp_path / names[0] / "exchanges.jsonl"
    log.write_bytes(log.read_bytes() + b'{"operation": "loadTable", "seco')
    loaded = load(spark, [tmp_path])
    assert (loaded.runs, loaded.refused, loaded.rows["exchanges"]) == (4, [], 4 * AMOUNT.exchanges)
    assert loaded.broken == (1, str(log)), "a run that was killed leaves half a line"
    counts = spark.sql(f"SELECT count(*) FROM {table('exchanges')} WHERE run_id LIKE 'odd%' GROUP BY run_id").collect()
    assert [row[0] for row in counts] == [AMOUNT.exchanges] * len(names)
    for name in TABLES:
        spark.sql(f"DELETE FROM {table(name)} WHERE run_id LIKE 'odd%'")


def edit(folder, change):
    value = json.loads((folder / "results.json").read_bytes())
    change(value)
    (folder / "results.json").write_text(json.dumps(value))


def test_empty_warehouse(spark, monkeypatch):
    monkeypatch.setattr(schema, "CATALOG", "lakeproof_empty")
    with serve("iceberg") as server:
        attach(spark, SparkCatalog("lakeproof_empty", "iceberg", server.url))
        with pytest.raises(Problem, match="The warehouse is empty"):
            schema.check_tables(spark)


def test_older_tables_get_what_they_lack(spark, warehouse, answers):
    spark.sql(f"ALTER TABLE {table('verdicts')} DROP COLUMN blocked_by")
    spark.sql(f"ALTER TABLE {table('verdicts')} SET TBLPROPERTIES ('{VERSION_PROPERTY}' = '0')")
    ensure_tables(spark)
    assert "blocked_by" in spark.table(table("verdicts")).columns
    assert aggregate(spark) == answers


def test_newer_tables_are_refused(spark, warehouse, folder):
    """The last test of the module: the tables are a newer kit's afterwards."""
    spark.sql(f"ALTER TABLE {table('runs')} SET TBLPROPERTIES ('{VERSION_PROPERTY}' = '{VERSION + 1}')")
    with pytest.raises(Problem, match="this kit knows up to"):
        load(spark, [folder])
