"""Records that are kept for a time expire or make room, also those of an earlier server."""

from __future__ import annotations

import asyncio
import time

import orjson
import pytest

from reference_server import limits
from reference_server.iceberg.catalog.expiring import ExpiringValues
from reference_server.storage import pack
from reference_server.storage.memory import MemoryStorage
from reference_server.storage.transactions import Transaction

PREFIX, OTHER = pack("plan", "w"), pack("plan", "v")
SIZE = 100


def keep(store, storage, number, prefix=PREFIX, until=None):
    """Keep a value of SIZE bytes."""

    async def build(transaction):
        end = time.time() + 60 if until is None else until
        value = orjson.dumps({"until": end, "text": ""})
        value = value.replace(b'""', b'"' + b"x" * (SIZE - len(value)) + b'"')
        await store.put(transaction, prefix, prefix + pack(f"{number:03}"), value, end)

    asyncio.run(Transaction(storage).run(build))


def numbers(storage, prefix=PREFIX):
    return [int(key[len(prefix) : -1]) for key, _ in storage.scan(prefix)]


@pytest.fixture
def storage():
    return MemoryStorage()


@pytest.fixture
def room_for_three(monkeypatch):
    monkeypatch.setattr(limits, "KEPT", 3 * SIZE)


@pytest.mark.usefixtures("room_for_three")
def test_the_oldest_go_to_make_room(storage):
    store = ExpiringValues(storage)
    keep(store, storage, 0, OTHER)
    for number in range(5):
        keep(store, storage, number)
    assert numbers(storage) == [2, 3, 4]
    keep(store, storage, 4)
    keep(ExpiringValues(storage), storage, 5)
    assert numbers(storage) == [3, 4, 5]
    assert numbers(storage, OTHER) == [0]


def test_what_has_expired_goes_however_much_there_is(storage, monkeypatch):
    store = ExpiringValues(storage)
    for number in range(20):
        keep(store, storage, number, until=1.0 if number else None)
    assert numbers(storage) == list(range(20))  # the first one has not expired
    later = time.time() + 120
    monkeypatch.setattr(time, "time", lambda: later)
    keep(store, storage, 20, until=later + 60)
    assert numbers(storage) == [20]


@pytest.mark.usefixtures("room_for_three")
def test_what_was_not_written_takes_no_room(storage):
    store = ExpiringValues(storage)

    async def refused(transaction):
        for number in range(3):
            await store.put(transaction, PREFIX, PREFIX + pack(f"{number:03}"), b"x" * SIZE, time.time() + 60)
        raise InterruptedError

    keep(store, storage, 3)
    with pytest.raises(InterruptedError):
        asyncio.run(Transaction(storage).run(refused))
    keep(store, storage, 4)
    keep(store, storage, 5)
    assert numbers(storage) == [3, 4, 5]
