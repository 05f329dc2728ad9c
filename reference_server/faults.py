"""Named faults: misbehaviour of the reference server on request (`--fault NAME`, or the header `X-Lakeproof-Fault`).

A fault is a function around a call.
The faults of every API live in `common_faults.py`, those of one API in its folder (`reference_server/lance/faults/`),
and those that follow from the document of any API in `derived_faults.py`. All of them are for clients; other modules
may declare further ones, see `register`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, Protocol

import orjson

from reference_server.context import Reply, Request
from reference_server.errors import (
    CatalogError,
    InvalidInput,
    Unsupported,
)
from specs.openapi import JSON_TYPE, Document, Operation
from specs.problems import Problem

HEADER, PROBLEM = "X-Lakeproof-Fault", "X-Lakeproof-Problem"
MOST_SECONDS = 3600
NUMBER = re.compile(r"[-+.\d]")  # how a number starts, and no operation
NOWHERE = Operation("", "", "", "", (), False, (), None, {})  # stands for requests that match no operation


@dataclass(slots=True)
class Call:
    """A routed request on its way to its handler. A fault may change `request` and `path` before it goes on.

    `document` is the one that the server serves. `state` belongs to the server and outlives the call: what a fault
    has to remember. `api` answers the call: a fault may put a copy with other parts in its place.
    """

    document: Document
    request: Request
    operation: Operation
    path: dict[str, str]
    state: dict[str, Any]
    api: Any = None

    def turn_to(self, operation_id: str) -> None:
        """Become a call of another operation. Raises Unsupported where the document has none of this name."""
        operation = self.document.operations.get(operation_id)
        if operation is None:
            raise Unsupported(f"The fault needs {operation_id}, which the document does not have.")
        self.operation = operation


Proceed = Callable[[], Awaitable[Reply]]
Around = Callable[[Call, Proceed], Awaitable[Reply]]
Notes = Callable[[Call, Reply], None]
UNREADABLE = (LookupError, TypeError, AttributeError, ValueError)  # of code that expects requests as they should be


@dataclass(frozen=True, slots=True)
class Fault:
    """A named misbehaviour.

    `breaks` says in one sentence what is wrong with the answers, `operations` which operations it touches
    (none given: all). `timed` makes another of it that takes other seconds, where it takes any. `notes` is called with
    each call and its right answer, whatever the operation, where the fault depends on what was done before. Where
    `named` is false, the fault itself notes its name at the requests that it changes.
    """

    name: str
    breaks: str
    operations: frozenset[str]
    around: Around
    timed: Callable[[float], Around] | None = None
    notes: Notes | None = None
    named: bool = True

    @property
    def form(self) -> str:
        """The form of a request for the fault: its name, and SECONDS where it takes them."""
        return f"{self.name}[:SECONDS]" if self.timed else self.name

    def touches(self, operation_id: str) -> bool:
        """True when the fault changes this operation."""
        return not self.operations or operation_id in self.operations


FAULTS: dict[str, Fault] = {}


class FaultFamily(Protocol):
    """Faults that follow from a document: see `derived_faults.py`."""

    def fault(self, operation: str, subject: str) -> Fault:
        """Return the fault of an operation and a subject, "" where the family has none."""

    def subjects(self, document: Document, operation: Operation) -> Iterable[str]:
        """Return the subjects of an operation that the family breaks."""


FAMILIES: dict[str, FaultFamily] = {}
FURTHER: list[str] = []  # modules that are imported when a fault is requested that none of the others declares


def register(*modules: str) -> None:
    """Add modules that declare further faults. They are imported when an unknown name is requested."""
    FURTHER.extend(modules)


def import_modules(package: ModuleType) -> None:
    """Import every module of a package, each of which declares faults."""
    for module in iter_modules(package.__path__, f"{package.__name__}."):
        import_module(module.name)


def declare(name: str, breaks: str, around: Around, *, on: Sequence[str] = ()) -> None:
    """Register a fault on some operations, all when none is given.

    Another API may declare the same fault, in the same words, on its own operations; one of the two may be for
    all operations that the other does not name. Else a name that is used twice is an error.
    """
    new = Fault(name, breaks, frozenset(on), around)
    FAULTS[name] = _joined(FAULTS[name], new) if name in FAULTS else new


def fault(name: str, breaks: str = "", *, on: Sequence[str] = ()) -> Callable[[Around], Around]:
    """Return a decorator that declares a fault (see `declare`); its sentence may be the docstring of the function.

    fault("location-lost", "Answers do not say where a table lies.")(fields_lost("location"))
    """

    def register(around: Around) -> Around:
        declare(name, breaks or around.__doc__ or "", around, on=on)
        return around

    return register


def timed_fault(name: str, breaks: str, default: float, timed: Callable[[float], Around]) -> None:
    """Register a fault on all operations that takes a number of seconds: `NAME:2.5`."""
    declare(name, breaks, timed(default))
    FAULTS[name] = replace(FAULTS[name], timed=timed)


def _joined(first: Fault, other: Fault) -> Fault:
    """Return a fault of two APIs."""
    narrow, wide = (first, other) if first.operations else (other, first)
    if first.breaks != other.breaks or not narrow.operations or narrow.operations & wide.operations:
        raise ValueError(f"the fault {first.name} is declared twice")

    async def around(call: Call, proceed: Proceed) -> Reply:
        chosen = narrow if narrow.touches(call.operation.id) else wide
        return await chosen.around(call, proceed)

    operations = narrow.operations | wide.operations if wide.operations else wide.operations
    return Fault(first.name, first.breaks, operations, around)


def find_fault(text: str, documents: Sequence[Document] = ()) -> Fault:
    """Return the fault that `NAME` means, `NAME:OPERATION` for one operation only, or `FAMILY:OPERATION:SUBJECT`.

    A name that is declared may itself have a colon. A fault that takes seconds may have them at the end.

    Raises Problem, with near names, for an unknown one: where documents are given, also for an operation that none of
    them has, and for a subject that the operation does not have there.
    """
    name, _, rest = text.partition(":")
    if FURTHER and not {text, name} & {*FAULTS, *FAMILIES}:
        _import_further()
    if text in FAULTS:
        return FAULTS[text]
    operation, _, subject = rest.partition(":")
    if name in FAMILIES and operation:
        _check_place(name, operation, subject, documents)
        return FAMILIES[name].fault(operation, subject)
    if name not in FAULTS:
        raise _unknown(f"There is no fault {name!r}.", name, [*FAULTS, *FAMILIES])
    fault, operation = _with_seconds(FAULTS[name], rest)
    if not operation:
        return fault
    _check_place(name, operation, "", documents)
    return replace(fault, operations=frozenset({operation}))


def _import_further() -> None:
    while FURTHER:
        import_module(FURTHER.pop())


def _with_seconds(fault: Fault, rest: str) -> tuple[Fault, str]:
    """Return a fault with the seconds that stand at the end of what follows its name, and the operation before them."""
    operation, _, seconds = rest.rpartition(":") if ":" in rest or NUMBER.match(rest) else (rest, "", "")
    if not fault.timed or not seconds:
        return fault, rest
    try:
        number = float(seconds)
    except ValueError:
        number = -1
    if not 0 <= number <= MOST_SECONDS:
        hint = f"Give a number from 0 to {MOST_SECONDS:,}: {fault.name}:2.5"
        raise Problem(f"The fault {fault.name} cannot have {seconds!r} seconds.", hint)
    return replace(fault, around=fault.timed(number)), operation


def _check_place(name: str, operation: str, subject: str, documents: Sequence[Document]) -> None:
    """Raise Problem for an operation or a subject that is in none of the documents, if any are given."""
    if not documents:
        return
    having = [document for document in documents if operation in document.operations]
    if not having:
        known = [id for document in documents for id in document.operations]
        raise _unknown(f"The fault {name} is for {operation!r}, which is not an operation here.", operation, known)
    if name in FAMILIES:
        family = FAMILIES[name]
        subjects = {
            subject for document in having for subject in family.subjects(document, document.operations[operation])
        }
        if subject not in subjects:
            raise _unknown(f"The fault {name} finds no {subject!r} in {operation}.", subject, sorted(subjects))


def _unknown(message: str, word: str, known: Sequence[str]) -> Problem:
    near = difflib.get_close_matches(word, known, n=3)
    hint = f"Did you mean {' or '.join(near)}? " if near else ""
    return Problem(message, f"{hint}`lakeproof serve --list-faults` shows them all.")


def requested_faults(header: str | None, documents: Sequence[Document]) -> list[Fault]:
    """Return the faults that a request asks for in its header.

    Raises InvalidInput for unknown ones.
    """
    try:
        return [find_fault(name.strip(), documents) for name in (header or "").split(",") if name.strip()]
    except Problem as problem:
        raise refused_header(f"{problem.message} {problem.hint}".strip()) from None


def refused_header(text: str) -> InvalidInput:
    """Return the error of a request whose header asks for a fault; a header says why, since HEAD has no body."""
    return InvalidInput(text, {PROBLEM: text.encode("ascii", "backslashreplace").decode()})


async def apply_faults(faults: Sequence[Fault], call: Call, proceed: Proceed) -> Reply:
    """Run the call inside the faults that touch its operation, the first one outermost."""
    if notes := {fault.notes for fault in faults if fault.notes}:
        proceed = _noted(notes, call, proceed)
    for fault in reversed(faults):
        if fault.touches(call.operation.id):
            proceed = _wrapped(fault, call, proceed)
    return await proceed()


def _noted(notes: Collection[Notes], call: Call, proceed: Proceed) -> Proceed:
    """Return the call with notes of its right answer."""

    async def noted() -> Reply:
        reply = await proceed()
        for note in notes:
            note(call, reply)
        return reply

    return noted


def _wrapped(fault: Fault, call: Call, proceed: Proceed) -> Proceed:
    """Return the call inside a fault; a request that the fault cannot read is answered as if there was none."""
    reached = False

    async def inside() -> Reply:
        nonlocal reached
        reached = True
        return await proceed()

    async def outside() -> Reply:
        if fault.named:
            call.request.applied.append(fault.name)
        try:
            return await fault.around(call, inside)
        except UNREADABLE:
            if reached:
                raise
        return await proceed()

    return outside


# Building blocks: what declarations are made of.


def status_becomes(before: int, after: int) -> Around:
    """Answer `after` wherever the right answer has status `before`."""

    async def around(_call: Call, proceed: Proceed) -> Reply:
        reply = await proceed()
        if reply.status == before:
            reply.status = after
        return reply

    return around


def body_becomes(edit: Callable[[Any], Any], *statuses: int) -> Around:
    """Replace the JSON body of answers with one of these statuses, or any, by what `edit` makes of it."""

    async def around(_call: Call, proceed: Proceed) -> Reply:
        reply = await proceed()
        if reply.body and reply.content_type == JSON_TYPE and (reply.status in statuses or not statuses):
            reply.body = orjson.dumps(edit(orjson.loads(reply.body)))
        return reply

    return around


def fields_lost(*names: str) -> Around:
    """Leave these fields out of every answer that is an object."""
    return body_becomes(
        lambda body: {key: body[key] for key in body if key not in names} if isinstance(body, dict) else body
    )


def arguments_lost(*names: str) -> Around:
    """Act as if these arguments had not been sent, in the query or in the body."""

    async def around(call: Call, proceed: Proceed) -> Reply:
        query = {name: values for name, values in call.request.query.items() if name not in names}
        call.request = call.request.altered(query=query, body=_without(call.request.body, names))
        return await proceed()

    return around


def has_arguments(call: Call, names: Collection[str]) -> bool:
    """Return whether a request has any of these arguments, in the query, the body or the headers."""
    body = (content(call) if names else None) or {}
    return any(name in sent for name in names for sent in (call.request.query, call.request.headers, body))


def without_arguments(request: Request, names: Collection[str]) -> Request:
    """Return a request without these arguments, in the query, the body and the headers."""
    query = {name: values for name, values in request.query.items() if name not in names}
    lost = {name.title() for name in names}
    headers = {name.title(): value for name, value in request.headers.items() if name.title() not in lost}
    return request.altered(query=query, body=_without(request.body, names), headers=headers)


def _without(body: bytes, names: Collection[str]) -> bytes:
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        return body
    return orjson.dumps({key: value[key] for key in value if key not in names}) if isinstance(value, dict) else body


def request_becomes(edit: Callable[[dict[str, Any]], Any]) -> Around:
    """Do what the JSON object in a request would ask for after `edit`."""

    async def around(call: Call, proceed: Proceed) -> Reply:
        body = content(call)
        if body is not None:
            call.request = call.request.altered(body=orjson.dumps(edit(body)))
        return await proceed()

    return around


def content(call: Call) -> dict[str, Any] | None:
    """Return the JSON object that is the body of a request, None for any other body."""
    try:
        value = orjson.loads(call.request.body)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def answers(status: int, value: Any, headers: Mapping[str, str] | None = None) -> Around:
    """Answer this without doing anything; None is an empty body."""

    async def around(_call: Call, _proceed: Proceed) -> Reply:
        return Reply(status, b"" if value is None else orjson.dumps(value), headers=dict(headers or {}))

    return around


def header_lost(*names: str) -> Around:
    """Act as if these headers had not been sent."""
    lost = {name.title() for name in names}

    async def around(call: Call, proceed: Proceed) -> Reply:
        spelled = {name.title(): value for name, value in call.request.headers.items()}
        remaining = {name: value for name, value in spelled.items() if name not in lost}
        call.request = call.request.altered(headers=remaining)
        return await proceed()

    return around


def each_of(*arounds: Around) -> Around:
    """Misbehave in several ways at once; the first is outermost."""

    async def around(call: Call, proceed: Proceed) -> Reply:
        inner = proceed
        for around in reversed(arounds):
            inner = _around(around, call, inner)
        return await inner()

    return around


def _around(around: Around, call: Call, proceed: Proceed) -> Proceed:
    return lambda: around(call, proceed)


def refuses(error: CatalogError) -> Around:
    """Refuse without doing anything, in the error body of the API."""

    async def around(_call: Call, _proceed: Proceed) -> Reply:
        raise type(error)(error.message, error.headers)

    return around
