"""The engine over models: plans, orders of races, and the claims about what went wrong, on a model of two boxes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import pytest

from conformance.common.model.diagnosis import Observation, diagnose
from conformance.common.model.planning import effects, life, pairs, refusals, run, sequences
from conformance.common.model.races import explained, race_plan
from conformance.common.model.rows import (
    MISSING,
    Command,
    CommandCall,
    Model,
    ModelKind,
    ModelView,
    Precondition,
    Refusal,
    end,
)
from conformance.common.model.walks import walk
from conformance.history import OK, REFUSED, UNKNOWN, Event
from conformance.http.answers import Answer
from conformance.http.client import Client
from conformance.replay.subjects import in_address
from conformance.values.exchange import Exchange
from conformance.values.outcomes import Violation
from lakeproof import serve
from reference_server.context import Reply
from reference_server.faults import FAULTS, Call, Fault, Proceed
from tests.conformance.mutants import ROOT, TOKEN, judge

BOX, LID = "box", "lid"
KINDS = {BOX: ModelKind([("box 1",), ("box 2",)]), LID: ModelKind([("box 1",)], lambda id: [(BOX, id)])}


def box(on):
    return BOX, on


def lid(on):
    return LID, on


there = Precondition(box, "clause", "on a missing box")
taken = Refusal("taken", "twice", (409,), "clause", lambda state, on, _: state.has(box(on)))
closed = Refusal("closed", "under a lid", (400,), "clause", lambda state, on, _: state.has(lid(on)))
boxes: Any = partial(Command, clause="clause", on=KINDS[BOX].ids, send=None)
PUT = boxes(
    "put_box",
    "putBox",
    effect=lambda state, on, value: state.put(box(on), size=value),
    makes=box,
    refusals=[taken],
    values={"small": 1, "large": 2},
)
COVER = boxes(
    "cover", "cover", on=KINDS[LID].ids, effect=lambda state, on, _: state.put(lid(on)), makes=lid, needs=[there]
)
UNCOVER = boxes(
    "uncover", "uncover", on=KINDS[LID].ids, effect=lambda state, on, _: end(KINDS, state, lid(on)), needs=[there]
)
DROP = boxes(
    "drop_box",
    "dropBox",
    effect=lambda state, on, _: end(KINDS, state, box(on)),
    needs=[there],
    refusals=[closed],
)
NOT_SENT: Any = None
VIEW = ModelView("getBox", [BOX], KINDS[BOX].ids, lambda state, on: state.things.get(box(on), MISSING), NOT_SENT)
MODEL = Model("toy", KINDS, [PUT, COVER, UNCOVER, DROP], [VIEW], NOT_SENT)


def words(plan):
    return [str(call) for call in plan.calls]


def test_an_effect_is_seen_beside_another_thing_with_another_value():
    alone, plan = effects(MODEL, PUT)
    assert words(alone) == ["put_box(box 1, small)"]
    small, large = ["put_box(box 2, large)", "put_box(box 1, small)"], ["drop_box(box 1)", "put_box(box 1, large)"]
    assert words(plan) == [*small, *large]
    assert plan.subjects == {1, 3}


def test_what_stands_in_the_way_of_a_command_is_removed_first():
    _, plan = effects(MODEL, DROP)
    assert words(plan) == [
        "put_box(box 1, small)",
        "put_box(box 2, large)",
        "cover(box 1)",
        "uncover(box 1)",
        "drop_box(box 1)",
    ]


@pytest.mark.parametrize("name", ["missing", "closed"])
def test_a_refusal_has_one_reason_and_an_accepted_twin(name):
    later, *never = refusals(MODEL, DROP, name)
    *before, last = later.calls
    state = run(before, MODEL.start)
    assert [refusal.name for refusal in last.refusals(state)] == [name]
    assert any(call.command is DROP for call in before)
    assert [words(plan) for plan in never] == (
        [["put_box(box 2, large)", "drop_box(box 1)"]] if name == "missing" else []
    )


def test_a_thing_is_followed_when_it_is_new_and_when_it_was_made_again():
    (plan,) = sequences(MODEL, PUT, COVER)
    calls = words(plan)
    assert calls[:3] == ["put_box(box 2, large)", "put_box(box 1, large)", "cover(box 1)"]
    assert calls[-3:] == ["drop_box(box 1)", calls[-2], "cover(box 1)"]
    assert calls[-2].startswith("put_box(box 1")
    assert {2, len(calls) - 1} <= plan.subjects


MOVE = boxes(
    "move_box",
    "moveBox",
    on=[("box 1", "box 3"), ("box 2", "box 1")],
    effect=lambda state, on, _: end(KINDS, state, box(on[:1])).put(box(on[1:]), size=state.fields(box(on[:1]))["size"]),
    needs=[Precondition(lambda on: box(on[:1]), "clause", "of a missing box")],
    makes=lambda on: box(on[1:]),
    refusals=[Refusal("taken", "to another box", (409,), "clause", lambda state, on, _: state.has(box(on[1:])))],
)


def test_a_command_follows_where_it_takes_the_place_of_what_was_ended():
    kinds = {BOX: ModelKind([("box 1",), ("box 2",), ("box 3",)])}
    model = replace(MODEL, kinds=kinds, commands=[PUT, MOVE, DROP])
    (plan,) = sequences(model, DROP, MOVE)
    at = [place for place, call in enumerate(words(plan)) if call == "move_box(box 2, box 1)"]
    assert [words(plan)[place - 1] for place in at] == ["drop_box(box 1)"]
    assert {*at} <= plan.subjects


def test_one_command_stands_for_those_that_are_like_it():
    paint = boxes("paint", "changeBox", effect=lambda state, on, _: state.put(box(on), color="red"), needs=[there])
    label = replace(paint, id="label", effect=lambda state, on, _: state.put(box(on), label="new"), like="paint")
    model = replace(MODEL, commands=[PUT, paint, label, DROP])
    about = {(first.id, second.id) for first, second, _ in pairs(model) if "label" in (first.id, second.id)}
    assert about == {("label", "label"), ("label", "paint"), ("paint", "label")} & about
    assert ("paint", "label") in about
    assert {("paint", "drop_box"), ("drop_box", "paint")} <= {(a.id, b.id) for a, b, _ in pairs(model)}


def test_an_effect_is_seen_first_where_it_is_certain():
    wash = boxes(
        "wash",
        "washBox",
        effect=lambda state, on, _: state.put(box(on), clean=True),
        needs=[there],
        refusals=[
            Refusal("open", "without a lid", (400,), "clause", lambda s, on, _: not s.has(lid(on)), optional=True)
        ],
    )
    alone, _ = effects(replace(MODEL, commands=[*MODEL.commands, wash]), wash)
    assert words(alone) == ["put_box(box 1, small)", "cover(box 1)", "wash(box 1)"]


def test_a_walk_is_the_same_for_a_seed_and_leaves_out_commands():
    first, second = (walk(MODEL, 20, Random(3), {"cover"}) for _ in range(2))
    assert first == second
    assert len(first) == 20
    assert COVER not in {call.command for call in first}


def test_a_walk_leaves_out_refusals_by_their_names():
    reasons = {"put_box.taken", "cover.missing", "uncover.missing", "drop_box.missing"}
    state, refused = MODEL.start, []
    for one in walk(MODEL, 40, Random(3), reasons):
        refused += [refusal.name for refusal in one.refusals(state)]
        state = one.next(state)
    assert set(refused) == {"closed"}


GIVEN = Model(
    "given",
    {BOX: KINDS[BOX]},
    [
        boxes("fill", "fill", effect=lambda state, on, size: state.put(box(on), size=size), values={"a": 1, "b": 2}),
        boxes("empty", "empty", effect=lambda state, on, _: state.put(box(on), size=0)),
    ],
    [VIEW],
    NOT_SENT,
    {box(id): {"size": 0} for id in KINDS[BOX].ids},
)


def test_a_given_thing_that_holds_something_is_changed_by_each_command_once():
    (plan,) = life(GIVEN, BOX)
    assert words(plan) == ["fill(box 1, a)", "empty(box 1)"]
    assert plan.subjects == {0, 1}


def test_commands_that_change_a_given_thing_concern_each_other():
    things = [replace(command, names=lambda on: [box(on)]) for command in GIVEN.commands]
    assert [(first.id, second.id) for first, second, _ in pairs(replace(GIVEN, commands=things))] == [
        ("fill", "fill"),
        ("fill", "empty"),
        ("empty", "fill"),
    ]


def test_an_effect_is_not_tested_twice_where_nothing_is_beside_it():
    (plan,) = effects(GIVEN, GIVEN.commands[0])
    assert words(plan) == ["fill(box 1, a)", "fill(box 1, b)"]


# Races


def raced(*events):
    """Return the calls with their events: pairs of a call, an outcome, and optionally a start and an end."""
    return [
        (
            call,
            Event(number, str(call), (number,), None, start, end, outcome, None, (exchange(status),)),
        )
        for number, (call, outcome, status, start, end) in enumerate((*event, 0.0, 9.0)[:5] for event in events)
    ]


def exchange(status, operation="getBox"):
    return Exchange(operation, "GET", "http://localhost/", {}, b"", status=status)


def call(command, value="", on="box 1"):
    return CommandCall(command, (on,), value or next(iter(command.values)))


def test_two_creations_of_one_thing_cannot_both_be_done():
    assert explained(raced((call(PUT), OK, 201), (call(PUT, "large"), OK, 201)), MODEL.start) == []
    (final,) = explained(raced((call(PUT), REFUSED, 409), (call(PUT, "large"), OK, 201)), MODEL.start)
    assert final.fields(box(("box 1",))) == {"size": 2}


def test_a_refusal_needs_a_reason_or_a_conflict():
    drop = (call(DROP), REFUSED)
    state = call(PUT).after(MODEL.start)
    assert explained(raced((*drop, 404)), state) == []
    assert len(explained(raced((*drop, 409)), state)) == 1
    assert len(explained(raced((*drop, 404)), MODEL.start)) == 1


def test_a_call_without_an_answer_was_done_or_not():
    assert len(explained(raced((call(PUT), UNKNOWN, 0)), MODEL.start)) == 2


def test_an_order_follows_the_times():
    put, drop = (call(PUT), OK, 201), (call(DROP), REFUSED, 404)
    assert explained(raced((*put, 0.0, 1.0), (*drop, 2.0, 3.0)), MODEL.start) == []
    assert len(explained(raced((*put, 0.0, 3.0), (*drop, 2.0, 3.0)), MODEL.start)) == 1


def test_commands_that_do_not_contend_do_not_race():
    assert race_plan(MODEL, PUT, DROP)
    assert race_plan(MODEL, COVER, DROP)
    assert (
        race_plan(MODEL, PUT, Command("count", "count", "clause", [("box 2",)], None, lambda state, *_: state)) is None
    )


# Claims


class Touched(Client):
    """A client that keeps which exchange was marked."""

    def __init__(self) -> None:
        self.operation = ""

    def touch(self, exchange: Exchange, mark: str) -> None:
        self.operation = exchange.operation


def answered(status):
    """Return an answer to dropBox with a status."""
    return Answer(exchange(status, "dropBox"), lambda *_: None, NOT_SENT, lambda *_: None)


class Repeated:
    """Experiments with a given outcome: views that were wrong before the call, and whether an unread view is right."""

    def __init__(self, wrong_before=(), unread=False):
        self.wrong_before, self.unread = wrong_before, unread

    def right_before(self, looks):
        """Return the looks whose views were right before."""
        return [look for look in looks if look.view not in self.wrong_before]

    def right_if_unread(self, _):
        """Return whether an unread view is right."""
        return self.unread


def claim(*looks, status=204, repeated=None):
    """Return the operation at fault and the evidence for what was seen after dropBox."""
    client, answer = Touched(), answered(status)
    seen = [Observation(view, (), before, after, shown, exchange(200, view)) for view, before, after, shown in looks]
    with pytest.raises(Violation) as error:
        diagnose(client, call(DROP), answer, seen, repeated or Repeated())
    return client.operation, error.value.evidence


def test_a_write_that_all_views_contradict_did_nothing():
    operation, evidence = claim(("getBox", 1, "missing", 1), ("listBoxes", [1], [], [1]))
    assert (operation, evidence.state, evidence.write) == ("dropBox", "not done", "dropBox")
    assert "which did nothing" in evidence.thing


def test_a_view_that_differs_from_the_others_is_old():
    operation, evidence = claim(("getBox", 1, "missing", "missing"), ("listBoxes", [1], [], [1]))
    assert (operation, evidence.state, evidence.reader) == ("listBoxes", "old", "listBoxes")
    assert (evidence.expected, evidence.actual) == ("[]", "[1]")


@pytest.mark.parametrize(("unread", "at_fault", "state"), [(False, "dropBox", "not done"), (True, "listBoxes", "old")])
def test_a_single_view_is_at_fault_if_it_is_right_where_nobody_read_it_before(unread, at_fault, state):
    operation, evidence = claim(("listBoxes", [1], [], [1]), repeated=Repeated(unread=unread))
    assert (operation, evidence.state) == (at_fault, state)


@pytest.mark.parametrize("status", [204, 409])
def test_what_was_wrong_before_a_call_is_no_fault_of_it(status):
    operation, evidence = claim(("getBox", 1, 1, "missing"), status=status, repeated=Repeated(["getBox"]))
    assert (operation, evidence.state, evidence.write) == ("getBox", "earlier", "")


@pytest.mark.parametrize(
    ("seen", "how"), [([1], "lacks an entry"), ([1, 2, 2], "lists an entry twice"), ([1, 2, 3], "has another entry")]
)
def test_a_list_is_short_doubled_or_has_more(seen, how):
    operation, evidence = claim(("getBox", 1, "missing", "missing"), ("listBoxes", [1, 2], [1, 2], seen))
    assert (operation, how in evidence.thing) == ("listBoxes", True)
    assert evidence.state == {"lacks an entry": "short", "lists an entry twice": "doubled"}.get(how, "")


def test_a_write_that_changes_more_is_at_fault():
    looks = [("getBox", 1, "missing", "missing"), ("getBox", 2, 2, "missing"), ("listBoxes", [1, 2], [2], [])]
    operation, evidence = claim(*looks)
    assert (operation, evidence.state, evidence.reader) == ("dropBox", "half done", "getBox")
    operation, evidence = claim(looks[0], looks[1], ("countBoxes", 2, 2, 1))
    assert (operation, evidence.state, evidence.reader) == ("dropBox", "more done", "getBox")


def test_a_refused_write_that_changes_something_was_done():
    operation, evidence = claim(("getBox", 1, 1, "missing"), status=409)
    assert (operation, evidence.state) == ("dropBox", "done")


def test_nothing_is_claimed_of_views_that_agree():
    look = Observation("getBox", (), 1, "missing", "missing", exchange(404))
    diagnose(Touched(), call(DROP), answered(204), [look], None)


# A shared start


PAIRS = {f"polaris.after.{name}" for name in ("delete_principal.create_principal", "update_principal.delete_principal")}


def test_a_pair_that_fails_from_a_shared_start_is_tried_alone(tmp_path):
    fault = "said-only:deletePrincipal"
    with serve("polaris", bootstrap=ROOT, allow_faults=True) as server:
        sound = judge(server, tmp_path, ids=PAIRS)
        wrong = judge(server, tmp_path, ids=PAIRS, fault=fault)
    assert sound.run.left_behind == []
    assert {result.verdict for result in sound.requirements} == {"pass"}
    (found,) = (result for result in wrong.requirements if result.id.endswith("delete_principal"))
    assert (found.verdict, found.evidence.operation, found.evidence.state) == ("fail", "deletePrincipal", "not done")
    assert found.requests > max(result.requests for result in sound.requirements)
    assert [step.operation for step in found.steps].count("deletePrincipal") == 1


def test_a_finding_after_a_part_that_passed_from_a_shared_start_shows_what_made_its_home(tmp_path):
    ids = {"iceberg.refusal.rename_view.no_namespace"}
    with serve("iceberg", auth=f"token:{TOKEN}", allow_faults=True) as server:
        (found,) = judge(server, tmp_path, ids=ids, fault="rename-view-within", world="plain").requirements
    creations = [step for step in found.steps if step.operation == "createNamespace"]
    made = {step.request.body["json"]["namespace"][0] for step in creations}
    used = {in_address(step.request.url)[0] for step in found.steps if step.operation == "createView"}
    assert found.verdict == "fail"
    assert used <= made


def test_a_failure_that_does_not_show_alone_is_shown_as_it_was_seen(monkeypatch, tmp_path):
    """The server loses its third deletion, which is one of a pair from a shared start, and no other."""
    deletions = []

    async def around(call: Call, proceed: Proceed) -> Reply:
        deletions.append(call.path)
        return Reply(204) if len(deletions) == 3 else await proceed()

    lost = Fault("third-deletion-lost", "Loses one deletion.", frozenset({"deletePrincipal"}), around)
    monkeypatch.setitem(FAULTS, lost.name, lost)
    with serve("polaris", bootstrap=ROOT, allow_faults=True) as server:
        results = judge(server, tmp_path, ids={"polaris.after.delete_principal.create_principal"}, fault=lost.name)
    (found,) = results.requirements
    assert (found.verdict, found.flaky) == ("fail", True)
    assert results.run.left_behind == []


def test_a_failure_that_only_a_history_shows_is_shown_with_the_fewest_plans_and_stays(monkeypatch, tmp_path):
    """The server loses the deletion of a principal that was updated four times: the pair alone updates it less."""
    updates: Counter[str] = Counter()

    async def around(call: Call, proceed: Proceed) -> Reply:
        name = str(call.path)
        updates[name] += call.operation.id == "updatePrincipal"
        return Reply(204) if call.operation.id == "deletePrincipal" and updates[name] >= 4 else await proceed()

    lost = Fault("updated-stays", "Keeps what was updated.", frozenset({"updatePrincipal", "deletePrincipal"}), around)
    monkeypatch.setitem(FAULTS, lost.name, lost)
    ids = {f"polaris.after.update_principal.{second}_principal" for second in ("create", "update", "delete")}
    with serve("polaris", bootstrap=ROOT, allow_faults=True) as server:
        results = judge(server, tmp_path, ids=ids, fault=lost.name)
    (found,) = (result for result in results.requirements if result.verdict != "pass")
    assert (found.id, found.verdict) == ("polaris.after.update_principal.delete_principal", "fail")
    assert not found.flaky
    assert [step.operation for step in found.steps].count("updatePrincipal") >= 4


@pytest.mark.parametrize("api", ["iceberg", "lance"])
def test_requirements_go_on_in_a_home_that_lasts_and_is_dropped(api, tmp_path):
    ids = {f"{api}.after.create_namespace.{second}" for second in ("create_namespace", "drop_namespace")}
    with serve(api) as server:
        (alone,) = judge(server, tmp_path, ids={max(ids)}).requirements
        both = judge(server, tmp_path, ids=ids)
    assert {result.verdict for result in both.requirements} == {"pass"}
    assert both.run.left_behind == []
    assert next(result for result in both.requirements if result.id == alone.id).requests < alone.requests
    assert sum(both.run.purposes.values()) == both.run.requests
    assert all(both.run.purposes.values())
