"""A rule at work in one catalog: which requests it has seen, and what it does to them."""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any

import orjson

from reference_server.answer_fields import answer_fields, edited, with_field, without
from reference_server.api import Api
from reference_server.context import Reply, Request
from reference_server.faults import (
    Call,
    Fault,
    Proceed,
    apply_faults,
    find_fault,
    has_arguments,
    without_arguments,
)
from reference_server.rules.matching import meets
from reference_server.rules.rule import Rule
from reference_server.rules.smallest import smallest_success
from specs.errors import NOT_ACCEPTABLE, STATUS
from specs.openapi import JSON_TYPE, Document

CONTENT_TYPE, TEXT_TYPE = "Content-Type", "text/plain; charset=utf-8"
WITHOUT_BODY = (HTTPStatus.NO_CONTENT, HTTPStatus.RESET_CONTENT, HTTPStatus.NOT_MODIFIED)
ENDPOINTS = "endpoints"
PLAIN = re.compile(r"[^A-Za-z]")
MOST_STALE = 1_000
"""Answers that a stale rule remembers."""
RequestKey = tuple[str, str, bytes]


@dataclass(slots=True, eq=False, repr=False)
class RunningRule:
    """A rule of a catalog, with its number there.

    `operations` are those of the rule, empty for any; `listing` those whose answers name the endpoints of the server.
    `seen` counts the requests that it is for, `used` those that it has changed, `others` the requests of its operations
    that do not meet its conditions. Only the event loop of the server counts, so that two requests never use the same
    turn.
    """

    id: int
    rule: Rule
    operations: frozenset[str] = frozenset()
    listing: frozenset[str] = frozenset()
    seen: int = 0
    used: int = 0
    others: int = 0
    fault: Fault | None = None
    _answers: OrderedDict[RequestKey, Reply] = field(default_factory=OrderedDict)

    @property
    def name(self) -> str:
        """The name of the rule in logs: its text, or the name of the fault that it stands for."""
        return self.fault.name if self.fault and self.rule == Rule(fault=self.rule.fault) else str(self.rule)

    def __repr__(self) -> str:
        return f"RunningRule({self.id}, {str(self.rule)!r}, seen={self.seen}, used={self.used})"

    @property
    def is_over(self) -> bool:
        """True when the rule has been used as often as it says."""
        return self.rule.times is not None and self.used >= self.rule.times

    @property
    def idle(self) -> str:
        """Why the rule has changed nothing, "" for one that was used, and for one that describes the server."""
        if self.used or self.rule.absent:
            return ""
        if self.seen:
            due = self.seen <= self.rule.after or self.seen < self.rule.every
            reason = "none was due" if due else "none had anything to change"
            return f"of {self.seen} requests that it is for, {reason}"
        if self.others:
            return f"none of {self.others} requests of its operation meets its conditions"
        return "no request of its operation arrived"

    def as_json(self) -> dict[str, Any]:
        """Return the rule for clients: its number, its text, its fields and its counts."""
        return {"id": self.id, "rule": str(self.rule), **self.rule.fields, "seen": self.seen, "used": self.used}

    def as_fault(self) -> Fault:
        """Return the fault that the server applies to every call."""
        touched = self.fault.operations if self.fault else frozenset[str]()
        operations = self.operations or touched
        if self.rule.absent and operations:
            operations |= self.listing
        notes = self.fault.notes if self.fault else None
        return Fault(self.name, str(self.rule), operations, self._around, notes=notes, named=False)

    async def _around(self, call: Call, proceed: Proceed) -> Reply:
        if self.rule.absent and call.operation.id in self.listing:
            return self._without_endpoints(await proceed(), call)
        if self.operations and call.operation.id not in self.operations:
            return await proceed()
        if not meets(self.rule, call):
            self.others += 1
            return await proceed()
        if echoed := _own_page_tokens(self.rule, call.request):
            call.request = without_arguments(call.request, echoed)
        if self.rule.stale:
            return await self._stale(call, proceed)
        if self._edits(call):
            return await self._edit(call, proceed)
        if not self._is_due():
            return await proceed()
        self._use(call)
        return await self._act(call, proceed)

    def _edits(self, call: Call) -> bool:
        """Return whether the rule only edits the answer, so that nothing may be left to change."""
        rule = self.rule
        acts = rule.refuses or rule.cut or rule.half or rule.delay or rule.fault or rule.given
        return not (acts or has_arguments(call, rule.ignored))

    async def _edit(self, call: Call, proceed: Proceed) -> Reply:
        """Edit the answer, if that changes it: an answer that stays as it is does not use the rule."""
        reply = await proceed()
        changed = self._changed(copy(reply), call)
        if changed == reply:
            self.seen += 1
            return reply
        if not self._is_due():
            return reply
        self._use(call)
        return changed

    def _is_due(self) -> bool:
        """Count a request that the rule is for, and return whether its turn has come."""
        self.seen += 1
        turn = self.seen - self.rule.after
        return turn > 0 and turn % self.rule.every == 0 and not self.is_over

    def _use(self, call: Call) -> None:
        self.used += 1
        call.request.applied.append(self.name)

    async def _act(self, call: Call, proceed: Proceed) -> Reply:
        rule = self.rule
        _alter(rule, call)
        done = await proceed() if rule.applied else None
        if rule.delay:
            await asyncio.sleep(rule.delay)
        if rule.cut:
            raise ConnectionAbortedError
        if rule.refuses:
            return self._changed(self._refusal(call), call)
        if self.fault is not None:
            reply = await apply_faults([replace(self.fault, notes=None, named=False)], call, proceed)
        else:
            reply = done or await proceed()
        return self._changed(copy(reply), call)

    def _refusal(self, call: Call) -> Reply:
        rule = self.rule
        status = rule.status or call.document.errors.unsupported.get(STATUS, NOT_ACCEPTABLE)
        message = rule.message or f"The server returns this by the rule {str(rule)!r}."
        reply: Reply = call.api.render(call.api.error_of(call.operation, status, rule.error, message), call.request)
        return reply

    def _changed(self, reply: Reply, call: Call) -> Reply:
        """Return an answer with the changes of the rule. Only errors of the rule itself have its fields."""
        rule = self.rule
        if rule.status is not None and not rule.refuses:
            reply = reply if reply.status < HTTPStatus.BAD_REQUEST else smallest_success(call)
            reply.status = rule.status
        fits = reply.status < HTTPStatus.BAD_REQUEST or rule.refuses or rule.fault
        if fits and (rule.lost or rule.changed) and reply.body and reply.content_type == JSON_TYPE:
            reply.body = self._edited(reply.body)
        if rule.body is not None:
            reply.body, reply.content_type = rule.body.encode(), TEXT_TYPE
        headers = {name.title(): text for name, text in rule.headers.items()}
        reply.content_type = headers.pop(CONTENT_TYPE, reply.content_type)
        reply.headers = {**reply.headers, **headers}
        if reply.status in WITHOUT_BODY or call.request.method == "HEAD":
            reply.body = b""
        reply.half = rule.half
        return reply

    def _without_endpoints(self, reply: Reply, call: Call) -> Reply:
        """Return an answer that names the endpoints of the server without those of the rule."""
        if reply.status >= HTTPStatus.BAD_REQUEST or not reply.body:
            return reply
        removed = [call.document.operations[id] for id in self.operations if id in call.document.operations]
        names = {f"{operation.method} {operation.own_path}" for operation in removed}
        value = orjson.loads(reply.body)
        shorter = edited(value, ENDPOINTS, lambda listed: [name for name in listed if name not in names])
        return replace(reply, body=orjson.dumps(shorter))

    def _edited(self, body: bytes) -> bytes:
        value = before = orjson.loads(body)
        for place in self.rule.lost:
            value = without(value, place)
        for place, new in self.rule.changed.items():
            value = with_field(value, place, new)
        return body if value == before else orjson.dumps(value)

    async def _stale(self, call: Call, proceed: Proceed) -> Reply:
        """Answer as the same request was answered before the last change; without a change, nothing is due."""
        reply, key = await proceed(), (call.request.method, call.request.target, call.request.body)
        before = self._answers.get(key)
        if before is None or _alike(before, reply) or not self._is_due():
            self._remember(key, reply)
            return reply
        self._use(call)
        return copy(before)

    def _remember(self, key: RequestKey, reply: Reply) -> None:
        self._answers[key] = copy(reply)
        if len(self._answers) > MOST_STALE:
            self._answers.popitem(last=False)


def _alike(one: Reply, other: Reply) -> bool:
    return (one.status, one.body) == (other.status, other.body)


def _alter(rule: Rule, call: Call) -> None:
    """Change a request as the rule says: arguments that it ignores, and others that it gives."""
    if rule.ignored:
        call.request = without_arguments(call.request, rule.ignored)
    if rule.given:
        query = {**call.request.query, **{name: [value] for name, value in rule.given.items()}}
        call.request = call.request.altered(query=query)


def _own_page_tokens(rule: Rule, request: Request) -> list[str]:
    """Return the query parameters with a page token that the rule itself put into an answer: they count as not sent.

    The field `next-page-token` has the value for the parameter `pageToken`.
    """
    texts = {PLAIN.sub("", place).lower(): str(value) for place, value in rule.changed.items()}
    return [
        name
        for name, values in request.query.items()
        if texts
        if any(PLAIN.sub("", name).lower() in field and values[-1:] == [text] for field, text in texts.items())
    ]


def running_rule(id: int, rule: Rule, apis: Sequence[Api]) -> RunningRule:
    """Return a rule at work on the operations of these APIs. Raises Problem for an unknown fault."""
    documents = [api.document for api in apis]
    fault = find_fault(rule.fault, documents) if rule.fault else None
    operations = frozenset(id for api in apis for id in operations_of(rule.operation, api)) if rule.operation else None
    listing = frozenset(id for document in documents for id in _listing(document)) if rule.absent else frozenset()
    return RunningRule(id, rule, operations or frozenset(), listing, fault=fault)


def operations_of(name: str, api: Api) -> frozenset[str]:
    """Return the operations of an API that a name means: an operation, or a group."""
    return frozenset({name}) if name in api.document.operations else api.groups.get(name, frozenset())


def _listing(document: Document) -> list[str]:
    """Return the operations whose answers name the endpoints of a server."""
    return [
        operation.id
        for operation in document.operations.values()
        if any(field.path == ENDPOINTS for field in answer_fields(document, operation))
    ]
