"""Requests that cost a server much more than their sender."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from tests.reference_server.served import JSON, Served

PATIENCE = 60.0
WINDOW = 31  # of zlib: gzip
BLOCK = bytes(1 << 20)


class Costly(NamedTuple):
    """A request with what is special about it; `body` is bytes, or anything else to be sent as JSON.

    `prepare` gives a server what the request is about, where that takes long.
    """

    name: str
    method: str
    path: str
    body: Any = None
    headers: Mapping[str, str] = MappingProxyType({})
    prepare: Callable[[Served], None] = lambda _server: None

    def send(self, server):
        if self.body is None:
            return server.send(self.method, self.path, headers=self.headers, timeout=PATIENCE)
        body = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        return server.send(self.method, self.path, body=body, headers={**JSON, **self.headers}, timeout=PATIENCE)


def zeros_in_gzip(size):
    """Return gzip that unpacks to this many zero bytes and breaks off: the same compressed block again and again."""
    packer = zlib.compressobj(9, zlib.DEFLATED, WINDOW)
    first, second = (packer.compress(BLOCK) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return first + second * (size // len(BLOCK) - 1)


def encoded_bodies(path):
    """Bodies of a request that makes something, in encodings that they are not in, or that unpack to much."""
    packed = {**JSON, "Content-Encoding": "gzip"}
    return [
        Costly("Content-Encoding: deflate, junk", "POST", path, b"junk", {**JSON, "Content-Encoding": "deflate"}),
        Costly("60 MiB of junk as gzip", "POST", path, b"\x1f\x8b\x08" + bytes(60 << 20), packed),
        Costly("gzip, 1 GiB unpacked", "POST", path, zeros_in_gzip(1 << 30), packed),
        Costly("four million brackets", "POST", path, b"[" * 4_000_000),
        Costly("a number of four million digits", "POST", path, b'{"a":' + b"9" * 4_000_000 + b"}"),
        Costly("600,000 keys that are one", "POST", path, b"{" + b",".join([b'"a":1'] * 600_000) + b"}"),
    ]
