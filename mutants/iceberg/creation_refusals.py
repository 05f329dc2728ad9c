"""Creations, renames and registrations that succeed where they must be rejected, or fail with the wrong error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from reference_server.context import Reply
from reference_server.errors import InvalidInput
from reference_server.faults import Around, Call, Proceed, content, fault, request_becomes
from reference_server.iceberg.faults.blocks import again, performed, refuses_when
from reference_server.iceberg.metadata.reading import Json
from specs.identifiers import UNIT_SEPARATOR

CREATE = ["createTable"]

OPTIONAL = {
    "createNamespace": ("properties",),
    "createTable": ("partition-spec", "write-order", "properties", "stage-create"),
    "createView": ("location",),
}

NAMING = ("createTable", "renameTable", "registerTable")
ANY_SCHEMA: Json = {"type": "struct", "fields": [{"id": 1, "name": "id", "type": "long", "required": False}]}


def target(call: Call) -> tuple[str, str]:
    """Return the namespace, as paths hold it, and the name of what a call makes; texts that no name has without one."""
    body = content(call) or {}
    if call.operation.id == "renameTable":
        destination = body.get("destination") or {}
        return UNIT_SEPARATOR.join(destination.get("namespace", ())), str(destination.get("name"))
    return call.path["namespace"], str(body.get("name"))


def _room_made(operation: str, name: str) -> Around:
    """Drop what has the name, with the given operation and the path parameter of its name, and go on."""

    async def around(call: Call, proceed: Proceed) -> Reply:
        namespace, taken = target(call)
        path: dict[str, Any] = {"namespace": namespace, name: taken}
        await performed(call, proceed, operation, **path)
        return await proceed()

    return again(around, 409)


async def _namespace_made(call: Call, proceed: Proceed) -> Reply:
    namespace, _ = target(call)
    body = {"namespace": namespace.split(UNIT_SEPARATOR), "properties": {}}
    await performed(call, proceed, "createNamespace", body)
    return await proceed()


def _known_version(body: Json) -> Json:
    given = body.get("properties", {})
    return {**body, "properties": {key: given[key] for key in given if key != "format-version"}}


def _repaired(body: Json) -> Json:
    """Return a request whose schema is one: names and ids are told apart, odd columns hold texts, nothing is a key."""
    fields = [
        {"id": number, "name": f"{field['name']}{number}", "type": "string", "required": False}
        for number, field in enumerate(body["schema"]["fields"], 1)
    ]
    return {**body, "schema": {"type": "struct", "fields": fields}}


def _if(wanted: Callable[[Json], Any], edit: Callable[[Json], Json]) -> Callable[[Json], Json]:
    return lambda body: edit(body) if wanted(body) else body


def _defaulted(body: Json) -> Iterator[tuple[str, Any]]:
    for name, default in (("name", "unnamed"), ("schema", ANY_SCHEMA), ("properties", {})):
        yield name, body[name] if isinstance(body.get(name), type(default)) else default


fault("taken-name-replaced", "A table that has the name of a new one is dropped for it.", on=NAMING)(
    _room_made("dropTable", "table")
)
fault("view-replaced", "A view that has the name of a new table is dropped for it.", on=NAMING)(
    _room_made("dropView", "view")
)
fault("namespaces-spring-up", "A namespace that does not exist is created with the first table in it.", on=NAMING)(
    again(_namespace_made, 404)
)
fault("unknown-format-overlooked", "A format version that does not exist makes a table of the usual one.", on=CREATE)(
    again(request_becomes(_known_version), 400)
)
fault("schemas-repaired", "A schema that no table can have is changed into one that tables can have.", on=CREATE)(
    again(request_becomes(_if(lambda body: isinstance(body.get("schema"), dict), _repaired)), 400)
)
fault("bad-layouts-overlooked", "A partition spec or an order that does not fit the schema is left out.", on=CREATE)(
    again(
        request_becomes(lambda body: {key: body[key] for key in body if key not in ("partition-spec", "write-order")}),
        400,
    )
)
fault("bodies-completed", "createTable replaces missing and mistyped fields by values of its own.", on=CREATE)(
    again(request_becomes(lambda body: {**body, **dict(_defaulted(body))}), 400)
)
fault(
    "optional-fields-wanted",
    "Creations are refused that leave out a field which they may leave out.",
    on=list(OPTIONAL),
)(
    refuses_when(
        lambda call: any(name not in (content(call) or {}) for name in OPTIONAL[call.operation.id]),
        InvalidInput("the request has not all of its fields"),
    )
)
