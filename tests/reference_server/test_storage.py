"""The contract of storage, on every backend."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sortedcontainers import SortedDict

from reference_server.storage import CommitConflict, after_prefix, is_conflict, pack, unpack
from reference_server.storage.caches import VersionedCache
from reference_server.storage.directory import DirectoryStorage
from reference_server.storage.memory import MemoryStorage
from specs.problems import Problem

BACKENDS: dict[str, Callable[[Any], Any]] = {
    "memory": lambda _: MemoryStorage(),
    "directory": lambda folder: DirectoryStorage(folder / "x.sqlite"),
}


@pytest.fixture(params=BACKENDS)
def storage(request, tmp_path):
    storage = BACKENDS[request.param](tmp_path)
    yield storage
    storage.close()


def commit(storage, expected=None, writes=None, empty=()):
    asyncio.run(storage.commit(expected or {}, writes or {}, empty))


def test_absent_keys_have_no_value(storage):
    assert storage.get(b"a") is None
    assert storage.scan(b"") == []


def test_writes_are_seen(storage):
    commit(storage, writes={b"a": b"1", b"b": b"2"})
    assert storage.get(b"a") == b"1"
    commit(storage, writes={b"a": None, b"b": b"3"})
    assert storage.get(b"a") is None
    assert storage.scan(b"") == [(b"b", b"3")]


def test_scans_are_sorted_and_bounded(storage):
    keys = [pack("t", name) for name in ("a", "b", "c", "d")]
    commit(storage, writes={**dict.fromkeys(keys, b"x"), pack("s", "z"): b"x", pack("u", "a"): b"x"})
    prefix = pack("t")
    assert [key for key, _ in storage.scan(prefix)] == keys
    assert [key for key, _ in storage.scan(prefix, limit=2)] == keys[:2]
    assert [key for key, _ in storage.scan(prefix, after=keys[1])] == keys[2:]
    assert [key for key, _ in storage.scan(prefix, after=keys[0], limit=1)] == keys[1:2]
    assert storage.scan(prefix, after=keys[3]) == []
    assert [key for key, _ in storage.scan(prefix, after=pack("a"))] == keys


@pytest.mark.parametrize("expected", [{b"a": b"other"}, {b"a": None}, {b"b": b"1"}, {b"a": b"1", b"b": b"1"}])
def test_a_commit_that_expected_something_else_writes_nothing(storage, expected):
    commit(storage, writes={b"a": b"1"})
    with pytest.raises(CommitConflict):
        commit(storage, expected, {b"a": b"2", b"c": b"2"})
    assert storage.scan(b"") == [(b"a", b"1")]


def test_a_commit_whose_expectations_hold_writes(storage):
    commit(storage, writes={b"a": b"1"})
    commit(storage, {b"a": b"1", b"b": None}, {b"a": b"2", b"b": b"2"})
    assert storage.scan(b"") == [(b"a", b"2"), (b"b", b"2")]


def test_prefixes_must_be_empty_after_the_commit(storage):
    inside, outside = pack("n", "child"), pack("m")
    commit(storage, writes={inside: b"1", outside: b"1"})
    with pytest.raises(CommitConflict):
        commit(storage, writes={outside: None}, empty=[pack("n")])
    assert storage.get(outside) == b"1"
    with pytest.raises(CommitConflict):
        commit(storage, writes={inside: None, pack("n", "new"): b"1"}, empty=[pack("n")])
    assert storage.get(inside) == b"1"
    commit(storage, writes={inside: None, outside: None}, empty=[pack("n")])
    assert storage.scan(b"") == []


class CountedKey(bytes):
    """A key that counts how often keys are compared."""

    compared = 0

    def __lt__(self, other):
        CountedKey.compared += 1
        return bytes.__lt__(self, other)

    def __le__(self, other):
        CountedKey.compared += 1
        return bytes.__le__(self, other)

    def __gt__(self, other):
        CountedKey.compared += 1
        return bytes.__gt__(self, other)

    def __ge__(self, other):
        CountedKey.compared += 1
        return bytes.__ge__(self, other)


@pytest.mark.parametrize("sorted_already", [True, False])
def test_a_commit_looks_for_each_prefix_only_at_what_it_writes_there(sorted_already):
    count, storage = 2000, MemoryStorage()
    CountedKey.compared = 0
    pairs = {CountedKey(pack("k", str(number))): b"" for number in range(count)}
    writes: Any = SortedDict(pairs) if sorted_already else pairs
    assert not is_conflict(storage, {}, writes, [pack("other", str(number)) for number in range(count)])
    assert CountedKey.compared < count * 100


def test_the_version_is_another_after_every_commit(storage):
    seen = [storage.version()]
    for number in range(3):
        commit(storage, writes={b"a": str(number).encode()})
        seen.append(storage.version())
    assert len(set(seen)) == 4
    assert storage.version() == seen[-1]


def test_what_is_remembered_is_looked_up_after_every_commit(storage):
    asked = []
    value = VersionedCache(storage, lambda key: asked.append(key) or storage.get(key))
    for written in (b"1", b"2", None):
        commit(storage, writes={b"a": written})
        assert [value(b"a"), value(b"a")] == [written, written]
    assert len(asked) == 3


def test_what_is_remembered_is_bounded(storage):
    asked = []
    value: VersionedCache[Any, bytes] = VersionedCache(storage, lambda key: asked.append(key) or key * 10, len, 25)
    assert [value(key) for key in (b"a", b"b", b"a", b"b")] == [b"a" * 10, b"b" * 10] * 2
    assert asked == [b"a", b"b"]
    assert [value(key) for key in (b"c", b"d", b"c")] == [b"c" * 10, b"d" * 10, b"c" * 10]
    assert asked == [b"a", b"b", b"c", b"d", b"c"], "with c there were 30 bytes, so all was forgotten"
    assert [value(b"long") for _ in range(2)] == [b"long" * 10] * 2
    assert asked[-2:] == [b"long"] * 2


def test_one_of_many_commits_wins(storage):
    async def race():
        commits = [storage.commit({b"a": None}, {b"a": str(number).encode()}) for number in range(50)]
        return await asyncio.gather(*commits, return_exceptions=True)

    outcomes = asyncio.run(race())
    winners = [number for number, outcome in enumerate(outcomes) if outcome is None]
    assert len(winners) == 1
    assert storage.get(b"a") == str(winners[0]).encode()
    assert [outcome for outcome in outcomes if outcome is not None and not isinstance(outcome, CommitConflict)] == []


def test_a_chain_of_commits_loses_no_update(storage):
    async def add_one():
        while True:
            before = storage.get(b"n")
            try:
                return await storage.commit({b"n": before}, {b"n": str(int(before or 0) + 1).encode()})
            except CommitConflict:
                await asyncio.sleep(0)

    async def race():
        await asyncio.gather(*(add_one() for _ in range(40)))

    asyncio.run(race())
    assert storage.get(b"n") == b"40"


PARTS = st.lists(st.binary(max_size=4).filter(lambda part: b"\xff" not in part), max_size=4)


@given(parts=PARTS)
def test_packed_keys_come_apart(parts):
    assert unpack(pack(*parts)) == parts


@given(first=PARTS, other=PARTS)
@settings(max_examples=300)
def test_packed_keys_sort_like_their_parts(first, other):
    assert (pack(*first) < pack(*other)) == (first < other)
    if first:
        assert (pack(*first) <= pack(*other) < after_prefix(pack(*first))) == (other[: len(first)] == first)


def test_a_packed_key_may_be_a_part():
    inner = pack("a", "b\0c")
    assert unpack(pack("x", inner, "y"))[1] == inner


# What only a directory can promise


def test_a_directory_keeps_what_was_committed(tmp_path):
    first = DirectoryStorage(tmp_path / "x.sqlite")
    commit(first, writes={b"a": b"1"})
    first.close()
    second = DirectoryStorage(tmp_path / "x.sqlite")
    assert second.get(b"a") == b"1"
    second.close()


def test_two_processes_may_share_a_directory(tmp_path):
    first, other = DirectoryStorage(tmp_path / "x.sqlite"), DirectoryStorage(tmp_path / "x.sqlite")
    before = other.version()
    commit(first, {b"a": None}, {b"a": b"1"})
    assert other.get(b"a") == b"1"
    assert other.version() != before
    with pytest.raises(CommitConflict):
        commit(other, {b"a": None}, {b"a": b"2"})
    first.close()
    other.close()


def test_a_directory_that_cannot_be_written_is_a_problem(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(Problem, match="cannot be used"):
        DirectoryStorage(blocked / "x.sqlite")


WRITER = """
import asyncio, sys
from pathlib import Path
from reference_server.storage.directory import DirectoryStorage

async def write_pairs_for_ever(storage):
    number = 0
    while True:
        value = str(number).encode()
        await storage.commit({}, {b"left": value, b"right": value, b"n" + value: value})
        print(number, flush=True)
        number += 1

asyncio.run(write_pairs_for_ever(DirectoryStorage(Path(sys.argv[1]))))
"""


def test_a_killed_writer_leaves_whole_commits(tmp_path):
    for pause in (0.0, 0.01, 0.03):
        process = subprocess.Popen([sys.executable, "-c", WRITER, tmp_path / "x.sqlite"], stdout=subprocess.PIPE)
        process.stdout.readline()
        time.sleep(pause)
        process.kill()
        answered = int((process.communicate()[0].splitlines() or [b"0"])[-1])
        storage = DirectoryStorage(tmp_path / "x.sqlite")
        left, right = storage.get(b"left"), storage.get(b"right")
        assert left == right
        assert int(left) >= answered, "what was answered is there"
        assert storage.get(b"n" + left) == left
        storage.close()


def test_a_turn_of_the_loop_looks_once_for_commits_of_others(tmp_path):
    first, second = (DirectoryStorage(tmp_path / "x.sqlite") for _ in range(2))
    statements = []
    first._reader.set_trace_callback(statements.append)

    async def in_turns():
        before = first.version()
        assert (first.version(), len(statements)) == (before, 1)
        await second.commit({}, {b"a": b"1"})
        after = first.version()
        assert (first.version(), len(statements)) == (after, 2)
        await first.commit({}, {b"b": b"1"})
        return {before, after, first.version(), await asyncio.to_thread(first.version)}

    assert len(asyncio.run(in_turns())) == 3
    assert len(statements) == 4, "one for each turn, and the thread's own"
    first.close()
    second.close()


def test_a_directory_is_read_once_for_each_version(tmp_path):
    first, second = (DirectoryStorage(tmp_path / "x.sqlite") for _ in range(2))
    selects = []
    first._reader.set_trace_callback(lambda text: selects.append(text) if text.startswith("SELECT") else None)
    for number, writer in enumerate((first, second, first), 1):
        value = str(number).encode()
        commit(writer, writes={b"a": value})
        assert {first.get(b"a") for _ in range(3)} == {value}
        assert [first.scan(b"a") for _ in range(3)] == [[(b"a", value)]] * 3
        assert first.get(b"b") is first.get(b"b") is None
        assert len(selects) == number * 3
    first.close()
    second.close()


def test_no_turn_reads_what_is_older_than_a_commit(tmp_path):
    first, second = (DirectoryStorage(tmp_path / "x.sqlite") for _ in range(2))
    acknowledged, late, ended = [0], [], asyncio.Event()

    async def compare():
        while not ended.is_set():
            before = acknowledged[0]
            late.extend(value for _, value in first.scan(b"a") if int(value) < before)
            late.extend(value for value in (first.get(b"a"),) if int(value) < before)
            await asyncio.sleep(0)

    async def write():
        for number in range(1, 400):
            await (second if number % 2 else first).commit({}, {b"a": b"%d" % number})
            acknowledged[0] = number
            late.extend(value for value in (first.get(b"a"),) if int(value) < number)
        ended.set()

    async def beside_each_other():
        await asyncio.gather(compare(), compare(), write())

    commit(first, writes={b"a": b"0"})
    asyncio.run(beside_each_other())
    assert not late
    first.close()
    second.close()
