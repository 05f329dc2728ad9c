"""Requests drawn from a seed, half of them as they should be, and what must be so whatever is sent.

`--seeds 0-25` says which seeds; each draws REQUESTS requests.
"""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import quote

REQUESTS = 250
FAIR_SHARE = 5  # one in so many requests must succeed
NAMES = ["..", "a/b", "a\nb", "\0", "ü", "%", "x" * 256, "\u202e", "a\x1fb", "a$b", "'; --", "null", "$", " "]
VALUES = [None, True, 0, -1, 2**31, 2**63, 2**64, -(2**63), 1.5, 1e400, "", "x", "\ud800", "\0", [], [[]], {}, [None]]
VALUES += [{"a": {}}, ["a"] * 1000, "x" * 70_000, "9" * 5000, "../../x", "-1", {"type": "struct", "fields": []}]
BODIES = [b"", b"null", b'"x"', b"[]", b"{", b"\xff", b"{" * 5000, b'{"a":1}' * 2, b"9" * 5000, b'{"a":NaN}', b"\0" * 9]
HEADERS = [("Authorization", text) for text in ("Bearer", "Basic !", "Bearer \u00fc", "Digest x", "x" * 5000)]
HEADERS += [("Content-Encoding", text) for text in ("gzip", "deflate", "br", "x")]
HEADERS += [("Content-Type", text) for text in ("", "text/plain", "application/json; charset=utf-16")]
HEADERS += [("Idempotency-Key", text) for text in ("", "x", "9" * 5000)]
QUERIES = ["pageSize=0", "pageSize=-1", "limit=x", "pageToken=%00", "page_token=x", "mode=x", "snapshots=x", "x=%ff"]


class Drawn(NamedTuple):
    """A request: `path` has its segments, not encoded; `body` is JSON, bytes or nothing."""

    method: str
    path: tuple[str, ...]
    body: Any = None
    headers: Mapping[str, str] = MappingProxyType({})
    query: str = ""

    def send(self, server):
        body = self.body if self.body is None or isinstance(self.body, bytes) else json.dumps(self.body).encode()
        headers = {"Content-Type": "application/json", **self.headers}
        target = "/" + "/".join(quote(segment, safe="") for segment in self.path)
        encoded = {name: value.encode() for name, value in headers.items()}
        return server.send(self.method, f"{target}?{self.query}", body=body, headers=encoded)


def damaged(draw, request):
    """Return a request with one thing wrong: a name, a header, the query, the body or, most often, a part of that."""
    kind = draw.choice(("name", "header", "query", "junk", *["part"] * 6))
    if kind == "name":
        at = draw.randrange(1, len(request.path))
        return request._replace(path=(*request.path[:at], draw.choice(NAMES), *request.path[at + 1 :]))
    if kind == "header":
        return request._replace(headers={**request.headers, **dict([draw.choice(HEADERS)])})
    if kind == "query" or request.body is None:
        return request._replace(query=draw.choice(QUERIES))
    if kind == "junk":
        return request._replace(body=draw.choice(BODIES))
    spoilt = damaged_bytes if isinstance(request.body, bytes) else damaged_value
    return request._replace(body=spoilt(draw, request.body))


def damaged_bytes(draw, body):
    at = draw.randrange(len(body))
    return draw.choice((body[:at], body[:at] + bytes([draw.randrange(256)]) + body[at + 1 :], body + body[at:]))


def damaged_value(draw, body):
    """Return JSON in which a part at any depth is missing, is there twice, or is another value."""
    body = copy.deepcopy(body)
    places = list(places_in(body))
    if not places:
        return draw.choice(VALUES)
    inside, key = draw.choice(places)
    change = draw.choice(("gone", "twice", "other", "other", "other"))
    if change == "gone":
        del inside[key]
    elif change == "twice":
        inside[key] = [inside[key], inside[key]]
    else:
        inside[key] = draw.choice(VALUES)
    return body


def places_in(value):
    """Yield all parts of a value, each as what it is in and its key there."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from places_in(value[key])


def drawn_requests(seed, drawn_request, count):
    """Yield requests, half of them damaged.

    `drawn_request` makes one as it should be, of a source of random numbers and a number that no other has.
    """
    draw = random.Random(seed)
    for number in range(count):
        request = drawn_request(draw, number)
        yield damaged(draw, request) if draw.random() < 0.5 else request


def send_drawn(server, seed, drawn_request):
    """Send requests: each is answered, none by an error of the server, and enough of them succeed."""
    classes = Counter()
    for request in drawn_requests(seed, drawn_request, REQUESTS):
        answer = request.send(server)
        classes[answer.status // 100] += 1
        assert answer.status < 500 or answer.status == 501, (request, answer.status, answer.data[:500])
    assert server.process.poll() is None
    assert "Traceback" not in server.log
    assert classes[2] > REQUESTS // FAIR_SHARE, f"few requests reach what they are for: {classes}"
