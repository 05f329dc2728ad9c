"""The judges of histories: what they must find, and histories of which they must not complain."""

from __future__ import annotations

import math
import random

import pytest

from conformance.history import OK, REFUSED, UNKNOWN, Event, judge_history, judge_object
from conformance.history.judging import JUDGES, SEARCHING_JUDGES
from spark_tests.races.records import Record
from spark_tests.races.words import describe
from tests.conformance.orders import MODELS, explained, histories

CHAIN, PAIR, NAME, RING, BATCH, REGISTER = (
    (kind, 0) for kind in ("chain", "pair", "name", "ring", "batch", "register")
)


def commit(base, token, start, end, outcome=OK, result=None, key=CHAIN):
    return Event(1, "commit", key, (base, token), start, end, outcome, result)


def read(result, start, end, key=CHAIN, value=None):
    return Event(2, "read", key, value, start, end, OK, result)


def move(slot, start, end, outcome=OK, key=NAME, result=None):
    return Event(1, ("create", "drop", "rename")[slot], key, slot, start, end, outcome, result)


def messages(key, *events):
    return [contradiction.message for contradiction in judge_object(key, events).contradictions]


def test_chain_in_order():
    assert not messages(
        CHAIN,
        commit(0, "a", 0, 1, result=(1, "a")),
        commit(0, "b", 0, 1, REFUSED),
        commit(1, "c", 2, math.inf, UNKNOWN),
        read((1, "a"), 2, 3),
        read((2, "c"), 4, 5),
        commit(2, "d", 6, 7, result=(3, "d")),
        read((3, None), 8, 9),
    )


BROKEN_CHAINS = {
    "lost update": (
        [commit(0, "a", 0, 1), commit(0, "b", 0, 1)],
        "2 commits on version 0 were acknowledged: one is lost",
    ),
    "another's answer": (
        [commit(0, "a", 0, 1, result=(1, "b"))],
        "a commit on version 0 returned the result of another commit",
    ),
    "stale": ([commit(0, "a", 0, 1), read((0, None), 2, 3)], "version 0 was read after version 1 was created"),
    "refused and done": (
        [commit(0, "a", 0, 1, REFUSED), read((1, "a"), 2, 3)],
        "version 1 exists, but its commit was rejected",
    ),
    "refused and done, seen by number": (
        [commit(0, "a", 0, 1, REFUSED), read((1, None), 2, 3)],
        "version 1 exists, but its commits were rejected",
    ),
    "from nowhere": ([read((1, "a"), 2, 3)], "version 1 exists, but no client committed it"),
    "replaced": (
        [commit(0, "a", 0, 1), commit(0, "b", 0, math.inf, UNKNOWN), read((1, "b"), 2, 3)],
        "version 1 differs between clients",
    ),
    "too early": (
        [read((1, "a"), 0, 1), commit(0, "a", 2, 3)],
        "version 1 existed before any client began to create it",
    ),
    "back, though nobody was answered": (
        [commit(0, "a", 0, math.inf, UNKNOWN), read((1, "a"), 2, 3), read((0, None), 4, 5)],
        "version 0 was read after version 1 was read",
    ),
    "acknowledged on what was gone": (
        [commit(0, "a", 0, 1), commit(1, "b", 2, math.inf, UNKNOWN), read((2, "b"), 3, 4), commit(1, "c", 5, 6)],
        "version 1 accepted a commit after version 2 was read",
    ),
    "where it was not made": (
        [commit(0, "a", 0, 1), commit(1, "b", 2, 3), read((2, "a"), 4, 5)],
        "version 2 holds the commit on version 0",
    ),
}


@pytest.mark.parametrize("case", BROKEN_CHAINS)
def test_broken_chain(case):
    events, message = BROKEN_CHAINS[case]
    assert message in messages(CHAIN, *events)


def test_read_that_overlaps_a_commit_may_see_either():
    for version in (0, 1):
        assert not messages(CHAIN, commit(0, "a", 0, 2, result=(1, "a")), read((version, None), 1, 3))


def both(base, other, start, end, outcome=OK):
    return Event(1, "commit", PAIR, ((base, f"{start}a"), (other, f"{start}b")), start, end, outcome)


def half(which, version, start, end, token=None, key=PAIR):
    return read((version, token), start, end, key, which)


def test_pair_in_order():
    history = [
        both(0, 0, 0, 1),
        half(0, 1, 2, 3, "0a"),
        half(1, 1, 2, 3, "0b"),
        both(1, 1, 4, 5),
        half(1, 2, 6, 7, "4b"),
    ]
    assert not messages(PAIR, *history)
    assert not messages(PAIR, both(0, 0, 0, 5), half(0, 1, 1, 2), half(1, 0, 1.5, 3)), "they overlap"


BROKEN_PAIRS = {
    "one half of what was refused": (
        [both(0, 0, 0, 1, REFUSED), half(0, 1, 2, 3, "0a")],
        "version 1 exists, but its commit was rejected",
    ),
    "one half of what was acknowledged": (
        [both(0, 0, 0, 1), half(1, 0, 2, 3)],
        "version 0 was read after version 1 was created",
    ),
    "one half while it is done": (
        [both(0, 0, 0, 9), half(0, 1, 2, 3), half(1, 0, 4, 5)],
        "one table has version 0 after the other had version 1: they only change together",
    ),
    "one half of what nobody answered": (
        [both(0, 0, 0, math.inf, UNKNOWN), half(1, 1, 2, 3), half(0, 0, 4, 5)],
        "one table has version 0 after the other had version 1: they only change together",
    ),
    "halves of two": (
        [
            both(0, 0, 0, math.inf, UNKNOWN),
            both(0, 0, 1, math.inf, UNKNOWN),
            half(0, 1, 2, 3, "0a"),
            half(1, 1, 2, 3, "1b"),
        ],
        "version 1 comes from different transactions in the two tables",
    ),
    "on what never was": (
        [both(0, 0, 0, 1), both(0, 1, 2, 3)],
        "a transaction on versions 0 and 1 was acknowledged, but the tables never had these versions",
    ),
}


@pytest.mark.parametrize("case", BROKEN_PAIRS)
def test_broken_pair(case):
    events, message = BROKEN_PAIRS[case]
    assert message in messages(PAIR, *events)


def test_cycles():
    assert not messages(NAME, move(0, 0, 1), move(1, 2, 3), move(0, 4, 5), move(0, 4, 5, REFUSED))
    assert not messages(NAME, move(0, 0, 1), move(1, 2, math.inf, UNKNOWN), move(0, 4, 5))
    assert messages(NAME, move(0, 0, 1), move(0, 0, 1)) == [
        "create was acknowledged, but by the other answers the object cannot have been free"
    ]
    assert messages(NAME, move(1, 0, 1))
    assert messages(NAME, move(0, 0, 1), move(0, 4, 5), move(1, 6, 7)), "the way back came too late"
    assert not messages(RING, *(move(turn % 3, turn, turn + 0.5, key=RING) for turn in range(7)))
    assert messages(RING, move(0, 0, 1, key=RING), move(2, 2, 3, key=RING))


def test_refusal_says_where_it_is():
    taken = move(0, 2, 3, REFUSED, result="exists")
    assert not messages(NAME, move(0, 0, 1), taken)
    assert not messages(NAME, move(0, 0, math.inf, UNKNOWN), taken)
    assert messages(NAME, taken) == ["create was rejected, but by the other answers the object was free all the time"]
    assert not messages(NAME, move(0, 2, 3, REFUSED)), "a refusal for another reason says nothing"
    assert messages(NAME, move(0, 0, 1), move(1, 2, 3, REFUSED, result="missing"))
    assert not messages(NAME, move(0, 0, 4), move(1, 2, 3, REFUSED, result="missing"))


def test_lost_answer_explains_one_move_only():
    """A drop that nobody answered lets a name be taken once more, not twice."""
    lost = move(1, 1, math.inf, UNKNOWN)
    assert not messages(NAME, move(0, 0, 1), lost, move(0, 4, 5))
    assert messages(NAME, move(0, 0, 1), lost, move(0, 4, 5), move(0, 6, 7))


def test_what_is_shown_of_a_cycle_is_what_contradicts():
    others = [move(turn % 2, turn, turn + 0.5) for turn in range(40)]
    first, second = move(0, 41, 42), move(0, 43, 44)
    (contradiction,) = judge_object(NAME, [*others, first, second]).contradictions
    assert contradiction.events == (first, second)


def test_batch():
    def tried(number, outcome=OK, result=None, start=0, end=1):
        return Event(number, "commit", BATCH, (0, number), start, end, outcome, result)

    made, other = tried(1), tried(2, REFUSED, "exists")
    assert not messages(BATCH, made, other, half(0, 1, 2, 3, key=BATCH), half(1, 1, 2, 3, key=BATCH))
    assert messages(BATCH, made, tried(2)) == ["2 batches that declare the same tables were acknowledged"]
    assert messages(BATCH, made, half(1, 0, 2, 3, key=BATCH)) == ["version 0 was read after version 1 was created"]
    assert messages(BATCH, other) == ["version 1 exists, but its commits were rejected"]
    assert not messages(BATCH, tried(1, REFUSED)), "a conflict is no reason to believe that it is there"
    slow = tried(1, end=9)
    assert messages(BATCH, slow, half(0, 1, 2, 3, key=BATCH), half(1, 0, 4, 5, key=BATCH)) == [
        "one table has version 0 after the other had version 1: they only change together"
    ]


@pytest.mark.parametrize("kind", MODELS)
def test_judges_are_exact(kind):
    """A judge agrees with a search through all orders of a small history."""
    judged = [(events, explained(events, kind), judge_object((kind, 0), events)) for events in histories(kind, 1500)]
    assert {explainable for _, explainable, _ in judged} == {True, False}
    for events, explainable, judgement in judged:
        assert judgement.outcome == ("consistent" if explainable else "contradiction"), events
        for contradiction in judgement.contradictions:
            assert contradiction.events
            assert [event for event in contradiction.events if not describe(event)] == []


def test_every_kind_is_compared_with_trying_every_order():
    assert set(MODELS) == {*JUDGES, *SEARCHING_JUDGES}


def test_register():
    def put(value, start, end, outcome=OK):
        return Event(1, "set", REGISTER, value, start, end, outcome)

    assert not messages(REGISTER, put(1, 0, 1), read(1, 2, 3, REGISTER), put(2, 4, 5), read(2, 6, 7, REGISTER))
    assert messages(REGISTER, put(1, 0, 1), put(2, 2, 3), read(1, 4, 5, REGISTER))
    again = Event(1, "repeat", REGISTER, 1, 3.2, 3.8, OK)
    (contradiction,) = judge_object(
        REGISTER, [put(1, 0, 1), put(2, 2, 3), again, read(1, 4, 5, REGISTER)]
    ).contradictions
    assert (
        contradiction.message == "1 was read after 2 overwrote it: the repeated request with its key was executed again"
    )
    assert again in contradiction.events
    assert messages(
        REGISTER,
        put(1, 0, 1, UNKNOWN),
        put(2, 0, 1, UNKNOWN),
        *(read(1 + turn % 2, turn, turn + 0.5, REGISTER) for turn in range(2, 5)),
    )
    late = put(1, 0, math.inf, UNKNOWN)
    assert not messages(REGISTER, late, put(2, 2, 3), read(1, 4, 5, REGISTER)), "it may have come about at any time"


def test_what_nobody_answered_has_no_end():
    record = Record("host", 1, "set", REGISTER, 1, None, 1.0, 2.0, 0.25, 0)
    assert (record.event().start, record.event().end) == (0.75, math.inf)


@pytest.mark.parametrize("seed", range(30))
def test_correct_catalog_is_never_blamed(seed):
    """Clients of a catalog that does each operation at a moment of its own, seen with any delay."""
    choose = random.Random(seed)
    version, owner, slot, register = 0, None, 0, None
    histories = {CHAIN: [], NAME: [], REGISTER: []}
    for step in range(300):
        start, end = step - choose.random() * 8, step + choose.random() * 8
        answered = choose.random() > 0.1
        kind = choose.choice(list(histories))
        if kind == CHAIN and choose.random() < 0.5:
            base = max(0, version - choose.choice((0, 0, 1)))
            done = base == version
            if done:
                version, owner = version + 1, step
            outcome = (OK if done else REFUSED) if answered else UNKNOWN
            result = (base + 1, step) if outcome == OK else None
            histories[CHAIN].append(commit(base, step, start, end if answered else math.inf, outcome, result))
        elif kind == CHAIN:
            histories[CHAIN].append(read((version, owner), start, end))
        elif kind == NAME:
            wanted = choose.randrange(2)
            done = wanted == slot
            slot = 1 - slot if done else slot
            outcome = (OK if done else REFUSED) if answered else UNKNOWN
            histories[NAME].append(move(wanted, start, end if answered else math.inf, outcome))
        elif choose.random() < 0.5:
            register = step
            outcome = OK if answered else UNKNOWN
            histories[REGISTER].append(Event(1, "set", REGISTER, step, start, end if answered else math.inf, outcome))
        else:
            histories[REGISTER].append(read(register, start, end, REGISTER))
    for key, events in histories.items():
        assert not messages(key, *sorted(events, key=lambda event: event.start))


@pytest.mark.parametrize("seed", range(10))
def test_forgetful_catalog_is_blamed(seed):
    """A catalog that now and then shows an old state, or lets two commits through, does not get away with it."""
    choose = random.Random(seed)
    version, events = 0, []
    for step in range(0, 400, 2):
        base = version - 1 if version and choose.random() < 0.05 else version
        events.append(commit(base, step, step, step + 0.5))
        version = base + 1
        events.append(read((version, step), step + 1, step + 1.5))
    assert messages(CHAIN, *events)


def test_search_that_is_given_up_is_undecided():
    """Lost moves of a ring leave many orders; with too few of them to follow the judge says so, and where."""
    choose = random.Random(3)
    lost = [move(number % 3, number, math.inf, UNKNOWN, RING) for number in range(12)]
    done = [move(choose.randrange(3), 10 + turn, 13 + turn, OK, RING) for turn in range(6)]
    judgement = judge_object(RING, [*lost, *done], 1)
    assert (judgement.outcome, judgement.contradictions) == ("undecided", ())
    assert str(judgement.undecided) == "undecided: after 1 of 18 operations more than 1 orders were possible"
    assert judge_object(RING, [*lost, *done]).outcome == "consistent"


def test_objects_are_judged_by_themselves():
    other = ("name", 1)
    history = [move(0, 0, 1), move(0, 2, 3, key=other), move(0, 4, 5)]
    outcomes = {judgement.key: judgement.outcome for judgement in judge_history(history)}
    assert outcomes == {NAME: "contradiction", other: "consistent"}


@pytest.mark.parametrize("seed", range(5))
def test_large_sums_of_equal_amounts_are_always_decided(seed):
    """As many increments as the deepest race of the suite has on one counter, half of them without an answer."""
    choose = random.Random(seed)
    key, total, history = ("sum", 0), 0, []
    for moment in range(400):
        start, end = moment - choose.random() * 16, moment + choose.random() * 16
        if choose.random() < 0.5:
            history.append(Event(1, "read", key, None, start, end, OK, total))
        elif choose.random() < 0.5:
            history.append(Event(1, "increment", key, 1, start, math.inf, UNKNOWN))
            total += choose.random() < 0.5
        else:
            history.append(Event(1, "increment", key, 1, start, end, OK))
            total += 1
    assert judge_object(key, history).outcome == "consistent"
    reads = [event for event in history if event.action == "read"]
    back = max(reads, key=lambda event: event.start)
    late = Event(2, "read", key, None, back.end + 1, back.end + 2, OK, reads[0].result)
    assert judge_object(key, [*history, late]).outcome == "contradiction"
