"""Names of catalogs, principals and roles: which are taken, which are not, in bodies and in paths."""

from __future__ import annotations

from collections.abc import Callable

from conformance.author.checks import equal, same_items
from conformance.author.requirement import must, should
from conformance.common.names import NamedObject, name_is_kept, named
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import ENTITIES, Entity, Names
from conformance.polaris.operations import MANAGEMENT, NAMING, OPERATIONS
from conformance.target.hostile import NAMES, own
from specs.openapi import Operation

LONGEST = 256
CREATED = 201
UNSPEAKABLE = {"dot", "dot_dot"}  # dot segments are folded away before they arrive
TOO_LONG = {"length_1000"}
SPEAKABLE = {key: name for key, name in NAMES.items() if key not in UNSPEAKABLE | TOO_LONG}
# With the prefix of the run behind what nobody may start a name with.
FORBIDDEN = {
    "empty": "",
    "system": "system${prefix}",
    "system_in_capitals": "SYSTEM${prefix}",
    "system_in_mixed_letters": "sYsTeM${prefix}",
    "system_behind_spaces": "  system${prefix}",
}


def _of(*actions: str) -> Callable[[Entity], list[str]]:
    return lambda entity: [getattr(entity, action) for action in actions]


def _forbidden(catalog: PolarisCatalog) -> list[str]:
    """Return names that the document forbids; those of a path come after the first."""
    prefix = catalog.target.prefix
    return [*(own(name, prefix) for name in FORBIDDEN.values()), catalog.target.new_name().ljust(LONGEST + 1, "x")]


@must("polaris.names.{}.forbidden", operations=_of("create"), clause="name-rules", kind="error", each=ENTITIES)
def test_forbidden_names(catalog: PolarisCatalog, case: Entity) -> None:
    """A {} whose name is empty, longer than 256 characters or starts with system$ is refused with 400."""
    catalog.control(lambda: catalog.new(case))
    for name in _forbidden(catalog):
        id = catalog.id(case)
        value = {**catalog.value(case, id), "name": name}
        catalog.create(case, id, value, expect=400)


@must("polaris.names.{}.no_text", operations=_of("create"), clause="name-rules", kind="error", each=ENTITIES)
def test_names_that_are_no_text(catalog: PolarisCatalog, case: Entity) -> None:
    """A {} without a name, or with one that is no text, is refused with 400."""
    catalog.control(lambda: catalog.new(case))
    id = catalog.id(case)
    value = catalog.value(case, id)
    for name in (17, None, [id[-1]], {"name": id[-1]}):
        catalog.create(case, id, {**value, "name": name}, expect=400)
    catalog.create(case, id, {key: item for key, item in value.items() if key != "name"}, expect=400)
    catalog.get(case, id, expect=404)


@must("polaris.names.{}.longest", operations=_of("create", "get"), clause="name-rules", each=ENTITIES)
def test_longest_name(catalog: PolarisCatalog, case: Entity) -> None:
    """A {} has a name of 256 characters, and one with system or system$ inside of it."""
    start = catalog.target.new_name()
    for name in (start.ljust(LONGEST, "x"), f"{start}system", f"{start}system$x"):
        id = catalog.id(case, name)
        catalog.create(case, id)
        equal(catalog.get(case, id)["name"], name, "the name")


@should("polaris.names.{}.case", operations=_of("create", "get"), clause="names-case-sensitive", each=ENTITIES)
def test_case_of_names(catalog: PolarisCatalog, case: Entity) -> None:
    """Two names of a {} that differ in the case of letters are two."""
    id = catalog.new(case)
    other = (*id[:-1], f"{id[-1]}UPPER")
    lower = (*id[:-1], f"{id[-1]}upper")
    catalog.create(case, other)
    catalog.get(case, lower, expect=404)
    catalog.create(case, lower)
    names = [name for name in catalog.names(case, id) if name.startswith(f"{id[-1]}") and name != id[-1]]
    same_items(names, [other[-1], lower[-1]], "the listed names")


@should("polaris.names.path.{}", clause="name-rules-path", kind="error", each=NAMING)
def test_names_in_paths(catalog: PolarisCatalog, case: Operation) -> None:
    """{} refuses a name in its path that is longer than 256 characters or starts with system$ with 400."""
    body = b"{}" if case.request else None
    for name in _forbidden(catalog)[1:]:
        catalog.send(case.id, dict.fromkeys(catalog.any_path(case, "x"), name), body, expect=400)


def _kind(entity: Entity) -> NamedObject:
    """Return how the names of a kind of things are tried: below the prefix of the run."""

    def id(catalog: PolarisCatalog, name: str) -> Names:
        return catalog.id(entity, f"{catalog.target.prefix}{own(name, catalog.target.prefix)}")

    def look(catalog: PolarisCatalog, id: Names) -> None:
        equal(catalog.get(entity, id)["name"], id[-1], "the name")

    def drop(catalog: PolarisCatalog, id: Names) -> None:
        catalog.delete(entity, id)
        catalog.get(entity, id, expect=404)

    return NamedObject(
        entity.id,
        [entity.create, entity.get],
        id,
        lambda catalog, id, expect: catalog.create(entity, id, expect=expect),
        look,
        lambda catalog, id: [(*id[:-1], name) for name in catalog.names(entity, id)],
        drop,
        lambda catalog, id, _: catalog.get(entity, id, expect=(400, 404, 414)),
        made=CREATED,
    )


KINDS = {f"{name}.round_trip": _kind(entity) for name, entity in ENTITIES.items()}

test_name_is_kept = name_is_kept.declare(__name__, named(KINDS, SPEAKABLE))


IN_NAMESPACES = {
    name: operation
    for name, operation in OPERATIONS.items()
    if name not in MANAGEMENT and "{namespace}" in operation.path and operation.request is None
}


@should("polaris.names.empty_level.{}", clause="levels-not-empty", kind="error", each=IN_NAMESPACES, since="1.7")
def test_namespaces_with_an_empty_level(catalog: PolarisCatalog, case: Operation) -> None:
    """{} refuses a namespace with an empty level with 400 or 404."""
    path = {**catalog.any_path(case, catalog.target.new_name()), "namespace": (*catalog.tables.home, "", "x")}
    catalog.send(case.id, path, expect=(400, 404))
