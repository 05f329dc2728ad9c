"""What is kept of measurements: files, patterns, and who notices a fault."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest

from conformance.mutants.mutation import first_to_notice, near, noticed_by
from conformance.mutants.noticed import (
    compress,
    excuse,
    faults_noticed_by,
    matching,
    read_excused,
    read_noticed,
    write_noticed,
)
from conformance.settings import load_settings
from lakeproof import serve
from reference_server.derived_faults import derived_faults
from specs.apis import apis
from specs.profiles import find_profile

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
    noticed = {"y": ("a.tag.*",), "x": ("a.tag.list",), "z": ("a.row.*",)}
    assert faults_noticed_by("a.tag.list", noticed) == ["x", "y"]


@pytest.mark.parametrize("api", apis())
def test_what_is_excused_is_a_fault_and_has_a_reason(api):
    derived = [fault.name for fault in derived_faults(find_profile(api).document())]
    for pattern, why in read_excused(api).items():
        assert why.endswith(".")
        assert any(fnmatchcase(name, pattern) for name in derived), pattern


def test_an_excuse_is_for_faults_of_its_pattern():
    excused = {"ignored-argument:*:context": "It is open."}
    assert excuse("ignored-argument:DescribeTable:context", excused) == "It is open."
    assert excuse("ignored-argument:DescribeTable:version", excused) == ""


def test_who_notices_a_fault_is_measured(tmp_path):
    ids = {"lance.table.describe.location", "lance.table.describe.name"}
    assert ids < near("lance", {"DescribeTable"})
    with serve("lance", storage="memory:pure", allow_faults=True) as server:
        settings = load_settings({"server": server.url, "api": "lance"}, environ={}, folder=tmp_path)
        assert set(noticed_by(settings, FAULT, ids)) == {"lance.table.describe.location"}
        assert server.reached == {FAULT}
        assert noticed_by(settings, FAULT, []) == {}
        assert set(first_to_notice(settings, FAULT, ids, lambda: True)) == {"lance.table.describe.location"}


def test_a_fault_that_changes_nothing_is_given_up(tmp_path):
    fault = "other-status:DescribeTable:429"
    with serve("lance", storage="memory:pure", allow_faults=True) as server:
        settings = load_settings({"server": server.url, "api": "lance"}, environ={}, folder=tmp_path)
        assert first_to_notice(settings, fault, {"lance.table.describe.name"}, lambda: fault in server.reached) == {}
        assert server.reached == frozenset()
