"""Closed loop of requests: N connections, each sends a request as soon as the last one has its response.

Requests are prepared bytes, and responses are not parsed. If `wrk` is installed, it sends them: it needs a few
microseconds for each, so that the speed is the server's. Otherwise an event loop of Python sends them, which is the
bottleneck above some ten thousand requests a second.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count, repeat
from pathlib import Path
from types import MappingProxyType
from urllib.parse import urlsplit

WRK = shutil.which("wrk")
CLIENT = "wrk" if WRK else "Python (install wrk for a client that is never the bottleneck)"
SCRIPT = Path(__file__).with_name("load.lua")
NUMBER = b"{n}"
"""Placeholder in a request for a unique number of 20 digits."""
DIGITS = 20
_BEGINNINGS = count(time.time_ns() // 1_000_000)
"""First digits of each load's numbers: loads of the same millisecond share no number."""
HEADER_END = b"\r\n\r\n"
LENGTH = b"content-length:"
PATIENCE = 60.0
"""Time limit of a response, in seconds."""
CHUNKED, LAST_CHUNK = b"transfer-encoding: chunked", b"0\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Load:
    """Result of a load: responses per second, and latencies in milliseconds."""

    per_second: float
    p50: float
    p99: float
    errors: int


def request(
    url: str,
    method: str,
    path: str,
    body: bytes = b"",
    content_type: str = "application/json",
    headers: Mapping[str, str] = MappingProxyType({}),
) -> bytes:
    """Return a request as bytes; its path and body may contain NUMBER."""
    head = f"{method} {path} HTTP/1.1\r\nHost: {urlsplit(url).netloc}\r\n"
    head += "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    if method != "GET":
        length = len(body) + body.count(NUMBER) * (DIGITS - len(NUMBER))
        head += f"Content-Type: {content_type}\r\nContent-Length: {length}\r\n"
    return head.encode() + b"\r\n" + body


def numbered(raw: bytes) -> Iterator[bytes]:
    """Yield a request endlessly, each time with another number for NUMBER."""
    first = _first_digits()
    for number in count(1):
        yield raw.replace(NUMBER, b"%s%07d" % (first, number))


def run_load(url: str, raw: bytes, *, seconds: int, connections: int) -> Load:
    """Send a request repeatedly for some seconds over some connections, and return the result."""
    if WRK and not raw.startswith(b"HEAD"):  # wrk would wait for a body
        return _run_wrk(WRK, url, raw, seconds, connections)
    return asyncio.run(_run(url, numbered(raw) if NUMBER in raw else repeat(raw), seconds, connections))


def run_once(url: str, requests: list[bytes], *, connections: int) -> Load:
    """Send each request once and return the result."""
    return asyncio.run(_run(url, iter(requests), float("inf"), connections))


def _first_digits() -> bytes:
    return b"%d" % next(_BEGINNINGS)


def _run_wrk(wrk: str, url: str, raw: bytes, seconds: int, connections: int) -> Load:
    with tempfile.NamedTemporaryFile() as file:
        file.write(raw)
        file.flush()
        load = ("--threads", "1", "--connections", str(connections), "--duration", f"{seconds}s")
        command = [wrk, *load, "--script", str(SCRIPT), url, "--", file.name, _first_digits().decode()]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    answers, micros, p50, p99, errors = map(int, output.splitlines()[-1].split())
    return Load(answers * 1e6 / micros, p50 / 1000, p99 / 1000, errors)


async def _run(url: str, requests: Iterator[bytes], seconds: float, connections: int) -> Load:
    started = time.perf_counter()
    latencies: list[float] = []
    errors = await asyncio.gather(*(_client(url, requests, started + seconds, latencies) for _ in range(connections)))
    elapsed = time.perf_counter() - started
    latencies.sort()
    at = [latencies[int(len(latencies) * share)] * 1000 for share in (0.5, 0.99)] if latencies else [0.0, 0.0]
    return Load(len(latencies) / elapsed, at[0], at[1], sum(errors))


async def _client(url: str, requests: Iterator[bytes], until: float, latencies: list[float]) -> int:
    host, _, port = urlsplit(url).netloc.rpartition(":")
    transport, answers = await asyncio.get_running_loop().create_connection(_Answers, host, int(port))
    errors = 0
    for raw in requests:
        started = time.perf_counter()
        if started >= until:
            break
        transport.write(raw)
        head = await asyncio.wait_for(answers.next(bodiless=raw.startswith(b"HEAD")), PATIENCE)
        errors += not head.startswith(b"HTTP/1.1 2")
        latencies.append(time.perf_counter() - started)
    transport.close()
    return errors


class _Answers(asyncio.Protocol):
    """Reader of complete responses, one after the other."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._bodiless = False
        self._head: asyncio.Future[bytes] | None = None

    def next(self, *, bodiless: bool) -> asyncio.Future[bytes]:
        """Return the head of the next response, once it is complete. Raises ConnectionError if the server hangs up."""
        self._bodiless = bodiless
        self._head = asyncio.get_running_loop().create_future()
        return self._head

    def data_received(self, data: bytes) -> None:
        """Store received bytes, and complete the response."""
        self._buffer += data
        end = self._buffer.find(HEADER_END) + len(HEADER_END)
        if self._head is None or end < len(HEADER_END):
            return
        head = bytes(self._buffer[:end])
        if self._bodiless or self._is_whole(head.lower()):
            self._buffer.clear()
            if not self._head.done():  # it is done if the load was interrupted
                self._head.set_result(head)

    def _is_whole(self, head: bytes) -> bool:
        if CHUNKED in head:
            return self._buffer.endswith(LAST_CHUNK)
        at = head.find(LENGTH)
        length = int(head[at + len(LENGTH) : head.index(b"\r\n", at)]) if at >= 0 else 0
        return len(self._buffer) >= len(head) + length

    def connection_lost(self, _error: Exception | None) -> None:
        """Fail the response that is incomplete."""
        if self._head is not None and not self._head.done():
            self._head.set_exception(ConnectionError("the server closed the connection"))
