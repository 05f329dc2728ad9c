"""Reserved properties of objects inside a catalog; test_entities.py has those of entities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.author.requirement import should
from conformance.common.ordinary import refuses_each
from conformance.iceberg.support.ordinary import PREPARATIONS
from conformance.iceberg.support.updates import update
from conformance.polaris.catalog import PolarisCatalog

RESERVED, FREE = "polaris.lakeproof-reserved", "lakeproof-free"
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PropertyWrite:
    """Operation that sets properties, with a function that puts properties into its body."""

    id: str
    place: Callable[[Json, Json], Json]


def _created(body: Json, properties: Json) -> Json:
    return {**body, "properties": properties}


def _updated(_body: Json, properties: Json) -> Json:
    return {"updates": properties}


def _committed(body: Json, properties: Json) -> Json:
    return {**body, "updates": [update("set-properties", updates=properties)]}


def _together(body: Json, properties: Json) -> Json:
    (committed,) = body["table-changes"]
    return {"table-changes": [_committed(committed, properties)]}


SETTINGS = {
    "create_namespace": PropertyWrite("createNamespace", _created),
    "update_namespace": PropertyWrite("updateProperties", _updated),
    "create_table": PropertyWrite("createTable", _created),
    "update_table": PropertyWrite("updateTable", _committed),
    "commit_transaction": PropertyWrite("commitTransaction", _together),
    "create_view": PropertyWrite("createView", _created),
    "replace_view": PropertyWrite("replaceView", _committed),
}


@should("polaris.reserved.{}", clause="reserved-prefix", kind="error", each=SETTINGS, since="1.7")
def test_reserved_property_in_a_catalog(catalog: PolarisCatalog, case: PropertyWrite) -> None:
    """{} with a property whose name starts with 'polaris.' returns 400 and changes nothing."""
    request = PREPARATIONS[case.id](catalog.tables, "t")
    wrong, good = (request.with_content(case.place(request.body, {name: "1"})) for name in (RESERVED, FREE))
    refuses_each(catalog.tables, case.id, [(RESERVED, wrong)], good, lambda _, answer: answer.status == 400, "400")
