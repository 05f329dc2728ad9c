"""Check of rules against the documents that a server serves: operations, statuses, errors, fields and faults."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from http import HTTPStatus

from reference_server.answer_fields import ANY, answer_fields, body_fields
from reference_server.api import Api
from reference_server.faults import FAMILIES, FAULTS, MOST_SECONDS, find_fault
from reference_server.rules.rule import BODY, FLAGS, HEADER, QUERY, Rule
from reference_server.rules.running import operations_of
from specs.openapi import Operation
from specs.problems import Problem, did_you_mean

NAMED = (f"{HEADER}NAME", f"{QUERY}NAME")
OWN = "x-"  # how names of fields begin that no document has
ASSIGNED = {status.value for status in HTTPStatus if status >= 200}
QUERY_PLACE, HEADER_PLACE = "query", "header"
Place = tuple[Api, Operation]


def check_rule(rule: Rule, apis: Sequence[Api]) -> None:
    """Raise Problem, with the nearest names, for a rule that no request or answer of these APIs can fit."""
    places = list(_places(rule, apis))
    if rule.delay > MOST_SECONDS:
        raise Problem(f"{rule}: the delay is longer than {MOST_SECONDS:,} seconds.", "Give a shorter one.")
    if rule.fault:
        _check_fault(rule, places, apis)
    for name in rule.where:
        _check_condition(rule, name, places)
    if rule.status is not None:
        _check_status(rule, places)
    if rule.error:
        known = sorted({name for api in apis for name in api.known_errors})
        if rule.error not in known:
            near = did_you_mean(rule.error, [*known, *FLAGS], most=5)
            raise Problem(f"{rule}: the document has no error {rule.error!r}.", f"{near} {_other_error(rule, apis)}")
    if rule.operation and not (rule.refuses or rule.fault):
        for name in (*rule.ignored, *rule.given):
            _check_argument(rule, name, places)
        for field in (*rule.lost, *rule.changed):
            _check_field(rule, field, places)


def _other_error(rule: Rule, apis: Sequence[Api]) -> str:
    """Return the hint for an error of a name that no document has: a field of the error body."""
    pointers = {api.document.errors.type or api.document.errors.code for api in apis}
    place = next(iter(sorted(pointers)), "").strip("/").replace("/", ".")
    return f"For any other name: {rule.status or 400} {BODY}{place}={rule.error}"


def _check_fault(rule: Rule, places: Sequence[Place], apis: Sequence[Api]) -> None:
    fault = find_fault(rule.fault, [api.document for api in apis])
    if rule.operation and not any(fault.touches(operation.id) for _, operation in places):
        message = f"{rule}: the fault {rule.fault} does not change {rule.operation}."
        raise Problem(message, f"It changes: {', '.join(sorted(fault.operations))}.")


def operation_names(apis: Sequence[Api]) -> list[str]:
    """Return the ids of all operations, and the names of their groups."""
    return [name for api in apis for name in (*api.document.operations, *api.groups)]


def _places(rule: Rule, apis: Sequence[Api]) -> Iterator[Place]:
    """Yield the operations of a rule. Raises Problem for an unknown one."""
    known = operation_names(apis)
    if rule.operation and rule.operation not in known:
        names = {*known, *FAULTS, *FAMILIES}
        raise Problem(f"There is no operation {rule.operation!r} here.", did_you_mean(rule.operation, names, ALL))
    for api in apis:
        chosen = operations_of(rule.operation, api)
        for operation in api.document.operations.values():
            if not rule.operation or operation.id in chosen:
                yield api, operation


ALL = "`lakeproof spec list` shows all operations."


def _check_condition(rule: Rule, name: str, places: Sequence[Place]) -> None:
    if name.startswith((HEADER, QUERY)):
        return
    known: list[str] = []
    if name.startswith(BODY):
        known = [f"{BODY}{field.path}" for api, operation in places for field in body_fields(api.document, operation)]
        has_body = any(operation.request for _, operation in places)
        if has_body and (not known or name.split(".")[1] in {path.split(".")[1] for path in known}):
            return
    known = [*known, *(kind for api, operation in places for kind in _kinds(api, operation))]
    if name in known:
        return
    subject = rule.operation or "requests"
    raise Problem(f"{rule}: {subject} has no {name!r} to match.", did_you_mean(name, {*known, *NAMED}))


def _check_argument(rule: Rule, name: str, places: Sequence[Place]) -> None:
    kinds = (QUERY_PLACE, HEADER_PLACE) if name in rule.ignored else (QUERY_PLACE,)
    parameters = (parameter for _, operation in places for parameter in operation.parameters)
    known = {parameter.name for parameter in parameters if parameter.location in kinds}
    if name in rule.ignored:
        known |= {field.path for api, operation in places for field in body_fields(api.document, operation)}
    if name not in known:
        raise Problem(f"{rule}: {rule.operation} has no argument {name!r}.", did_you_mean(name, known))


def _kinds(api: Api, operation: Operation) -> Sequence[str]:
    """Return the kinds of the objects in the path of an operation."""
    return list(api.objects(operation, dict.fromkeys(operation.path_names, "name")))


def _check_status(rule: Rule, places: Sequence[Place]) -> None:
    """A gateway may return any assigned status; another one only fits where the document has it."""
    status = str(rule.status)
    if rule.status in ASSIGNED or any(status in operation.responses for _, operation in places):
        return
    declared = {key for _, operation in places for key in operation.responses if key.isdecimal()}
    near = sorted(declared, key=lambda known: abs(int(known) - int(status)))[:3]
    raise Problem(f"{rule}: {rule.operation or 'HTTP'} has no status {status}.", f"Near: {', '.join(near)}.")


def _check_field(rule: Rule, path: str, places: Sequence[Place]) -> None:
    """Raise Problem for a field that no success of the operations has, down to the levels that `answer_fields` has."""
    known = [field.path for api, operation in places for field in answer_fields(api.document, operation)]
    if path.startswith(OWN) or f".{OWN}" in path or any(_leads(known_path, path) for known_path in known):
        return
    message = f"{rule}: the answer of {rule.operation} has no field {path!r}."
    raise Problem(message, did_you_mean(path, set(known), most=5) if known else "It has no fields.")


def _leads(known: str, path: str) -> bool:
    """True where a path is a known one, or is deeper than the known ones go."""
    parts, wanted = known.split("."), path.split(".")
    matched = all(a in (b, ANY) or (b.isdecimal() and a == ANY) for a, b in zip(parts, wanted, strict=False))
    return matched and (len(parts) == len(wanted) or (len(parts) < len(wanted) and len(parts) > 1))
