"""Watch of derived faults: notes at each call which faults would change something, while nothing misbehaves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from copy import copy
from dataclasses import replace
from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.errors import CatalogError
from reference_server.faults import UNREADABLE, Call, Fault, Proceed


class Watch:
    """Tries derived faults on copies of a server's answers, each fault until it would have changed one."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self._faults: defaultdict[str, list[Fault]] = defaultdict(list)
        faults = list(faults)
        self._notes = {fault.notes for fault in faults if fault.notes}
        for fault in faults:
            for operation in fault.operations:
                self._faults[operation].append(fault)
        self._state: dict[str, Any] = {}  # state of faults between calls
        self._reached: set[str] = set()

    def take(self) -> set[str]:
        """Return the faults that would have changed a request or an answer since the last call."""
        taken, self._reached = self._reached, set()
        return taken

    def as_fault(self) -> Fault:
        """Return the fault that a server applies to each call."""
        return Fault("watch", "Nothing is wrong.", frozenset(), self._around)

    async def _around(self, call: Call, proceed: Proceed) -> Reply:
        faults = [fault for fault in self._faults[call.operation.id] if fault.name not in self._reached]
        asked = replace(call, request=copy(call.request), path=dict(call.path), state=self._state)
        reply = await proceed()
        for fault in faults:
            if await _changes(fault, asked, reply):
                self._reached.add(fault.name)
        for note in self._notes:
            note(asked, reply)
        return reply


async def _changes(fault: Fault, asked: Call, reply: Reply) -> bool:
    """Return whether a fault changes the request or the answer of a call."""
    call = replace(asked, request=copy(asked.request), path=dict(asked.path))
    sent, proceeded, changed = _sent(call), False, False

    async def proceed() -> Reply:
        nonlocal proceeded, changed
        proceeded, changed = True, _sent(call) != sent
        return replace(reply, headers=dict(reply.headers))

    try:
        answer = await fault.around(call, proceed)
    except CatalogError:
        return True
    except UNREADABLE:
        return changed
    return changed or not proceeded or _differ(answer, reply)


def _sent(call: Call) -> tuple[object, ...]:
    request = call.request
    return request.query, request.body, {name.title(): value for name, value in request.headers.items()}


def _differ(answer: Reply, reply: Reply) -> bool:
    same = answer.status == reply.status and answer.body == reply.body
    return not same and _content(answer) != _content(reply)


def _content(reply: Reply) -> bytes:
    try:
        body = orjson.dumps(orjson.loads(reply.body), option=orjson.OPT_SORT_KEYS)
    except orjson.JSONDecodeError:
        body = reply.body
    return b"%d %s" % (reply.status, body)
