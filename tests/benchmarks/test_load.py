"""The load of the benchmarks: an answer that comes too late, or never, ends it in good order."""

from __future__ import annotations

import asyncio

import pytest

from benchmarks import load

REQUEST = b"GET / HTTP/1.1\r\nHost: h\r\n\r\n"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


async def interrupted() -> list[dict[str, object]]:
    """Interrupt a load while its server is about to answer; return what the event loop complained of."""
    asked, cancelled, complaints = asyncio.Event(), asyncio.Event(), []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(load.HEADER_END)
        asked.set()
        await cancelled.wait()
        writer.write(ANSWER)
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1") as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        client = asyncio.create_task(load._client(url, iter([REQUEST]), float("inf"), []))
        await asked.wait()
        client.cancel()
        await asyncio.wait([client])
        cancelled.set()
        await asyncio.sleep(0.1)
    return complaints


def test_an_answer_to_an_interrupted_load_is_dropped() -> None:
    assert asyncio.run(interrupted()) == []


async def read_alone(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    await reader.read()


async def unanswered() -> None:
    async with await asyncio.start_server(read_alone, "127.0.0.1") as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        await load._client(url, iter([REQUEST]), float("inf"), [])


def test_a_load_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "PATIENCE", 0.1)
    with pytest.raises(TimeoutError):
        asyncio.run(asyncio.wait_for(unanswered(), 10))


def test_loads_of_the_same_millisecond_share_no_number() -> None:
    numbers = [next(load.numbered(load.NUMBER)) for _ in range(1000)]
    assert len(set(numbers)) == len(numbers)
    assert {len(number) for number in numbers} == {load.DIGITS}
