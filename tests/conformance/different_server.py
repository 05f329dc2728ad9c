"""A proxy that makes a good server a different one, as good as it was: seeded, it uses freedoms that a document leaves.

    with DifferentServer("http://127.0.0.1:8181", "iceberg", drawn("iceberg", seed)) as different: check(different.url)

A freedom is a function: `before` looks at a request, may change it, or answers it without asking the server behind;
`after` changes the answer to it. Here are those of every API; different_iceberg.py and the like add theirs.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode

from specs.profiles import find_profile
from tests.conformance.proxy import CHUNKED, Answer, Proxy

JSON = "application/json"
PLAIN = re.compile(r"[a-z0-9_]+")
MAPS = ("UpdateTableSchemaMetadata",)  # whose answers have fields that clients named
MEGABYTE = 2**20
WAITS = 4  # times that a busy server asks to wait


@dataclass
class Call:
    """A request on its way: its operation by the document ("" for none) and its path values, decoded."""

    operation: str
    values: dict[str, str]
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes
    chance: random.Random
    behind: Callable[..., Answer]
    state: dict[str, Any]

    @property
    def json(self) -> Any:
        """The body as a JSON object, an empty one where it is none."""
        try:
            value = json.loads(self.body)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    @property
    def target(self) -> str:
        """The path and the query as they are sent."""
        return self.path + (f"?{urlencode(self.query, quote_via=quote)}" if self.query else "")


Before = Callable[[Call], Answer | None]
After = Callable[[Call, Answer], Answer]


@dataclass(frozen=True)
class Freedom:
    """Behaviour that the document leaves to servers of an API: a change of calls or of answers."""

    name: str
    api: str
    before: Before | None = None
    after: After | None = None


FREEDOMS: dict[str, Freedom] = {}


def before(api: str = "") -> Callable[[Before], Before]:
    """Declare a freedom that looks at requests."""

    def declare(function: Before) -> Before:
        FREEDOMS[function.__name__] = Freedom(function.__name__, api, before=function)
        return function

    return declare


def after(api: str = "") -> Callable[[After], After]:
    """Declare a freedom that changes answers."""

    def declare(function: After) -> After:
        FREEDOMS[function.__name__] = Freedom(function.__name__, api, after=function)
        return function

    return declare


def drawn(api: str, seed: int) -> list[Freedom]:
    """The freedoms that a seed uses: between four and nine."""
    chance = random.Random(f"{api} {seed}")
    known = sorted(name for name, freedom in FREEDOMS.items() if freedom.api in ("", api))
    return [FREEDOMS[name] for name in sorted(chance.sample(known, chance.randint(4, 9)))]


@dataclass
class DifferentServer(Proxy):
    """The proxy of a server that uses these freedoms."""

    server: str
    api: str
    freedoms: list[Freedom]
    seed: int = 0
    state: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__(self.server)
        document = find_profile(self.api).document()
        self._chance = random.Random(self.seed)
        self._routes = [
            (operation.method, re.compile(_pattern(operation.path)), operation.id)
            for operation in document.operations.values()
        ]

    def answer(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        """Answer as this server does where it differs."""
        call = self._call(handler, body)
        answer: Answer | None = None
        for freedom in self.freedoms:
            answer = answer or (freedom.before(call) if freedom.before else None)
        answer = answer or self.ask(call.method, call.target, call.headers, call.body)
        for freedom in self.freedoms:
            answer = freedom.after(call, answer) if freedom.after else answer
        self.send(handler, answer)

    def _call(self, handler: BaseHTTPRequestHandler, body: bytes) -> Call:
        path, _, query = handler.path.partition("?")
        operation, values = "", {}
        for method, route, name in self._routes:
            if method == handler.command and (match := route.fullmatch(path)):
                operation = name
                values = {key: unquote(value) for key, value in match.groupdict().items() if value is not None}
                break
        pairs = dict(parse_qsl(query, keep_blank_values=True))
        headers = dict(handler.headers.items())
        return Call(operation, values, handler.command, path, pairs, headers, body, self._chance, self.ask, self.state)


def _pattern(path: str) -> str:
    """The pattern of the paths of an operation, with the prefix that a configuration may give or without any."""
    free = re.escape(path).replace(re.escape("/{prefix}"), "(?:/(?P<prefix>[^/]+))?")
    return re.sub(r"\\\{(.+?)\\\}", lambda match: f"(?P<{re.sub(r'[^a-zA-Z]', '_', match[1])}>[^/]+)", free)


def of_json(answer: Answer) -> Any:
    """The JSON of an answer, None where it has none."""
    kind = {name.lower(): value for name, value in answer.headers.items()}.get("content-type", "")
    return json.loads(answer.body) if answer.body and kind.startswith(JSON) else None


def with_json(answer: Answer, value: Any) -> Answer:
    """An answer with another value."""
    return replace(answer, body=json.dumps(value).encode())


def text(status: int, said: str) -> Answer:
    """Return an answer in plain text, as of a router or a gateway."""
    return Answer(status, {"Content-Type": "text/plain; charset=utf-8"}, said.encode())


# What answers look like


def _shuffled(value: Any, chance: random.Random) -> Any:
    if isinstance(value, dict):
        keys = chance.sample(list(value), len(value))
        return {key: _shuffled(value[key], chance) for key in keys}
    return [_shuffled(child, chance) for child in value] if isinstance(value, list) else value


@after()
def other_order_of_keys(call: Call, answer: Answer) -> Answer:
    """Fields of objects come in any order."""
    value = of_json(answer)
    return answer if value is None else with_json(answer, _shuffled(value, call.chance))


@after()
def unknown_fields(call: Call, answer: Answer) -> Answer:
    """Answers have fields that a later revision brings."""
    value = of_json(answer)
    if not isinstance(value, dict) or answer.status >= 300 or call.operation in MAPS:
        return answer
    return with_json(answer, {**value, "x-from-a-later-revision": {"a": [1, None]}})


@after()
def lower_case_headers(_: Call, answer: Answer) -> Answer:
    """Names of headers are written in lower case, as a gateway of HTTP/2 does."""
    return replace(answer, headers={name.lower(): value for name, value in answer.headers.items()})


@after()
def upper_case_headers(_: Call, answer: Answer) -> Answer:
    """Names of headers are written in upper case."""
    return replace(answer, headers={name.upper(): value for name, value in answer.headers.items()})


@after()
def own_headers(call: Call, answer: Answer) -> Answer:
    """Answers have headers that a gateway adds for itself."""
    call.state["request"] = call.state.get("request", 0) + 1
    more = {"X-Request-Id": f"r-{call.state['request']}", "Cache-Control": "no-store", "Server": "gateway"}
    return replace(answer, headers=answer.headers | more)


@after()
def chunked_answers(_: Call, answer: Answer) -> Answer:
    """Bodies come in chunks, without a length."""
    return replace(answer, headers={**answer.headers, CHUNKED[0]: CHUNKED[1]})


@after()
def charset_beside_the_type(_: Call, answer: Answer) -> Answer:
    """The type of JSON bodies names a charset."""
    kinds = {name: f"{JSON};charset=UTF-8" for name, value in answer.headers.items() if value == JSON}
    return replace(answer, headers={**answer.headers, **kinds})


@after()
def slow_answers(call: Call, answer: Answer) -> Answer:
    """Answers take their time."""
    time.sleep(call.chance.random() / 50)
    return answer


@before()
def asks_to_wait(call: Call) -> Answer | None:
    """A busy server asks to come back, now and then."""
    left = call.state.setdefault("waits", WAITS)
    if not left or call.chance.random() > 0.02:
        return None
    call.state["waits"] = left - 1
    return Answer(429, {"Content-Type": "text/plain", "Retry-After": call.chance.choice("01")}, b"not so fast")


@before()
def knows_its_media_types(call: Call) -> Answer | None:
    """A router has no handler for bodies of unknown types."""
    known = (JSON, "application/x-www-form", "application/vnd.apache.arrow")
    return text(415, "no reader for this type") if call.body and not _kind(call).startswith(known) else None


def _kind(call: Call) -> str:
    """The media type of a request's body, in lower case."""
    return next((value.lower() for name, value in call.headers.items() if name.lower() == "content-type"), "")


@before()
def short_bodies(call: Call) -> Answer | None:
    """A gateway takes no JSON of more than a megabyte."""
    too_long = len(call.body) > MEGABYTE and _kind(call).startswith(JSON)
    return text(413, "length limit exceeded") if too_long else None


@before()
def paths_are_split_first(call: Call) -> Answer | None:
    """A gateway refuses slashes within a name, and takes dots for a way."""
    names = call.path.split("/")
    if any(re.search(r"%2f|%5c|%00", name, re.IGNORECASE) for name in names):
        return text(call.chance.choice((400, 404)), "no such path")
    return text(405, "method not allowed") if any(unquote(name) in (".", "..") for name in names) else None
