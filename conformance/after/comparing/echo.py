"""Echo: sends a request of one server to another, with the first server's values replaced by the second's."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from conformance.http.client import Client
from conformance.replay.chosen import names_files
from conformance.replay.renaming import Renaming, is_made_up
from conformance.values.exchange import Exchange

PLACES = b"file:", b"://"


@dataclass
class Echo:
    """Sends the requests of one server, at `base`, to another, under the names of the second.

    `chosen` are fields whose values servers choose freely. The second server's values are learned from its answers. A
    request cannot be repeated if it uses a value of the first server without a counterpart, or a value too short to be
    recognised, such as a page token "1", or if it names a file that the run wrote for the first server.
    """

    client: Client
    base: str
    names: Renaming
    chosen: Collection[str] = ()
    _sent: list[Exchange] = field(default_factory=list)
    _theirs: set[str] = field(default_factory=set)  # values that only the first server chose
    _unknown: bool = False  # an unrecognisable value was chosen

    def send(self, exchange: Exchange) -> Exchange:
        """Send a request that another server answered, and return the exchange. Raises Stopped and Blocked."""
        headers = {name: self.names.text(value) for name, value in exchange.request_headers.items()}
        url = self.client.base + self.names.text(exchange.url.removeprefix(self.base))
        sent = Exchange(exchange.operation, exchange.method, url, headers, self._body(exchange.request_body))
        answer = self.client.send(sent)
        self.names.learn(exchange.json(), exchange.response_headers, answer)
        return answer

    def can_ask(self, exchange: Exchange) -> bool:
        """True when the request means the same to the second server, as far as known."""
        self._sent.append(exchange)
        if any(place in exchange.request_body for place in PLACES) and names_files(
            [step.to_step() for step in self._sent]
        ):
            return False
        said = f"{unquote(exchange.url)} {exchange.request_body.decode(errors='replace')}"
        return not self._unknown and not any(value in said for value in self._theirs)

    def note(self, exchange: Exchange, answer: Exchange) -> None:
        """Note the values that the first server chose in its answer and the second did not return."""
        values = dict(_leaves(answer.json()))
        for key, value in _leaves(exchange.json()):
            text, made_up, chosen = str(value), is_made_up(value), key in self.chosen and value != values.get(key)
            if not (made_up or chosen) or self.names.text(text) != text:
                continue
            if made_up and text.encode() not in answer.response_body:
                self._theirs.add(text)
            elif chosen:
                self._unknown = True

    def _body(self, body: bytes) -> bytes:
        try:
            return self.names.text(body.decode()).encode()
        except UnicodeDecodeError:
            return body


def _leaves(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the texts and numbers of a JSON value, each with the name of its field."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _leaves(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item, key)
    elif isinstance(value, str) or type(value) is int:
        yield key, value
