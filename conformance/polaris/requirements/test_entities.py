"""Create, load, list, update and delete: requirements on all four entity types."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import above, at_least, contains, equal, number, shows
from conformance.author.requirement import must, should
from conformance.http.answers import Answer
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import ENTITIES, EntityType, Names, of, properties_with

SEVERAL = 5
PROPERTIES = {"owner": "lakeproof", "größe": "12 m²", "empty": ""}
PLAIN = {"owner": "lakeproof"}
CHANGED = "changed"  # the name of a property
CREATED, REFUSED = 201, 400
OUTPUT = {"createTimestamp": 1, "lastUpdateTimestamp": 2, "entityVersion": 77}
FIRST_VERSION = 1
RECENT = 1_600_000_000_000  # milliseconds since the epoch, in 2020


@must("polaris.{}.create.loadable", operations=of("create", "get"), clause="created-is-there", each=ENTITIES)
def test_what_was_created_is_there(catalog: PolarisCatalog, case: EntityType) -> None:
    """A created {} is loaded under its name, with the properties that were sent."""
    id, value, _ = _created(catalog, case)
    answer = catalog.get(case, id)
    equal(answer["name"], id[-1], "the name")
    shows(answer["properties"], value["properties"], "the properties")


@must("polaris.{}.create.answer", operations=of("create"), clause="created-is-answered", each=ENTITIES, since="1.7")
def test_answer_to_a_creation(catalog: PolarisCatalog, case: EntityType) -> None:
    """Creating a {} returns the same fields as loading it afterwards."""
    id, _, answer = _created(catalog, case)
    shown = catalog.documented(case.shown(answer.json))
    equal(shown, catalog.documented(catalog.get(case, id).json), f"the {case.id} that was answered")


def _created(catalog: PolarisCatalog, case: EntityType) -> tuple[Names, dict[str, Any], Answer]:
    """Create an entity with unusual properties, or with plain ones if the server rejects those.

    Returns its id, the value that was sent, and the answer.
    """
    id = catalog.id(case)
    value = catalog.value(case, id, properties=PROPERTIES)
    answer = catalog.create(case, id, value, expect=(CREATED, REFUSED))
    if answer.status == REFUSED:
        value = catalog.value(case, id, properties=PLAIN)
        answer = catalog.create(case, id, value)
    return id, value, answer


@must("polaris.{}.list.complete", operations=of("list", "create"), clause="lists-complete", each=ENTITIES)
def test_lists_are_complete(catalog: PolarisCatalog, case: EntityType) -> None:
    """The list contains every created {} exactly once, with the fields that loading it returns."""
    ids = [catalog.new(case, properties={"number": str(number)}) for number in range(SEVERAL)]
    names = catalog.names(case, ids[0])
    contains(names, [id[-1] for id in ids], "the listed names")
    equal(len(names), len(set(names)), "how many names there are, each counted once")
    for id in ids:
        shown = catalog.documented(catalog.listed(case, id))
        equal(shown, catalog.documented(catalog.get(case, id).json), f"the {case.id} in the list")


@must("polaris.{}.create.bare_properties", operations=of("create", "get"), clause="created-is-there", each=ENTITIES)
def test_creation_without_what_is_optional(catalog: PolarisCatalog, case: EntityType) -> None:
    """Creating a {} with only the required fields succeeds."""
    id = catalog.id(case)
    catalog.create(case, id)
    equal(catalog.get(case, id)["name"], id[-1], "the name")


@should("polaris.{}.create.bare_body", operations=of("create", "get"), clause="bare-bodies", each=ENTITIES)
def test_body_without_a_wrapper(catalog: PolarisCatalog, case: EntityType) -> None:
    """Creating a {} succeeds with the object itself as the body, without the field around it."""
    id = catalog.id(case)
    catalog.send(case.create, case.place(id[:-1]), catalog.value(case, id))
    equal(catalog.get(case, id)["name"], id[-1], "the name")


@should("polaris.{}.create.output_fields", operations=of("create", "get"), clause="output-fields", each=ENTITIES)
def test_fields_that_the_server_sets(catalog: PolarisCatalog, case: EntityType) -> None:
    """Creating a {} ignores entityVersion, createTimestamp and lastUpdateTimestamp in the request."""
    id = catalog.id(case)
    catalog.create(case, id, {**catalog.value(case, id), **OUTPUT})
    answer = catalog.get(case, id)
    equal(answer["entityVersion"], FIRST_VERSION, "the entityVersion")
    created, updated = (number(answer[name], name) for name in ("createTimestamp", "lastUpdateTimestamp"))
    at_least(created, RECENT, "the createTimestamp in milliseconds")
    at_least(updated, created, "the lastUpdateTimestamp beside the createTimestamp")


# Updates


@must("polaris.{}.update.version", operations=of("update", "get"), clause="version-changes", each=ENTITIES)
def test_update_changes_the_version(catalog: PolarisCatalog, case: EntityType) -> None:
    """Updating a {} increases entityVersion; of the other fields, only properties and lastUpdateTimestamp change."""
    id = catalog.new(case)
    before = catalog.documented(catalog.get(case, id).json)
    catalog.update(case, id, currentEntityVersion=before["entityVersion"], properties=properties_with(before, CHANGED))
    after = catalog.documented(catalog.get(case, id).json)
    above(after["entityVersion"], before["entityVersion"], "the entityVersion")
    changing = ("entityVersion", "lastUpdateTimestamp", "properties")
    kept, wanted = ({name: body[name] for name in body if name not in changing} for body in (after, before))
    equal(kept, wanted, "what the update does not name")


RESERVED = "polaris.lakeproof-reserved"


@should("polaris.{}.create.reserved", operations=of("create"), clause="reserved-prefix", each=ENTITIES, since="1.7")
def test_reserved_property_of_something_new(catalog: PolarisCatalog, case: EntityType) -> None:
    """Creating a {} with a property whose name starts with 'polaris.' returns 400 and creates nothing."""
    id = catalog.id(case)
    value = catalog.value(case, id, properties={RESERVED: "1"})
    catalog.control(lambda: catalog.new(case, properties={"lakeproof-free": "1"}))
    catalog.create(case, id, value, expect=400)
    catalog.get(case, id, expect=404)


@should("polaris.{}.update.reserved", operations=of("update"), clause="reserved-prefix", each=ENTITIES, since="1.7")
def test_reserved_property_in_an_update(catalog: PolarisCatalog, case: EntityType) -> None:
    """Updating a {} with a property whose name starts with 'polaris.' returns 400 and changes nothing."""
    id = catalog.new(case)
    before = catalog.get(case, id).json
    properties = properties_with(before, RESERVED)
    catalog.update(case, id, currentEntityVersion=before["entityVersion"], properties=properties, expect=400)
    equal(catalog.documented(catalog.get(case, id).json), catalog.documented(before), f"the {case.id}")
