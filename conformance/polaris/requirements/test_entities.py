"""Catalogs, principals, principal roles and catalog roles: what is the same for all four kinds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.author.checks import above, at_least, contains, equal, lacks, number, shows
from conformance.author.requirement import must, should
from conformance.http.client import Answer
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import ENTITIES, Entity, Names, properties_with

SEVERAL = 5
PROPERTIES = {"owner": "lakeproof", "größe": "12 m²", "empty": ""}
PLAIN = {"owner": "lakeproof"}
CHANGED = "changed"  # a property
CREATED, REFUSED = 201, 400
OUTPUT = {"createTimestamp": 1, "lastUpdateTimestamp": 2, "entityVersion": 77}
FIRST_VERSION = 1
RECENT = 1_600_000_000_000  # milliseconds since the epoch, in 2020


def _of(*actions: str) -> Callable[[Entity], list[str]]:
    """Return the operations of a kind that do this."""
    return lambda entity: [getattr(entity, action) for action in actions]


@must("polaris.{}.create.loadable", operations=_of("create", "get"), clause="created-is-there", each=ENTITIES)
def test_what_was_created_is_there(catalog: PolarisCatalog, case: Entity) -> None:
    """A {} that was created is there, under its name and with the properties that were given."""
    id, value, _ = _created(catalog, case)
    answer = catalog.get(case, id)
    equal(answer["name"], id[-1], "the name")
    shows(answer["properties"], value["properties"], "the properties")


@must("polaris.{}.create.answer", operations=_of("create"), clause="created-is-answered", each=ENTITIES, since="1.7")
def test_answer_to_a_creation(catalog: PolarisCatalog, case: Entity) -> None:
    """The answer to the creation of a {} is what was created, as it is found afterwards."""
    id, _, answer = _created(catalog, case)
    shown = catalog.stated(case.shown(answer.json))
    equal(shown, catalog.stated(catalog.get(case, id).json), f"the {case.id} that was answered")


def _created(catalog: PolarisCatalog, case: Entity) -> tuple[Names, dict[str, Any], Answer]:
    """Make something with unusual properties, or with plain ones where a server takes no others.

    Returns its id, what was sent and what was answered.
    """
    id = catalog.id(case)
    value = catalog.value(case, id, properties=PROPERTIES)
    answer = catalog.create(case, id, value, expect=(CREATED, REFUSED))
    if answer.status == REFUSED:
        value = catalog.value(case, id, properties=PLAIN)
        answer = catalog.create(case, id, value)
    return id, value, answer


@must("polaris.{}.list.complete", operations=_of("list", "create"), clause="lists-complete", each=ENTITIES)
def test_lists_are_complete(catalog: PolarisCatalog, case: Entity) -> None:
    """Every {} that was created is in the list, once and as it is found alone."""
    ids = [catalog.new(case, properties={"number": str(number)}) for number in range(SEVERAL)]
    names = catalog.names(case, ids[0])
    contains(names, [id[-1] for id in ids], "the listed names")
    equal(len(names), len(set(names)), "how many names there are, each counted once")
    for id in ids:
        shown = catalog.stated(catalog.listed(case, id))
        equal(shown, catalog.stated(catalog.get(case, id).json), f"the {case.id} in the list")


@must("polaris.{}.create.bare_properties", operations=_of("create", "get"), clause="created-is-there", each=ENTITIES)
def test_creation_without_what_is_optional(catalog: PolarisCatalog, case: Entity) -> None:
    """A {} is created from what the document requires alone."""
    id = catalog.id(case)
    catalog.create(case, id)
    equal(catalog.get(case, id)["name"], id[-1], "the name")


@should("polaris.{}.create.bare_body", operations=_of("create", "get"), clause="bare-bodies", each=ENTITIES)
def test_body_without_a_wrapper(catalog: PolarisCatalog, case: Entity) -> None:
    """A {} may also stand in the body itself, without the field around it."""
    id = catalog.id(case)
    catalog.send(case.create, case.place(id[:-1]), catalog.value(case, id))
    equal(catalog.get(case, id)["name"], id[-1], "the name")


@should("polaris.{}.create.conflict", operations=_of("create"), clause="name-taken", kind="error", each=ENTITIES)
def test_name_that_is_taken(catalog: PolarisCatalog, case: Entity) -> None:
    """Creating a {} of a name that is taken is refused with 409, and what has the name stays as it is."""
    id = catalog.new(case, properties=PROPERTIES)
    before = catalog.get(case, id).json
    catalog.create(case, id, expect=409)
    equal(catalog.get(case, id).json, before, f"the {case.id} that was there")


@should("polaris.{}.create.output_fields", operations=_of("create", "get"), clause="output-fields", each=ENTITIES)
def test_fields_that_the_server_sets(catalog: PolarisCatalog, case: Entity) -> None:
    """The version and the times of a new {} are the server's, whatever the request says of them."""
    id = catalog.id(case)
    catalog.create(case, id, {**catalog.value(case, id), **OUTPUT})
    answer = catalog.get(case, id)
    equal(answer["entityVersion"], FIRST_VERSION, "the entityVersion")
    created, updated = (number(answer[name], name) for name in ("createTimestamp", "lastUpdateTimestamp"))
    at_least(created, RECENT, "the createTimestamp in milliseconds")
    at_least(updated, created, "the lastUpdateTimestamp beside the createTimestamp")


@must("polaris.{}.delete.gone", operations=_of("delete", "get", "list"), clause="deleted-is-gone", each=ENTITIES)
def test_what_was_deleted_is_gone(catalog: PolarisCatalog, case: Entity) -> None:
    """A {} that was deleted is found no more, neither alone nor in the list, and others stay."""
    id, other = catalog.new(case), catalog.new(case)
    catalog.delete(case, id)
    catalog.get(case, id, expect=404)
    names = catalog.names(case, id)
    lacks(names, [id[-1]], "the listed names")
    contains(names, [other[-1]], "the listed names")


@must("polaris.{}.delete.again", operations=_of("delete"), clause="missing-is-refused", kind="error", each=ENTITIES)
def test_deleting_twice(catalog: PolarisCatalog, case: Entity) -> None:
    """Deleting a {} that was deleted is refused with 404."""
    id = catalog.new(case)
    catalog.delete(case, id)
    catalog.delete(case, id, expect=404)


@should("polaris.{}.delete.name_free", operations=_of("create", "delete"), clause="name-free-again", each=ENTITIES)
def test_name_of_what_was_deleted(catalog: PolarisCatalog, case: Entity) -> None:
    """The name of a deleted {} can be given again, and what has it then has nothing of the first."""
    id = catalog.new(case, properties={"first": "1"})
    before = number(catalog.get(case, id)["createTimestamp"], "the createTimestamp")
    catalog.delete(case, id)
    catalog.create(case, id)
    answer = catalog.get(case, id)
    lacks(answer.get("properties") or {}, ["first"], "the properties")
    at_least(answer["createTimestamp"], before, "the createTimestamp")


# Changes


@must("polaris.{}.update.applied", operations=_of("update", "get"), clause="update-applied", each=ENTITIES)
def test_update(catalog: PolarisCatalog, case: Entity) -> None:
    """An update of a {} on its present version is applied, and answered with what is there then."""
    id = catalog.new(case, properties={"a": "1"})
    before = catalog.get(case, id)
    properties = {**before["properties"], "a": "2", "b": "3"}
    answer = catalog.update(case, id, currentEntityVersion=before["entityVersion"], properties=properties)
    shows(answer["properties"], properties, "the properties in the answer")
    equal(catalog.stated(catalog.get(case, id).json), catalog.stated(answer.json), f"the {case.id}")


@should("polaris.{}.update.replaces", operations=_of("update", "get"), clause="update-replaces", each=ENTITIES)
def test_update_replaces_properties(catalog: PolarisCatalog, case: Entity) -> None:
    """The properties in an update of a {} take the place of those that it had."""
    id = catalog.new(case, properties={"a": "1", "b": "2"})
    before = catalog.get(case, id)
    kept = {name: value for name, value in before["properties"].items() if name not in ("a", "b")}
    catalog.update(case, id, currentEntityVersion=before["entityVersion"], properties={**kept, "c": "3"})
    equal(dict(catalog.get(case, id)["properties"]), {**kept, "c": "3"}, "the properties")


@must("polaris.{}.update.version", operations=_of("update", "get"), clause="version-changes", each=ENTITIES)
def test_update_changes_the_version(catalog: PolarisCatalog, case: Entity) -> None:
    """An update of a {} gives it another version, and changes nothing else but when it was updated."""
    id = catalog.new(case)
    before = catalog.stated(catalog.get(case, id).json)
    catalog.update(case, id, currentEntityVersion=before["entityVersion"], properties=properties_with(before, CHANGED))
    after = catalog.stated(catalog.get(case, id).json)
    above(after["entityVersion"], before["entityVersion"], "the entityVersion")
    changing = ("entityVersion", "lastUpdateTimestamp", "properties")
    kept, wanted = ({name: body[name] for name in body if name not in changing} for body in (after, before))
    equal(kept, wanted, "what the update does not name")


@must("polaris.{}.update.stale", operations=_of("update"), clause="update-stale", kind="error", each=ENTITIES)
def test_update_of_an_older_version(catalog: PolarisCatalog, case: Entity) -> None:
    """An update of a {} for a version that is not the present one is refused with 409 and changes nothing."""
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
    equal(catalog.stated(catalog.get(case, id).json), catalog.stated(before), f"the {case.id}")


@must("polaris.{}.update.missing", operations=_of("update"), clause="missing-is-refused", kind="error", each=ENTITIES)
def test_update_of_nothing(catalog: PolarisCatalog, case: Entity) -> None:
    """An update of a {} that does not exist is refused with 404."""
    properties = catalog.value(case, catalog.missing(case)).get("properties", {})
    catalog.update(case, catalog.missing(case), currentEntityVersion=1, properties=properties, expect=404)


RESERVED = "polaris.lakeproof-reserved"


@should("polaris.{}.create.reserved", operations=_of("create"), clause="reserved-prefix", each=ENTITIES, since="1.7")
def test_reserved_property_of_something_new(catalog: PolarisCatalog, case: Entity) -> None:
    """A new {} with a property whose name starts with polaris. is refused with 400, and not made."""
    id = catalog.id(case)
    value = catalog.value(case, id, properties={RESERVED: "1"})
    catalog.control(lambda: catalog.new(case, properties={"lakeproof-free": "1"}))
    catalog.create(case, id, value, expect=400)
    catalog.get(case, id, expect=404)


@should("polaris.{}.update.reserved", operations=_of("update"), clause="reserved-prefix", each=ENTITIES, since="1.7")
def test_reserved_property_in_an_update(catalog: PolarisCatalog, case: Entity) -> None:
    """An update of a {} with a property whose name starts with polaris. is refused with 400 and changes nothing."""
    id = catalog.new(case)
    before = catalog.get(case, id).json
    properties = properties_with(before, RESERVED)
    catalog.update(case, id, currentEntityVersion=before["entityVersion"], properties=properties, expect=400)
    equal(catalog.stated(catalog.get(case, id).json), catalog.stated(before), f"the {case.id}")
