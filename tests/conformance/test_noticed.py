"""Stored measurements: files, patterns, and the requirements that notice a fault."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from fnmatch import fnmatchcase

import pytest

from conformance.apis import requirements
from conformance.values.results import Result
from conformance.values.settings import Settings
from lakeproof import serve
from mutants import measuring
from mutants.measuring import Measuring
from mutants.mutation import Likely, Shown, near, show, who_meets
from mutants.noticed import (
    compress,
    excuse,
    faults_noticed_by,
    matching,
    read_excused,
    read_noticed,
    write_noticed,
)
from reference_server.derived_faults import derived_faults
from reference_server.faults import find_fault
from reference_server.faults_in_worlds import world_faults
from specs.apis import apis
from specs.profiles import profiles

IDS = {"a.tag.get.one", "a.tag.get.two", "a.tag.list", "a.row.get"}
FAULT = "lost-answer-field:DescribeTable:location"


def test_what_is_written_is_read_again(tmp_path):
    noticed = {"late": ("a.b.*",), FAULT: tuple(f"a.{'long' * 5}.{number}" for number in range(9))}
    write_noticed(tmp_path / "noticed.toml", noticed)
    assert read_noticed(tmp_path / "noticed.toml") == noticed
    assert read_noticed(tmp_path / "other.toml") == {}


def test_patterns_name_these_ids_and_no_others():
    assert compress({"a.tag.get.one", "a.tag.get.two"}, IDS) == ["a.tag.get.*"]
    assert compress({"a.tag.get.one"}, IDS) == ["a.tag.get.one"]
    assert compress(IDS - {"a.row.get"}, IDS) == ["a.tag.*"]
    for some in ({"a.tag.get.one", "a.row.get"}, IDS, set()):
        assert matching(compress(some, IDS), IDS) == some


def test_a_requirement_tells_the_faults_that_it_notices():
    noticed: dict[str, tuple[str, ...]] = {"y": ("a.tag.*",), "x": ("a.tag.list",), "z": ("a.row.*",)}
    assert faults_noticed_by("a.tag.list", noticed) == ["x", "y"]


@pytest.mark.parametrize("api", apis())
def test_what_is_excused_is_a_fault_and_has_a_reason(api):
    documents = [profile.document() for profile in profiles().values() if profile.api == api]
    derived = {fault.name for document in documents for fault in (*derived_faults(document), *world_faults(document))}
    for pattern, why in read_excused(api).items():
        assert why.endswith(".")
        assert any(fnmatchcase(name, pattern) for name in derived), pattern


def test_an_excuse_is_for_faults_of_its_pattern():
    excused = {"ignored-argument:*:context": "It is open."}
    assert excuse("ignored-argument:DescribeTable:context", excused) == "It is open."
    assert excuse("ignored-argument:DescribeTable:version", excused) == ""


@pytest.fixture(scope="module")
def measured():
    """A server that is asked to misbehave, and settings that test it."""
    with serve("lance", storage="memory:pure", allow_faults=True) as server:
        yield server, Settings(api="lance", server=server.url)


def test_who_notices_a_fault_is_measured(measured):
    _, settings = measured
    ids = ["lance.table.describe.name", "lance.table.describe.location", "lance.table.describe.uri"]
    assert set(ids) < near("lance", {"DescribeTable"})
    (shown,) = show(settings, {FAULT: [ids]})
    assert set(shown.noticed_by) == {"lance.table.describe.location"}
    assert len(shown.results) == len(ids)
    assert show(settings, {FAULT: [[]]}) == [Shown(FAULT, (), [], 0.0)]


def test_many_faults_are_shown_in_one_run_until_they_are_noticed(measured):
    _, settings = measured
    ids = ["lance.table.describe.location", "lance.table.describe.name"]
    other = "lost-answer-field:DescribeTable:table"
    first, second, third = show(settings, {FAULT: [ids], other: [ids[:1], ids[1:]], "slow:0": [ids]}, first=True)
    assert (set(first.noticed_by), len(first.results)) == ({ids[0]}, 1)
    assert (set(second.noticed_by), len(second.results)) == ({ids[1]}, 2)
    assert (third.noticed_by, len(third.results)) == ({}, 2)


def test_a_fault_in_one_world_is_shown_first_in_this_one(measured):
    _, settings = measured
    fault = "failing-in-world:DescribeTable:names=underscore"
    (shown,) = show(settings, {fault: [["lance.table.describe.name", "lance.life.table"]]}, first=True)
    (result,) = shown.results
    assert (result.id, result.verdict, len(result.worlds)) == ("lance.life.table", "fail", 1)
    assert ("names", "underscore") in result.evidence.world


def test_a_server_that_cannot_be_looked_at_is_noticed_by_all(measured):
    _, settings = measured
    ids = ["lance.table.describe.location"]
    (shown,) = show(replace(settings, server="http://127.0.0.1:1"), {FAULT: [ids]})
    assert (shown.results, shown.noticed_by) == (None, dict.fromkeys(ids, 1))


def test_what_noticed_a_fault_of_a_kind_is_asked_first_and_what_takes_long_last():
    likely = Likely()
    ids = ["lance.race.create_table", "lance.table.describe.name", "lance.table.describe.uri", "lance.tag.get.missing"]
    assert likely.order(FAULT, ids) == [ids[1], ids[2], ids[3], ids[0]]
    likely.learn(
        Shown(
            "lost-answer-field:GetTableTagVersion:version",
            (),
            [Result.of(requirements("lance")[ids[3]], "fail", "It differs.")],
            0.0,
        )
    )
    assert likely.order(FAULT, ids)[0] == ids[3]
    assert likely.order("short-list:ListNamespaces:namespaces", ids)[0] == ids[1]


def test_who_meets_a_fault_is_seen_on_a_server_without_it(measured):
    server, settings = measured
    ids = {"lance.table.describe.location", "lance.namespace.list.root"}
    never = "other-status:DescribeTable:429"
    with server.watched(map(find_fault, [FAULT, never])) as watch:
        meeting = who_meets(settings, ids, watch.take)
    assert meeting == {FAULT: ["lance.table.describe.location"]}


@pytest.mark.parametrize("jobs", [1, 2])
def test_faults_are_measured_by_processes(jobs, monkeypatch):
    monkeypatch.setattr(measuring, "BATCH", 1)
    faults = ["other-status:RenameTable:404", "other-error:RenameTable:404", "other-status:RenameTable:429"]
    measured = {mutant.fault: mutant for mutant in Measuring("lance", jobs=jobs).measure(faults)}
    assert [len(measured[fault].noticed_by) for fault in faults] == [1, 1, 0]
    assert [measured[fault].reached for fault in faults] == [True, True, False]


@pytest.fixture
def weak(monkeypatch):
    """Two requirements of the suite, of which the second fails whatever is asked of the server that is measured."""
    ids = ["lance.namespace.create.conflict", "lance.refusal.create_tag.taken"]

    @contextmanager
    def served(api):
        with serve(api, storage="memory", allow_faults=True, faults=["other-status:CreateTableTag:409"]) as server:
            yield measuring.Bench(Settings(api=api, server=server.url), server)

    monkeypatch.setattr(measuring, "_served", served)
    monkeypatch.setattr(measuring, "near", lambda _api, _operations: set(ids))
    monkeypatch.setattr(measuring, "judging", lambda api: {name: requirements(api)[name] for name in ids})
    measuring.of_process.cache_clear()
    yield ids
    measuring.of_process.cache_clear()


@pytest.mark.parametrize("asked", [measuring.FIRST, measuring.KNOWN, measuring.ALL])
@pytest.mark.parametrize(
    ("fault", "noticed"), [("conflict-as-unsupported", True), ("other-status:CreateTableTag:404", False)]
)
def test_what_fails_without_a_fault_notices_none(weak, asked, fault, noticed):
    """The fault that the second requirement seems to notice, since it always fails, survives."""
    good, failing = weak
    measuring = Measuring("lance", asked)
    (mutant,) = measuring.measure([fault])
    assert set(mutant.noticed_by) == ({good} if noticed else set())
    assert failing not in mutant.noticed_by
    assert measuring.failing <= {failing}
