"""Effects of the faults that follow from a document (`derived_faults.py`), each a function of a subject."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

import orjson

from reference_server.answer_fields import allowed_values, another, answer_fields, edited, without
from reference_server.context import Reply
from reference_server.errors import Conflict
from reference_server.faults import Around, Call, Proceed, body_becomes, without_arguments
from specs.openapi import JSON_TYPE, Operation

KEY = "Idempotency-Key"
DONE = (200, 201, 202)
READING = ("GET", "HEAD")
REPEATABLE = (*READING, "PUT", "DELETE")
WHAT_TELLS_ERRORS_APART = ("code", "type")  # in the error bodies of the APIs, at their top or one level below


def refusals(operation: Operation) -> list[str]:
    """Return the statuses with which an operation refuses, as the document declares them."""
    return [status for status in operation.responses if status.isdecimal() and 400 <= int(status) < 500]


def argument_ignored(name: str) -> Around:
    """Act as if an argument had not been sent, in the query, the body or a header."""

    async def around(call: Call, proceed: Proceed) -> Reply:
        call.request = without_arguments(call.request, (name,))
        return await proceed()

    return around


def field_lost(path: str) -> Around:
    """Answer success without a field."""
    return body_becomes(lambda body: without(body, path), *DONE)


def field_changed(path: str) -> Around:
    """Answer success with another value of a field, one that is allowed."""

    async def around(call: Call, proceed: Proceed) -> Reply:
        allowed = allowed_values(call.document, call.operation, path)
        change = body_becomes(lambda body: edited(body, path, lambda value: another(value, allowed)), *DONE)
        return await change(call, proceed)

    return around


def list_shortened(path: str) -> Around:
    """Answer success with a list that lacks its last item."""
    return body_becomes(
        lambda body: edited(body, path, lambda value: value[:-1] if isinstance(value, list) else value), *DONE
    )


def other_status(status: str) -> Around:
    """Answer with another status of those that the operation declares for refusals."""

    async def around(call: Call, proceed: Proceed) -> Reply:
        reply = await proceed()
        if str(reply.status) == status:
            others = [choice for choice in refusals(call.operation) if choice != status]
            reply.status = int(others[0]) if others else 418
        return reply

    return around


def other_error(status: str) -> Around:
    """Refuse with the code and the type of another error."""

    def edit(body: Any) -> Any:
        for name in WHAT_TELLS_ERRORS_APART:
            for path in (name, f"*.{name}"):
                body = edited(body, path, another)
        return body

    async def around(call: Call, proceed: Proceed) -> Reply:
        reply = await proceed()
        if str(reply.status) == status and reply.body:
            reply.body = orjson.dumps(edit(orjson.loads(reply.body)))
        return reply

    return around


def said_only(subject: str) -> Around:
    """Answer success without doing anything. Faults with different subjects remember nothing of each other.

    Where an answer has fields that it must have, the first call that succeeds is done, and answers for all later ones,
    with their names.
    """

    async def around(call: Call, proceed: Proceed) -> Reply:
        plain = _plain_success(call)
        if plain is not None:
            return plain
        first: dict[str, tuple[dict[str, str], Reply]] = call.state.setdefault(f"said-only {subject}", {})
        if call.operation.id not in first:
            reply = await proceed()
            if reply.status < 300:
                first[call.operation.id] = dict(call.path), copy(reply)
            return reply
        names, first_reply = first[call.operation.id]
        reply = copy(first_reply)
        if reply.content_type == JSON_TYPE:
            changes = {before: call.path[name] for name, before in names.items()}
            reply.body = orjson.dumps(_renamed(orjson.loads(reply.body), changes))
        return reply

    return around


def _renamed(value: Any, changes: Mapping[str, str]) -> Any:
    """Return a JSON value with other names in its texts; keys stay."""
    if isinstance(value, dict):
        return {key: _renamed(item, changes) for key, item in value.items()}
    if isinstance(value, list):
        return [_renamed(item, changes) for item in value]
    if isinstance(value, str):
        for before, after in changes.items():
            value = value.replace(before, after)
    return value


def _plain_success(call: Call) -> Reply | None:
    """Return an empty answer of success, None where the document requires content."""
    status = call.operation.successes[0]
    content = call.operation.responses[str(status)].content
    if not content:
        return Reply(status)
    fields = answer_fields(call.document, call.operation)
    if JSON_TYPE not in content or any(field.required and "." not in field.path for field in fields):
        return None
    return Reply(status, b"{}")


def first_answer(subject: str) -> Around:
    """Answer a request that equals an earlier one as that was answered, with the subject of a fault in mind."""

    async def around(call: Call, proceed: Proceed) -> Reply:
        answered: dict[tuple[str, str, bytes], Reply] = call.state.setdefault(f"first-answer {subject}", {})
        request = call.request
        key = request.method, request.target, request.body
        if key not in answered:
            reply = await proceed()
            if reply.status >= 300:
                return reply
            answered[key] = reply
        return copy(answered[key])

    return around


def repeat_refused(_subject: str) -> Around:
    """Refuse what succeeded before: the same idempotency key, or the same request where there is none."""

    async def around(call: Call, proceed: Proceed) -> Reply:
        refused: set[tuple[str, ...]] = call.state.setdefault("repeat-refused", set())
        request = call.request
        key = request.headers.get(KEY)
        identity = (key,) if key else (request.method, request.target, request.body.hex())
        if identity in refused:
            raise Conflict("This was done before.")
        reply = await proceed()
        if reply.status < 300 and (key or call.operation.method in REPEATABLE):
            refused.add(identity)
        return reply

    return around
