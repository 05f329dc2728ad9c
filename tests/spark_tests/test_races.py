"""Races on Spark: the reference server is never blamed, and each fault is."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from functools import partial

import orjson
import pytest
from click.testing import CliRunner

from conformance.history import judge_object
from conformance.values.settings import Settings
from lakeproof import serve
from lakeproof.commands.race import MOST_PROBLEMS, race_command
from spark_tests.connectors import catalog_for, sql_tables
from spark_tests.races import clock, running
from spark_tests.races.report import most_different_first, page, sentence, to_json, write
from spark_tests.races.running import RaceSettings, judge, run_race
from spark_tests.races.sql import through_sql
from spark_tests.session import attach
from specs.problems import Problem

TRIES = 5  # so small a race may miss what is wrong only when two meet
SMALL = RaceSettings(clients=20, operations=1200)
FAULTS = {
    "lost-update": ("chain", "acknowledged"),
    "stale-read": ("chain", "was read after version"),
    "torn-transaction": ("pair", "one table has version"),
    "duplicate-apply": ("register", "overwrote it"),
}
FAULTS_OF_LANCE = {
    "race-hidden": ("name", "declare was acknowledged"),
    "drop-race-hidden": ("name", "drop was acknowledged"),
    "lost-update": ("chain", "were acknowledged: one is lost"),
    "torn-batch": ("batch", "one table has version"),
}


def race_on(spark, api, size=SMALL, **settings):
    with serve(api, **settings) as server:
        return run_race(spark, Settings(server=server.url, api=api), size)


def race_until_wrong(run, tries=TRIES):
    """Race on a server with a fault, again where nobody has met anybody at the wrong moment."""
    for _ in range(tries):
        race = run()
        if race.contradictions:
            break
    return race


def race_with(spark, api, fault, operations=1600):
    return race_until_wrong(lambda: race_on(spark, api, replace(SMALL, operations=operations), faults=(fault,)))


@pytest.mark.parametrize("api", ["iceberg", "lance"])
@pytest.mark.parametrize("storage", ["memory", "dir"])
def test_reference_server_is_not_blamed(spark, api, storage, tmp_path):
    race = race_on(spark, api, storage=f"dir:{tmp_path / 'lake'}" if storage == "dir" else storage)
    assert race.contradictions == race.undecided == []
    assert race.left_behind == []
    assert len(race.records) >= SMALL.operations
    succeeded = {(record.action, record.key[0]) for record in race.records if record.outcome == "ok"}
    refused = {(record.action, record.key[0]) for record in race.records if record.outcome == "refused"}
    for kind in ("chain", "ring", "name", "pair" if api == "iceberg" else "batch"):
        assert {refused_kind for _, refused_kind in succeeded & refused} >= {kind}, (
            "clients did not get into each other's way"
        )
    assert any(record.status == 0 for record in race.records), "nobody has hung up"


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_found(spark, fault, tmp_path):
    race = race_with(spark, "iceberg", fault, operations=3000 if fault == "duplicate-apply" else 1600)
    kind, words = FAULTS[fault]
    assert any(key[0] == kind and words in wrong.message for key, wrong in race.contradictions)
    report = to_json(race, "lakeproof race")
    assert report["verdict"] == "fail"
    assert [problem for problem in report["problems"] if not problem["events"]] == []
    paths = write(report, tmp_path)
    assert orjson.loads(paths["results"].read_bytes()) == orjson.loads(orjson.dumps(report))
    shown = paths["html"].read_text()
    assert most_different_first(race.contradictions)[0][1].message.split("(")[0] in shown
    assert sentence(report) in shown


@pytest.mark.parametrize("fault", FAULTS_OF_LANCE)
def test_fault_of_lance_is_found(spark, fault):
    race = race_with(spark, "lance", fault)
    kind, words = FAULTS_OF_LANCE[fault]
    assert {key[0] for key, _ in race.contradictions} == {kind}
    assert any(words in wrong.message for _, wrong in race.contradictions)


def test_long_histories_are_judged_alike_by_spark(spark):
    race = race_with(spark, "iceberg", "stale-read", SMALL.operations)
    assert {judgement.outcome for judgement in race.judgements} >= {"contradiction", "consistent"}
    assert judge(spark, race.records, replace(SMALL, judged_here=0)) == race.judgements


def test_what_is_shown_contradicts(spark):
    """The events of a contradiction are one by themselves: nothing else of the history is needed to see it."""
    race = race_with(spark, "iceberg", "stale-read")
    for key, wrong in race.contradictions:
        if key[0] == "chain" and "was read after version" in wrong.message:
            assert wrong.message in {other.message for other in judge_object(key, wrong.events).contradictions}


def test_page_of_a_clean_race(spark):
    report = to_json(race_on(spark, "iceberg", replace(SMALL, operations=200)), "lakeproof race")
    shown = page(report)
    assert report["verdict"] == "pass"
    assert "No contradiction" in shown
    assert "Contradictions" not in shown


@pytest.mark.parametrize("fault", ["", "lost-update"])
def test_sums_of_appends_and_merges_through_sql(spark, fault, tmp_path):
    with serve("iceberg", storage=f"dir:{tmp_path}", faults=(fault,) if fault else ()) as server:
        settings = Settings(server=server.url, api="iceberg")
        name = f"raced{len(fault)}"
        attach(spark, catalog_for(name, settings))
        size = RaceSettings(6, 36) if fault else RaceSettings(3, 18)
        play = partial(through_sql, tables=sql_tables("iceberg"), name=name)
        race = race_until_wrong(lambda: run_race(spark, settings, size, play), TRIES if fault else 1)
    assert bool(race.contradictions) == bool(fault), [wrong.message for _, wrong in race.contradictions]
    assert race.left_behind == []
    succeeded = {record.action for record in race.records if record.outcome == "ok"}
    assert succeeded == {"append", "merge", "read"}


def test_executors_with_another_clock(spark, monkeypatch):
    """The driver says that it is another host, so the executors ask it for the time."""
    monkeypatch.setattr(clock, "host_name", lambda: "elsewhere")
    race = race_on(spark, "iceberg", replace(SMALL, operations=400))
    assert race.contradictions == race.undecided == []
    slacks = {record.slack for record in race.records if record.client < SMALL.clients}
    assert [slack for slack in slacks if not 0 < slack < 0.5] == []


def test_executors_that_fail(spark, monkeypatch):
    @contextlib.contextmanager
    def silent(address, on_progress):
        yield clock.ClockAddress((address, 9), "elsewhere")

    monkeypatch.setattr(running, "clock", silent)
    with pytest.raises(Problem, match=r"The race failed: TimeoutError: the driver's clock .* does not respond"):
        race_on(spark, "iceberg")


def test_nobody_there(spark):
    with pytest.raises(Problem, match="cannot be reached"):
        run_race(spark, Settings(server="http://127.0.0.1:9", api="iceberg"), SMALL)


# Of 2,400 operations one to five objects are undecided after one order, now and then none: it takes some more.
OUTCOMES = {
    "contradiction": (["--fault", "stale-read"], 1, "fail"),
    "consistent": ([], 0, "pass"),
    "undecided": (["--most-orders", "1", "--operations", "9600"], 1, "undecided"),
}


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_command_tells_each_outcome(spark, outcome, tmp_path, monkeypatch):
    """The terminal, the page and the JSON say what was proved, of what was not, and what to do then."""
    options, code, verdict = OUTCOMES[outcome]
    monkeypatch.setattr("lakeproof.commands.race.open_session", lambda *_: contextlib.nullcontext(spark))
    size = ["--clients", "60", "--operations", "2400", "--report", str(tmp_path)]
    api = "lance" if outcome == "undecided" else "iceberg"
    result = CliRunner().invoke(race_command, ["--api", api, *size, *options], standalone_mode=False)
    report = orjson.loads((tmp_path / "race.json").read_bytes())
    assert (result.return_value, report["verdict"]) == (code, verdict)
    headline = sentence(report)
    for text in (result.output, (tmp_path / "race.html").read_text()):
        assert headline in text
        assert ("--most-orders 10," in text) is (outcome == "undecided")
    assert bool(report["problems"]) is (outcome == "contradiction")
    assert bool(report["undecided"]) is (outcome == "undecided")
    for entry in report["undecided"]:
        assert entry["limit"] == 1
        assert 0 <= entry["explained"] < entry["operations"]
    for entry in report["undecided"][:MOST_PROBLEMS]:
        assert f"{entry['object']}: {entry['message']}" in result.output
