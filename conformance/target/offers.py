"""Offers of a server: whether the answer to a probe is that of a router which does not know the operation.

A router answers alike whatever it does not know, so the answer is compared with those to requests that no document
declares: an unknown path, the same method at an undeclared path of the same form, and an undeclared method at the same
path. None of them names anything but the missing names of the probe. Nothing else in an answer tells a router from an
operation: frameworks answer 404 and 405 with JSON, and handlers of exceptions turn both into a 500.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from conformance.http.client import Client
from conformance.values.exchange import ERROR_STATUS, Exchange
from conformance.values.outcomes import Skipped
from specs.openapi import Operation

CALLERS = (401, 403, 429)  # statuses about the caller, whatever the path
NOT_FOUND, NOT_ALLOWED, SERVER_ERROR = 404, 405, 500
HEAD, NO_HEAD = "HEAD", (405, 501)  # without a body, a 404 says nothing about the operation
ALLOW = "Allow"
OTHER_METHOD = "PATCH"  # no document declares it; without a body and on missing names it changes nothing
SHORTEST_PATH = 2  # segments of a path that is looked for in an error
IDS = re.compile(r"[0-9a-f-]{8,}|\d+", re.IGNORECASE)
NOT_IMPLEMENTED = re.compile(rb"not (yet )?(implemented|supported)|unsupported|unimplemented", re.IGNORECASE)


@dataclass
class Router:
    """Answers of a server's router: `nowhere` is that to an unknown path, the others are requested when needed.

    `unknown` is a name that no path and no object has.
    """

    client: Client
    nowhere: Exchange
    unknown: str
    _other_methods: dict[str, Exchange | None] = field(default_factory=dict)

    def evidence(self, probe: Exchange) -> str:
        """Return the evidence that the router answered a probe, in words; "" if its operation may have."""
        if probe.status < ERROR_STATUS or probe.status in CALLERS:
            return ""
        if probe.method == HEAD:
            return self._evidence_of_head(probe)
        if like_unknown_path(probe, self.nowhere):
            return f"returned {probe.status}, like an unknown path"
        allowed = probe.response_headers.get(ALLOW)
        if (
            probe.status == NOT_ALLOWED
            and allowed is not None
            and probe.method not in re.split(r"[\s,]+", allowed.upper())
        ):
            return f"returned {probe.status}, and Allow names {allowed or 'no method'}"
        signature = _signature(probe)
        alike = (words for answer, words in self._compared(probe) if answer and _signature(answer) == signature)
        return next((f"returned {probe.status}, like {words}" for words in alike), "")

    def _evidence_of_head(self, probe: Exchange) -> str:
        """Return the evidence for a probe by HEAD, whose answer is a status alone."""
        if probe.status in NO_HEAD:
            return f"returned {probe.status}"
        if probe.status < SERVER_ERROR:
            return ""
        if probe.status == self.nowhere.status:
            return f"returned {probe.status}, like an unknown path"
        other = self._other_method(probe)
        return f"returned {probe.status}, like an undeclared method" if other and other.status == probe.status else ""

    def _compared(self, probe: Exchange) -> Iterator[tuple[Exchange | None, str]]:
        """Yield the answers to undeclared requests that a router may give to the probe, too, with their names.

        A 404 in the API's error body is no router's: a server may look for the object before it routes.
        """
        of_router = probe.status == NOT_FOUND and not self.client.document.errors.is_error(probe.json())
        if of_router or probe.status == NOT_ALLOWED or probe.status >= SERVER_ERROR:
            yield self._beside(probe), "an undeclared path beside its own"
            yield self._other_method(probe), "an undeclared method at its path"

    def _beside(self, probe: Exchange) -> Exchange | None:
        """Send a probe to an undeclared path of the same form; None where there is none, and in a read-only run."""
        url = urlsplit(probe.url)
        path = self._undeclared(self.client.document.operation(probe.operation), url.path)
        return self._send(probe, probe.method, url._replace(path=path).geturl(), probe.request_body) if path else None

    def _undeclared(self, operation: Operation, path: str) -> str:
        """Return the path of a request with a part that no document has in place of the last one that it declares."""
        names, parts = operation.path.split("/"), path.split("/")
        for place in range(1, len(names)):
            if names[-place] and not names[-place].startswith("{"):
                template = [*names[:-place], self.unknown, *names[len(names) - place + 1 :]]
                if not any(_matches(other.path, template) for other in self.client.document.operations.values()):
                    parts[-place] = self.unknown
                    return "/".join(parts)
        return ""

    def _other_method(self, probe: Exchange) -> Exchange | None:
        """Send an undeclared method to the path of a probe, once; None in a read-only run."""
        if probe.url not in self._other_methods:
            self._other_methods[probe.url] = self._send(probe, OTHER_METHOD, probe.url)
        return self._other_methods[probe.url]

    def _send(self, probe: Exchange, method: str, url: str, body: bytes = b"") -> Exchange | None:
        try:
            return self.client.send(Exchange("", method, url, probe.request_headers, body))
        except Skipped:  # the gate of a read-only run
            return None


def like_unknown_path(exchange: Exchange, nowhere: Exchange) -> bool:
    """True when an answer is the one to an unknown path, `nowhere`, or a 404 or 405 that is no JSON object.

    Any error with the same words is one, also a 500.
    """
    if exchange.status in (NOT_FOUND, NOT_ALLOWED) and not isinstance(exchange.json(), dict):
        return True
    alike = exchange.status not in CALLERS and _signature(exchange) == _signature(nowhere)
    return exchange.status >= ERROR_STATUS and alike


def is_refusal(client: Client, exchange: Exchange) -> bool:
    """True when the answer to a probe rejects the operation itself as unsupported, in any form."""
    unwritten = exchange.status >= SERVER_ERROR and NOT_IMPLEMENTED.search(exchange.response_body)
    return client.refuses(exchange) or bool(unwritten)


def _matches(declared: str, path: list[str]) -> bool:
    """True when a path, as its parts, is one of those that a document declares."""
    names = declared.split("/")
    pairs = zip(names, path, strict=False)
    return len(names) == len(path) and all(name.startswith("{") or name == part for name, part in pairs)


def _signature(exchange: Exchange) -> tuple[int, str]:
    """Return the status and text of an error without its method, its path and its ids.

    A server may say a path without its beginning.
    """
    text = exchange.response_body.decode("utf-8", "replace").replace("\\/", "/")
    url = urlsplit(exchange.url)
    parts = url.path.split("/")
    ends = ("/".join(parts[start:]) for start in range(len(parts) - SHORTEST_PATH + 1))
    for said in (f"{url.path}?{url.query}", *ends):
        text = text.replace(said, "").replace(unquote(said), "")
    text = re.sub(rf"\b{exchange.method}\b", "", text)
    return exchange.status, IDS.sub("", text)
