"""Experiments after a finding about state: one read tells whether an answer is wrong or the state behind it.

After a write that failed, it tells whether the write was done all the same. Experiments run before the objects of a
finding are cleaned up, send reads alone, and decide no verdict. Which operation reads what another one writes follows
from the document: the same path with GET, an object of a collection, or a sibling that describes it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

import msgspec
import orjson
from jsonpointer import JsonPointerException, resolve_pointer

from conformance.http.client import Client
from conformance.replay.answers import alike, all_alike
from conformance.replay.subjects import in_address, in_body, texts
from conformance.values.evidence import Evidence
from conformance.values.exchange import NO_JSON, Exchange
from conformance.values.outcomes import Skipped
from specs.openapi import JSON_TYPE, Document, Operation

MOST = 200  # experiments of a run
DESCRIBING = "describe"
GONE = (404,)
SERVER_ERROR = 500  # and above
CREATING = re.compile(r"([Cc]reate|[Dd]eclare|[Rr]egister)[A-Z][a-z]+(?P<part>.*)")
REMOVING = re.compile(r"([Dd]rop|[Dd]elete|[Dd]eregister|[Rr]ename)(?![a-z])")  # from its address
BODY_HEADERS = ("content-type", "content-length", "if-none-match", "idempotency-key")


@dataclass
class Experiments:
    """The experiments of a run. `reads` are the operations that change nothing, `left` the number still to be done."""

    reads: frozenset[str]
    left: int = MOST

    def on(self, client: Client, evidence: Evidence) -> Evidence:
        """Return the evidence of a finding with the outcome of an experiment, unchanged where none fits."""
        steps, shown = client.steps, _shown(client.steps)
        missing = evidence.aspect == "status" and evidence.statuses == GONE
        about_state = evidence.aspect in ("body", "effect") or missing or _failed(evidence)
        if (
            shown is None
            or not about_state
            or evidence.state
            or shown.made_up
            or client.traffic.stopped
            or not self.left
        ):
            return evidence
        self.left -= 1
        client.steps = list(steps)
        try:
            return _experiment(client, self.reads, steps[: steps.index(shown) + 1], evidence)
        except (Skipped, AssertionError):  # the run, or the server, ended
            return evidence
        finally:
            client.steps = steps


def _experiment(client: Client, reads: frozenset[str], steps: Sequence[Exchange], evidence: Evidence) -> Evidence:
    """Return the evidence with what a read tells about the last step."""
    document, shown = client.document, steps[-1]
    writes = [step for step in steps if step.operation in document.operations and step.operation not in reads]
    if not writes or shown.operation not in document.operations:
        return evidence
    if _failed(evidence):
        return _of_a_failed_write(client, reads, steps, evidence) if writes[-1] is shown else evidence
    if writes[-1] is shown:
        return _of_a_write(client, reads, steps, evidence)
    names = {*in_address(shown.url)}
    about = [write for write in writes if names & {*in_address(write.url), *in_body(_sent(write))}]
    write = about[-1] if about else writes[-1]
    return _of_a_read(client, steps[: steps.index(write)], write, shown, evidence)


def _of_a_read(
    client: Client, before: Sequence[Exchange], write: Exchange, shown: Exchange, evidence: Evidence
) -> Evidence:
    """Compare an answer with a second one to the same request, and with the one before the last write."""
    again = client.send(_copy(shown))
    if _seen(again, shown.mark) != _seen(shown, shown.mark):
        return msgspec.structs.replace(evidence, state="unsteady", write=write.operation)
    earlier = [step for step in before if _request(step) == _request(shown)]
    same = bool(earlier) and _seen(earlier[-1], shown.mark) == _seen(shown, shown.mark)
    if write.succeeded and (same or (evidence.statuses == GONE and shown.succeeded)):
        whole = not same or all_alike(earlier[-1].json(None), shown.json(None))
        return msgspec.structs.replace(evidence, state="not done", write=write.operation) if whole else evidence
    if not write.succeeded and earlier and not same:
        return msgspec.structs.replace(evidence, state="done", write=write.operation)
    return evidence


def _of_a_write(client: Client, reads: frozenset[str], steps: Sequence[Exchange], evidence: Evidence) -> Evidence:
    """Compare the answer of a write with the object as a read shows it, and as it was before."""
    write = steps[-1]
    load, pointer = reading(client.document, reads, write), write.mark.removeprefix("body:")
    if load is None or not write.succeeded or not pointer.startswith("/"):
        return evidence
    loaded = client.send(load)
    answered, stored = _at(write, pointer), _at(loaded, pointer)
    if not loaded.succeeded or stored is NO_JSON or answered is NO_JSON:
        return evidence
    earlier = [_at(step, pointer) for step in steps[:-1] if step.operation in (write.operation, load.operation)]
    stale = answered != stored and bool(earlier) and earlier[-1] == answered
    outcome = "stale" if stale else "answer" if answered != stored else "state"
    return msgspec.structs.replace(evidence, state=outcome, write=write.operation, reader=load.operation)


def _of_a_failed_write(
    client: Client, reads: frozenset[str], steps: Sequence[Exchange], evidence: Evidence
) -> Evidence:
    """Look whether a valid write that failed was done: whether its object, or that of the write before, has changed."""
    *before, write = steps
    document = client.document
    done = [step for step in before if step.succeeded and step.operation in document.operations]
    writes = [number for number, step in enumerate(done) if step.operation not in reads]
    load = reading(document, reads, write) or (reading(document, reads, done[writes[-1]]) if writes else None)
    if load is None:
        return evidence
    address = _path(load)
    about = [number for number, step in enumerate(done) if address in (_path(step), _read_at(document, reads, step))]
    again = [done[number] for number in about if done[number].operation == load.operation]
    load = _copy(again[-1]) if again else load  # its query may ask for more
    loaded = client.send(load)
    if _creates(write, load):
        changed = _lists(loaded, write, before) if address == _path(write) else loaded.succeeded and not about
    elif not about or any(REMOVING.match(step.operation) for step in done[about[-1] :]):
        changed = False  # it may not have been there
    elif REMOVING.match(write.operation):
        changed = loaded.status in GONE
    else:
        current = about[-1] >= max(writes, default=0)  # no other write may have changed it since
        changed = current and _has_changed(client, done[about[-1]], write, loaded)
    return msgspec.structs.replace(evidence, state="done", write=write.operation) if changed else evidence


def _failed(evidence: Evidence) -> bool:
    """True for a request that may succeed and that the server failed to process."""
    return evidence.aspect == "status" and evidence.request in ("valid", "unusual") and evidence.status >= SERVER_ERROR


def _creates(write: Exchange, load: Exchange) -> bool:
    """True for the creation of an object that has an address, not of a part of one, such as an index of a table."""
    creating = CREATING.match(write.operation)
    return creating is not None and (creating["part"] == "" or _path(load).startswith(f"{_path(write)}/"))


def _lists(listing: Exchange, write: Exchange, before: Sequence[Exchange]) -> bool:
    """True when a listing has the levels of the name that a creation was the first to send."""
    sent, shown = _sent(write), listing.json()
    if not (isinstance(sent, dict) and isinstance(shown, dict)):
        return False
    items = [item for value in shown.values() if isinstance(value, list) for item in value]
    earlier = [body for step in before if isinstance(body := _sent(step), dict)]
    return any(
        isinstance(value, list) and value in items and not any(body.get(name) == value for body in earlier)
        for name, value in sent.items()
    )


def _has_changed(client: Client, known: Exchange, write: Exchange, loaded: Exchange) -> bool:
    """True when an object differs from its state in an earlier answer.

    The same read shows each difference that a second one confirms: credentials differ in each answer. Other operations
    may show an object in another form: there, a new version counts, and a text that the write sent.
    """
    old, new = known.json(), loaded.json()
    if not (loaded.succeeded and isinstance(old, dict) and isinstance(new, dict)):
        return False
    if _request(known) == _request(loaded):
        return not all_alike(old, new) and all_alike(new, client.send(_copy(loaded)).json())
    sent, shared = set(texts(_sent(write))), old.keys() & new.keys()
    numbers = [name for name in shared if type(old[name]) is type(new[name]) is int]
    return any(not alike(old[name], new[name]) for name in numbers) or any(
        sent & (set(texts(new[name])) - set(texts(old[name]))) for name in shared
    )


def reading(document: Document, reads: frozenset[str], write: Exchange) -> Exchange | None:
    """Return a request that reads the object of a write, None where the document has none."""
    parts = urlsplit(write.url)
    path = document.operations[write.operation].path
    parent, _, last = path.rpartition("/")
    name = _named(write)
    candidates = [
        Candidate(f"{path}/{{}}", f"{parts.path}/{quote(name, safe='')}" if name else ""),
        Candidate(path, parts.path),
        Candidate(f"{parent}/{DESCRIBING}", f"{parts.path.rpartition('/')[0]}/{DESCRIBING}" if "{" not in last else ""),
    ]
    for candidate in candidates:
        for operation in document.operations.values():
            if candidate.fits(operation) and operation.id in reads and operation.method != "HEAD":
                url = urlunsplit(parts._replace(path=candidate.address, query=""))
                body = b"{}" if operation.request else b""
                kind = {"Content-Type": JSON_TYPE} if body else {}
                sent = {key: value for key, value in write.request_headers.items() if key.lower() not in BODY_HEADERS}
                return Exchange(operation.id, operation.method, url, {**sent, **kind}, body)
    return None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A path of the document that may read an object, "{}" for a last parameter, and its address on the server."""

    path: str
    address: str

    def fits(self, operation: Operation) -> bool:
        """True for an operation of this path."""
        own = re.sub(r"/\{[^{}]*\}$", "/{}", operation.path) if self.path.endswith("/{}") else operation.path
        return bool(self.address) and own == self.path


def _shown(steps: Sequence[Exchange]) -> Exchange | None:
    marked = [step for step in steps if step.mark]
    return marked[-1] if marked else None


def _named(write: Exchange) -> str:
    """Return the name that the body of a creation gives to its object, also one level deeper, "" for none."""
    body = _sent(write)
    if isinstance(body, dict) and "name" not in body:
        body = next((value for value in body.values() if isinstance(value, dict) and "name" in value), body)
    name = body.get("name") if isinstance(body, dict) else None
    return name if isinstance(name, str) else ""


def _sent(write: Exchange) -> Any:
    """Return the JSON body of a request, None for another one."""
    try:
        return orjson.loads(write.request_body)
    except orjson.JSONDecodeError:
        return None


def _read_at(document: Document, reads: frozenset[str], step: Exchange) -> str:
    """Return the path at which the object of a write is read, "" for none."""
    read = None if step.operation in reads else reading(document, reads, step)
    return _path(read) if read else ""


def _copy(exchange: Exchange) -> Exchange:
    return Exchange(exchange.operation, exchange.method, exchange.url, exchange.request_headers, exchange.request_body)


def _request(exchange: Exchange) -> tuple[str, str, bytes]:
    return exchange.method, exchange.url, exchange.request_body


def _path(exchange: Exchange) -> str:
    return urlsplit(exchange.url).path


def _seen(exchange: Exchange, mark: str) -> tuple[int, Any]:
    """Return the status of an answer and its marked value, the whole body where nothing in it is marked."""
    marked = _at(exchange, mark.removeprefix("body:")) if mark.startswith("body:/") else None
    value = exchange.json(NO_JSON) if marked in (None, NO_JSON) else marked
    return exchange.status, exchange.response_body if value is NO_JSON else value


def _at(exchange: Exchange, pointer: str) -> Any:
    """Return the value at a place of an answer, NO_JSON for none."""
    try:
        return resolve_pointer(exchange.json(NO_JSON), pointer, NO_JSON)
    except JsonPointerException:
        return NO_JSON
