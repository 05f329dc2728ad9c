"""Transactions: what they read has to last, what they did is undone or finished, and losers try again."""

from __future__ import annotations

import asyncio

import pytest

from reference_server.storage import CommitConflict
from reference_server.storage.memory import MemoryStorage
from reference_server.storage.transactions import ATTEMPTS, Transaction, transact


class TooBusy(Exception):
    pass


@pytest.fixture
def storage():
    storage = MemoryStorage()
    asyncio.run(storage.commit({}, {b"a": b"1"}))
    return storage


def run(storage, build):
    return asyncio.run(transact(storage, build, TooBusy))


def test_a_transaction_reads_its_own_writes(storage):
    transaction = Transaction(storage)
    transaction.put(b"a", None)
    transaction.put(b"b", b"2")
    assert transaction.get(b"a") is None
    assert transaction.get(b"b") == b"2"
    assert storage.get(b"a") == b"1"


@pytest.mark.parametrize(
    ("after", "limit", "keys"),
    [
        (None, None, [b"a", b"ab", b"ad"]),
        (None, 2, [b"a", b"ab"]),
        (b"a", None, [b"ab", b"ad"]),
        (b"ab", 1, [b"ad"]),
        (b"ad", 1, []),
    ],
)
def test_a_transaction_scans_its_own_writes(storage, after, limit, keys):
    asyncio.run(storage.commit({}, {b"aa": b"1", b"ad": b"1"}))
    transaction = Transaction(storage)
    transaction.put(b"aa", None)
    transaction.put(b"ab", b"2")
    transaction.put(b"b", b"2")
    assert [key for key, _ in transaction.scan(b"a", after, limit)] == keys


def test_what_was_read_has_to_last(storage):
    first, second = Transaction(storage), Transaction(storage)
    for transaction in (first, second):
        transaction.put(b"a", (transaction.get(b"a") or b"") + b"+")
    asyncio.run(first.commit())
    with pytest.raises(CommitConflict):
        asyncio.run(second.commit())
    assert storage.get(b"a") == b"1+"


def test_a_prefix_that_must_be_empty_is_a_condition(storage):
    transaction = Transaction(storage)
    transaction.put(b"b", b"1")
    transaction.require_empty(b"a")
    with pytest.raises(CommitConflict):
        asyncio.run(transaction.commit())
    assert storage.get(b"b") is None


def test_a_transaction_without_writes_commits_nothing(storage):
    before = storage.version()
    transaction = Transaction(storage)
    transaction.get(b"a")
    asyncio.run(transaction.commit())
    assert storage.version() == before


def test_no_update_is_lost_among_many(storage):
    async def add_one(transaction):
        value = int(transaction.get(b"a") or 0)
        await asyncio.sleep(0)
        transaction.put(b"a", str(value + 1).encode())

    async def race():
        await asyncio.gather(*(transact(storage, add_one, TooBusy) for _ in range(40)))

    asyncio.run(race())
    assert storage.get(b"a") == b"41"


def test_others_who_never_let_it_through(storage):
    attempts = []

    async def overtaken(transaction):
        attempts.append(transaction.get(b"a"))
        await storage.commit({}, {b"a": b"theirs %d" % len(attempts)})
        transaction.put(b"b", b"1")

    with pytest.raises(TooBusy):
        run(storage, overtaken)
    assert len(attempts) == ATTEMPTS
    assert storage.get(b"b") is None


@pytest.mark.parametrize(
    ("fails_with", "said"), [(None, ["done"]), (CommitConflict, ["undone", "done"]), (KeyError, ["undone"])]
)
def test_what_was_done_outside_is_undone_or_finished(storage, fails_with, said):
    heard, failures = [], [fails_with] if fails_with else []

    async def say(word):
        heard.append(word)

    async def build(transaction):
        transaction.on_undo(lambda: say("undone"))
        transaction.on_commit(lambda: say("done"))
        if failures:
            raise failures.pop()
        transaction.put(b"b", b"1")

    if fails_with is KeyError:
        with pytest.raises(KeyError):
            run(storage, build)
    else:
        run(storage, build)
    assert heard == said


def test_a_commit_that_fails_otherwise_undoes_nothing(storage):
    heard = []

    async def refuse(*_):
        raise OSError("the disk may have it or not")

    async def build(transaction):
        async def undo():
            heard.append("undone")

        transaction.on_undo(undo)
        transaction.put(b"b", b"1")

    storage.commit = refuse
    with pytest.raises(OSError, match="the disk"):
        run(storage, build)
    assert heard == []
