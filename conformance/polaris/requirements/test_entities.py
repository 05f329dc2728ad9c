"""Create, load, list, update and delete: requirements on all four entity types."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import above, at_least, contains, equal, lacks, number, shows
from conformance.author.requirement import must, should
from conformance.http.answers import Answer
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import ENTITIES, EntityType, Names, of, properties_with
from conformance.polaris.worlds import EMPTY

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


@should("polaris.{}.create.conflict", operations=of("create"), clause="name-taken", kind="error", each=ENTITIES)
def test_name_that_is_taken(catalog: PolarisCatalog, case: EntityType) -> None:
    """Creating a {} with an existing name returns 409 and leaves the existing one unchanged."""
    id = catalog.new(case, properties=PROPERTIES)
    before = catalog.get(case, id).json
    catalog.create(case, id, expect=409)
    equal(catalog.documented(catalog.get(case, id).json), catalog.documented(before), f"the {case.id} that was there")


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


@must(
    "polaris.{}.delete.gone",
    operations=of("delete", "get", "list"),
    clause="deleted-is-gone",
    each=ENTITIES,
    world=EMPTY,
)
def test_what_was_deleted_is_gone(catalog: PolarisCatalog, case: EntityType) -> None:
    """Loading a deleted {} returns 404, and the list contains the others but not the deleted one."""
    id, other = catalog.new(case), catalog.new(case)
    catalog.delete(case, id)
    catalog.get(case, id, expect=404)
    names = catalog.names(case, id)
    lacks(names, [id[-1]], "the listed names")
    contains(names, [other[-1]], "the listed names")


@must(
    "polaris.{}.delete.again",
    operations=of("delete"),
    clause="missing-is-refused",
    kind="error",
    each=ENTITIES,
    world=EMPTY,
)
def test_deleting_twice(catalog: PolarisCatalog, case: EntityType) -> None:
    """Deleting a {} that was already deleted returns 404."""
    id = catalog.new(case)
    catalog.delete(case, id)
    catalog.delete(case, id, expect=404)


@should(
    "polaris.{}.delete.name_free",
    operations=of("create", "delete"),
    clause="name-free-again",
    each=ENTITIES,
    world=EMPTY,
)
def test_name_of_what_was_deleted(catalog: PolarisCatalog, case: EntityType) -> None:
    """A {} created under the name of a deleted one has none of its properties."""
    id = catalog.new(case, properties={"first": "1"})
    before = number(catalog.get(case, id)["createTimestamp"], "the createTimestamp")
    catalog.delete(case, id)
    catalog.create(case, id)
    answer = catalog.get(case, id)
    lacks(answer.get("properties") or {}, ["first"], "the properties")
    at_least(answer["createTimestamp"], before, "the createTimestamp")


# Updates


@must("polaris.{}.update.applied", operations=of("update", "get"), clause="update-applied", each=ENTITIES)
def test_update(catalog: PolarisCatalog, case: EntityType) -> None:
    """Updating a {} with its current version applies the change and returns the new state."""
    id = catalog.new(case, properties={"a": "1"})
    before = catalog.get(case, id)
    properties = {**before["properties"], "a": "2", "b": "3"}
    answer = catalog.update(case, id, currentEntityVersion=before["entityVersion"], properties=properties)
    shows(answer["properties"], properties, "the properties in the answer")
    equal(catalog.documented(catalog.get(case, id).json), catalog.documented(answer.json), f"the {case.id}")


@must("polaris.{}.update.replaces", operations=of("update", "get"), clause="update-replaces", each=ENTITIES)
def test_update_replaces_properties(catalog: PolarisCatalog, case: EntityType) -> None:
    """Updating a {} replaces all its properties with those of the request."""
    id = catalog.new(case, properties={"a": "1", "b": "2"})
    before = catalog.get(case, id)
    kept = {name: value for name, value in before["properties"].items() if name not in ("a", "b")}
    catalog.update(case, id, currentEntityVersion=before["entityVersion"], properties={**kept, "c": "3"})
    equal(dict(catalog.get(case, id)["properties"]), {**kept, "c": "3"}, "the properties")


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


@must("polaris.{}.update.stale", operations=of("update"), clause="update-stale", kind="error", each=ENTITIES)
def test_update_of_an_older_version(catalog: PolarisCatalog, case: EntityType) -> None:
    """Updating a {} with a version other than the current one returns 409 and changes nothing."""
    id = catalog.new(case)
    first = catalog.get(case, id).json
    catalog.control(
        lambda: catalog.update(
            case, id, currentEntityVersion=first["entityVersion"], properties=properties_with(first, CHANGED)
        )
    )
    before = catalog.get(case, id).json
    for version in (first["entityVersion"], before["entityVersion"] + 1):
        properties = properties_with(before, "stale")
        catalog.update(case, id, currentEntityVersion=version, properties=properties, expect=409)
    equal(catalog.documented(catalog.get(case, id).json), catalog.documented(before), f"the {case.id}")


@must("polaris.{}.update.missing", operations=of("update"), clause="missing-is-refused", kind="error", each=ENTITIES)
def test_update_of_nothing(catalog: PolarisCatalog, case: EntityType) -> None:
    """Updating a {} that does not exist returns 404."""
    properties = catalog.value(case, catalog.missing(case)).get("properties", {})
    catalog.update(case, catalog.missing(case), currentEntityVersion=1, properties=properties, expect=404)


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
