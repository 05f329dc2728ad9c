"""A closed-loop load generator: N connections, each sends a request as soon as the last is answered.

Requests are bytes made beforehand, answers are read to their end and not looked into, so that the same
few microseconds of Python stand against every server.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import cycle
from types import MappingProxyType
from urllib.parse import urlsplit

HEADER_END = b"\r\n\r\n"
LENGTH = b"content-length:"
CHUNKED = b"transfer-encoding: chunked"
BUFFER = 1 << 20  # bytes: an answer comes in few reads


@dataclass(frozen=True, slots=True)
class Load:
    """The result of a load: answers per second, and latencies in milliseconds."""

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
    """Return a request as bytes."""
    head = f"{method} {path} HTTP/1.1\r\nHost: {urlsplit(url).netloc}\r\n"
    head += "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    if method != "GET":
        head += f"Content-Type: {content_type}\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body


def run_load(url: str, requests: Iterator[bytes], *, seconds: float, connections: int) -> Load:
    """Send requests for some seconds over some connections and return the result."""
    return asyncio.run(_run(url, requests, seconds, connections))


def run_once(url: str, requests: list[bytes], *, connections: int) -> Load:
    """Send each request once and return the result."""
    return asyncio.run(_run(url, iter(requests), float("inf"), connections))


def forever(make: bytes) -> Iterator[bytes]:
    """Return the same request again and again."""
    return cycle([make])


def numbered(make: Callable[[int], bytes]) -> Iterator[bytes]:
    """Return requests that differ in a number."""
    number = 0
    while True:
        yield make(number)
        number += 1


async def _run(url: str, requests: Iterator[bytes], seconds: float, connections: int) -> Load:
    started = time.perf_counter()
    latencies: list[float] = []
    errors = await asyncio.gather(*(_client(url, requests, started + seconds, latencies) for _ in range(connections)))
    elapsed = time.perf_counter() - started
    latencies.sort()
    at = [latencies[int(len(latencies) * share)] * 1000 for share in (0.5, 0.99)] if latencies else [0.0, 0.0]
    return Load(len(latencies) / elapsed, at[0], at[1], sum(errors))


async def _skip_body(reader: asyncio.StreamReader, head: bytes) -> None:
    if CHUNKED in head:
        while size := int(await reader.readuntil(b"\r\n"), 16):
            await reader.readexactly(size + 2)
        await reader.readexactly(2)
        return
    at = head.find(LENGTH)
    if at >= 0:
        await reader.readexactly(int(head[at + len(LENGTH) : head.index(b"\r\n", at)]))


async def _client(url: str, requests: Iterator[bytes], until: float, latencies: list[float]) -> int:
    split = urlsplit(url)
    reader, writer = await asyncio.open_connection(split.hostname, split.port, limit=BUFFER)
    errors = 0
    for raw in requests:
        started = time.perf_counter()
        if started >= until:
            break
        writer.write(raw)
        head = await reader.readuntil(HEADER_END)
        if not raw.startswith(b"HEAD"):
            await _skip_body(reader, head.lower())
        errors += not head.startswith(b"HTTP/1.1 2")
        latencies.append(time.perf_counter() - started)
    writer.close()
    return errors
