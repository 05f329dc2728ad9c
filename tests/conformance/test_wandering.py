"""Requirements in drawn worlds: the smallest difference of a failure, its steps, and worlds that a server refuses."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from conformance.author.wandering import MOST_REQUESTS, Wandering
from conformance.target.surroundings import Surroundings
from conformance.target.target import Target
from conformance.values.outcomes import Blocked, Stopped, Violation
from conformance.values.worlds import Dimension
from lakeproof import serve
from tests.conformance.mutants import judge

DIMENSIONS = (
    Dimension("place", {"child": "", "root": "in the root"}),
    Dimension("state", {"new": "", "renamed": "for a renamed table"}),
    Dimension("form", {"smallest": "", "spelled": "with optional fields"}, always=True),
)
WORLD = {"place": "root", "state": "renamed", "form": "spelled"}
ID = "test.requirement"


class Server:
    """A server with a fault that needs some values of a world, and a requirement that asks for `asked` dimensions.

    `refuses` are values that it does not create, `fails_again` says whether the plain world fails when tried again.
    """

    def __init__(self, fault, asked=WORLD, refuses=(), fails_again=False, error=Violation):
        self.fault, self.asked, self.refuses, self.error = fault, asked, set(refuses), error
        self.fails_again = fails_again
        self.surroundings = Surroundings()
        self.client = SimpleNamespace(recording=SimpleNamespace(steps=[], cells=None), subjects=set())
        self.read_only = False
        self.tested = []
        self.wandering = Wandering(cast(Target, self), DIMENSIONS, {ID: [WORLD]})

    @property
    def guide(self):
        return SimpleNamespace(begin_example=lambda: None, enter_world=self._enter)

    def _enter(self):
        if self.refuses & set(self.surroundings.world.items()):
            raise Violation("the server refuses to create it")

    def attempt(self):
        world = {name: self.surroundings.value(name) for name in self.asked}
        met = {name: value for name, value in world.items() if value}
        self.tested.append(met)
        self.client.recording.steps = [f"in {met}"]
        if self.refuses & met.items():
            raise Blocked("the preparation was refused", "createTable")
        if any(part.items() <= met.items() for part in self.fault) or (self.fails_again and not met):
            raise self.error(f"it fails in {met}")

    def run(self, sent=3, *, twin=False):
        """Return the error in the drawn world, None if the requirement passes."""
        self.wandering.begin(twin=twin)
        try:
            self.wandering.run(ID, self.attempt, [self.guide], sent)
        except Violation as error:
            return str(error)
        return None


@pytest.mark.parametrize(
    ("fault", "smallest"),
    [
        ([{"state": "renamed"}], {"state": "renamed"}),
        ([{"place": "root"}], {"place": "root"}),
        ([{"form": "spelled"}], {"form": "spelled"}),
        ([{"place": "root", "form": "spelled"}], {"place": "root", "form": "spelled"}),
        ([WORLD], WORLD),
    ],
)
def test_a_failure_is_told_by_the_values_that_it_needs(fault, smallest):
    server = Server(fault)
    assert server.run() == f"it fails in {smallest}"
    assert server.wandering.failed == smallest
    assert server.client.recording.steps == [f"in {smallest}"]


def test_a_failure_that_is_not_narrowed_is_told_by_all_values():
    server = Server([{"state": "renamed"}])
    server.wandering.narrows = False
    assert server.run() == f"it fails in {WORLD}"
    assert server.wandering.failed == WORLD


def test_of_two_values_that_each_suffice_one_is_told():
    server = Server([{"place": "root"}, {"state": "renamed"}])
    server.run()
    assert server.wandering.failed in ({"place": "root"}, {"state": "renamed"})
    assert server.client.recording.steps == [f"in {server.wandering.failed}"]


def test_a_value_that_the_requirement_does_not_meet_is_not_blamed():
    server = Server([{"state": "renamed"}], asked=("state",))
    assert server.run() == "it fails in {'state': 'renamed'}"
    assert server.wandering.failed == {"state": "renamed"}


def test_a_requirement_that_passes_in_its_world_is_tested_there_once():
    server = Server([])
    assert (server.run(), server.wandering.failed, server.tested) == (None, {}, [WORLD])


def test_a_failure_that_the_plain_world_shows_when_tried_again_is_told_without_a_world():
    server = Server([{"state": "renamed"}], fails_again=True)
    assert server.run() == "it fails in {}"
    assert server.wandering.failed == {}
    assert server.client.recording.steps == ["in {}"]


def test_what_a_server_does_not_create_is_no_finding():
    server = Server([{"state": "renamed"}], refuses=[("state", "renamed")])
    assert (server.run(), server.wandering.failed) == (None, {})
    assert server.surroundings.refused <= {("state", "renamed")}


@pytest.mark.parametrize(
    ("twin", "by", "told"),
    [
        (True, "createTable", "createTable: expected 200, got 400"),
        (True, "createNamespace", None),  # the requirement is not about it
        (False, "createTable", None),  # of a requirement about refusals, say, whose valid request is refused
    ],
)
def test_a_subject_that_is_refused_while_a_twin_prepares_is_a_finding(twin, by, told):
    def blocked(_text):
        error = Blocked("createTable: expected 200, got 400", by)
        error.__cause__ = Violation("createTable: expected 200, got 400")
        return error

    server = Server([{"state": "renamed"}], error=blocked)
    server.client.subjects = {"createTable"}
    assert server.run(twin=twin) == told
    assert server.wandering.failed == ({"state": "renamed"} if told else {})


@pytest.mark.parametrize(("status", "told"), [("400", None), ("500", "createTable: expected 200, got 500")])
def test_a_server_that_fails_at_what_a_world_needs_refuses_nothing(status, told):
    def failing():
        error = Blocked("createTable failed", "createTable")
        error.__cause__ = Violation(
            "", operation="createTable", relation="status", expected="200", actual=status, aspect="status"
        )
        return error

    def attempt():
        if server.surroundings.value("state"):
            raise failing()

    server = Server([])
    server.attempt = server._enter = attempt
    server.client.subjects = {"createTable"}
    assert server.run(twin=True) == told
    assert server.surroundings.refused == (set() if told else {("state", "renamed")})


def test_the_rest_of_a_world_is_tested_where_a_part_is_refused():
    server = Server([{"place": "root"}], refuses=[("state", "renamed")])
    assert server.run() == "it fails in {'place': 'root'}"
    assert server.surroundings.refused == {("state", "renamed")}


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ({"place": "root", "state": "renamed"}, None),  # of a server with few levels of namespaces, say
        ({"place": "root"}, {"place": "root"}),
        ({"state": "renamed"}, {"state": "renamed"}),  # which is left out, and tested alone
        ({"form": "spelled"}, {"form": "spelled"}),
    ],
)
def test_values_that_a_server_creates_one_by_one_alone_are_not_tested_together(fault, told):
    server = Server([fault])

    def enter():
        if {"place", "state"} <= server.surroundings.world.keys():
            raise Violation("the server refuses to create it")

    server._enter = enter
    assert server.run() == (f"it fails in {told}" if told else None)
    assert server.wandering.failed == (told or {})
    assert server.surroundings.refused == set()


def test_a_form_that_every_server_must_accept_is_never_refused():
    server = Server([{"form": "spelled"}], refuses=[("place", "root"), ("state", "renamed"), ("form", "spelled")])
    server.refuses.discard(("form", "spelled"))
    assert server.run() == "it fails in {'form': 'spelled'}"
    assert ("form", "spelled") not in server.surroundings.refused


def test_a_requirement_that_cannot_be_tested_in_its_world_passes():
    server = Server([{"state": "renamed"}], error=lambda text: Blocked(text, "createTable"))
    assert (server.run(), server.wandering.failed) == (None, {})


def test_what_cannot_be_prepared_in_a_whole_world_is_tested_with_each_value():
    server = Server([{"state": "renamed"}], asked=("state", "form"))
    attempt = server.attempt

    def alone():
        if len(server.surroundings.world) > 1:
            raise Blocked("the preparation was refused", "createTable")
        attempt()

    server.attempt = alone
    assert server.run() == "it fails in {'state': 'renamed'}"
    assert server.wandering.failed == {"state": "renamed"}


def test_the_end_of_the_run_ends_the_test_in_a_world():
    server = Server([WORLD], error=lambda text: Stopped(text, "loadTable"))
    server.wandering.begin()
    with pytest.raises(Stopped):
        server.wandering.run(ID, server.attempt, [], 3)
    assert server.tested == [WORLD]


def test_requirements_with_many_requests_and_read_only_runs_stay_in_the_plain_world():
    server = Server([WORLD])
    assert server.run(sent=MOST_REQUESTS + 1) is None
    server.read_only = True
    assert server.run() is None
    assert server.tested == []


def test_a_twin_is_tested_in_its_worlds_however_many_requests_it_needs():
    server = Server([WORLD])
    server.run(sent=MOST_REQUESTS + 1, twin=True)
    assert server.tested[:1] == [WORLD]


def test_a_requirement_starts_without_the_failure_of_the_one_before():
    server = Server([WORLD])
    server.run()
    assert server.wandering.failed == WORLD
    server.wandering.begin()
    assert server.wandering.failed == {}


# The same on a server with a fault in one world.

ID_OF_LOAD = "iceberg.table.load.again"


@pytest.fixture(scope="module")
def iceberg():
    with serve("iceberg", allow_faults=True) as server:
        yield server


def loaded(server, folder, fault, *world):
    (result,) = judge(server, folder, fault=fault, ids={ID_OF_LOAD}, world=world).requirements
    return result


def test_a_fault_for_renamed_tables_is_told_as_one(iceberg, tmp_path):
    result = loaded(iceberg, tmp_path, "missing-in-world:loadTable:state=renamed", "state=renamed", "names=dot")
    assert result.verdict == "fail"
    assert result.message.endswith(" (only for a renamed table)")
    assert (dict(result.evidence.world), result.evidence.only) == ({"state": "renamed"}, "only for a renamed table")
    sent = [step.operation for step in result.steps]
    assert sent[-1] == "loadTable"
    assert "renameTable" in sent
    assert [step for step in result.steps if ".b" in str(step.request)] == []


def test_a_name_that_a_server_refuses_is_no_finding(iceberg, tmp_path):
    result = loaded(iceberg, tmp_path, "refused-in-world:createTable:names=dot", "names=dot")
    assert (result.verdict, result.evidence) == ("pass", None)


def test_a_fault_without_a_world_is_told_without_one(iceberg, tmp_path):
    result = loaded(iceberg, tmp_path, "lost-answer-field:loadTable:metadata", "state=renamed")
    assert (result.verdict, result.evidence.world) == ("fail", ())
    assert "only" not in result.message
