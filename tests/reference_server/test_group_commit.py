"""One writer for many callers: who commits with whom, and who is told what went wrong."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterator

import pytest

from reference_server.storage import group_commit
from reference_server.storage.group_commit import GroupCommitter

CLIENTS, ROUNDS = 8, 6
SECONDS = 0.05  # that a write takes


@contextlib.contextmanager
def committing(write) -> Iterator[GroupCommitter[int]]:
    committer = GroupCommitter(write, "test-writer")
    try:
        yield committer
    finally:
        committer.close()


def test_clients_that_were_answered_together_commit_together():
    """Without a moment for them, every other one would miss each commit: twice as many commits."""
    batches = []

    def write(batch):
        batches.append(len(batch))
        time.sleep(SECONDS)
        return [None] * len(batch)

    async def client(committer, number):
        for _ in range(ROUNDS):
            await committer.commit(number)
            await asyncio.sleep(number / 1000)  # they come back one after the other

    async def clients(committer):
        await asyncio.gather(*(client(committer, number) for number in range(CLIENTS)))

    with committing(write) as committer:
        asyncio.run(clients(committer))
    assert sum(batches) == CLIENTS * ROUNDS
    assert len(batches) < 1.5 * ROUNDS


def test_a_client_that_is_alone_is_not_kept_waiting(monkeypatch):
    monkeypatch.setattr(group_commit, "MOMENT", 1e9)  # the test would not end

    async def commit_twice(committer):
        await committer.commit(1)
        await committer.commit(2)

    with committing(lambda batch: [None] * len(batch)) as committer:
        asyncio.run(commit_twice(committer))


def test_everybody_is_told_what_happened_to_his_own():
    def write(batch):
        if 0 in batch:
            raise OSError("the disk is full")
        return [ValueError(item) if item % 2 else None for item in batch]

    async def outcomes(committer, *items):
        return await asyncio.gather(*map(committer.commit, items), return_exceptions=True)

    with committing(write) as committer:
        refused = asyncio.run(outcomes(committer, 1, 2, 3))
        assert [type(outcome) for outcome in refused] == [ValueError, type(None), ValueError]
        with pytest.raises(OSError, match="full"):
            asyncio.run(committer.commit(0))


def test_what_waits_is_written_before_the_end():
    written = []

    def write(batch):
        written.extend(batch)
        return [None] * len(batch)

    async def commit_and_close(committer):
        waiting = [asyncio.ensure_future(committer.commit(number)) for number in range(CLIENTS)]
        await asyncio.sleep(0)
        committer.close()
        await asyncio.gather(*waiting)

    asyncio.run(commit_and_close(GroupCommitter(write, "test-writer")))
    assert sorted(written) == list(range(CLIENTS))
