"""Names of catalogs, principals and roles: valid and invalid ones, in bodies and in paths."""

from __future__ import annotations

from conformance.author.checks import equal, same_items
from conformance.author.requirement import must, should
from conformance.common.names import NamedObject, name_is_kept, named
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import ENTITIES, EntityType, Names, of
from conformance.polaris.operations import MANAGEMENT, NAMING, OPERATIONS
from conformance.target.hostile import LONG_NAMES, NAMES, own
from specs.openapi import Operation

LONGEST = 256
CREATED = 201
UNSPEAKABLE = {"dot", "dot_dot"}  # clients and gateways remove dot segments from paths
ALLOWED = {key: name for key, name in LONG_NAMES.items() if len(name) <= LONGEST}
SPEAKABLE = {key: name for key, name in (NAMES | ALLOWED).items() if key not in UNSPEAKABLE}
# Each contains the prefix of the run, after the forbidden start of the name.
FORBIDDEN = {
    "empty": "",
    "system": "system${prefix}",
    "system_in_capitals": "SYSTEM${prefix}",
    "system_in_mixed_letters": "sYsTeM${prefix}",
    "system_behind_spaces": "  system${prefix}",
}


def _forbidden(catalog: PolarisCatalog) -> list[str]:
    """Return the names that the document forbids, first the empty one, which no path can contain."""
    prefix = catalog.target.prefix
    return [*(own(name, prefix) for name in FORBIDDEN.values()), catalog.target.new_name().ljust(LONGEST + 1, "x")]


@must("polaris.names.{}.forbidden", operations=of("create"), clause="name-rules", kind="error", each=ENTITIES)
def test_forbidden_names(catalog: PolarisCatalog, case: EntityType) -> None:
    """Creating a {} with an empty name, a name over 256 characters or one starting with system$ returns 400."""
    catalog.control(lambda: catalog.new(case))
    for name in _forbidden(catalog):
        id = catalog.id(case)
        value = {**catalog.value(case, id), "name": name}
        catalog.create(case, id, value, expect=400)


@must("polaris.names.{}.no_text", operations=of("create"), clause="name-rules", kind="error", each=ENTITIES)
def test_names_that_are_no_text(catalog: PolarisCatalog, case: EntityType) -> None:
    """Creating a {} without a name, or with a name that is not a string, returns 400 and creates nothing."""
    catalog.control(lambda: catalog.new(case))
    id = catalog.id(case)
    value = catalog.value(case, id)
    for name in (17, None, [id[-1]], {"name": id[-1]}):
        catalog.create(case, id, {**value, "name": name}, expect=400)
    catalog.create(case, id, {key: item for key, item in value.items() if key != "name"}, expect=400)
    catalog.get(case, id, expect=404)


@must("polaris.names.{}.longest", operations=of("create", "get"), clause="name-rules", each=ENTITIES)
def test_longest_name(catalog: PolarisCatalog, case: EntityType) -> None:
    """A {} is created and loaded under a name of 256 characters, and under names that contain system or system$."""
    start = catalog.target.new_name()
    for name in (start.ljust(LONGEST, "x"), f"{start}system", f"{start}system$x"):
        id = catalog.id(case, name)
        catalog.create(case, id)
        equal(catalog.get(case, id)["name"], name, "the name")


@should("polaris.names.{}.case", operations=of("create", "get"), clause="names-case-sensitive", each=ENTITIES)
def test_case_of_names(catalog: PolarisCatalog, case: EntityType) -> None:
    """Two {} names that differ only in letter case denote two objects."""
    id = catalog.new(case)
    other = (*id[:-1], f"{id[-1]}UPPER")
    lower = (*id[:-1], f"{id[-1]}upper")
    catalog.create(case, other)
    catalog.get(case, lower, expect=404)
    catalog.create(case, lower)
    names = [name for name in catalog.names(case, id) if name.startswith(f"{id[-1]}") and name != id[-1]]
    same_items(names, [other[-1], lower[-1]], "the listed names")


@should("polaris.names.path.{}", clause="name-rules-path", kind="error", each=NAMING, reads=True)
def test_names_in_paths(catalog: PolarisCatalog, case: Operation) -> None:
    """{} returns 400 for a name in its path that exceeds 256 characters or starts with system$."""
    body = b"{}" if case.request else None
    for name in _forbidden(catalog)[1:]:
        catalog.send(case.id, dict.fromkeys(catalog.any_path(case, "x"), name), body, expect=400)


def _kind(entity: EntityType) -> NamedObject:
    """Return the NamedObject of an entity type, with names that start with the prefix of the run."""

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


@should(
    "polaris.names.empty_level.{}", clause="levels-not-empty", kind="error", each=IN_NAMESPACES, since="1.7", reads=True
)
def test_namespaces_with_an_empty_level(catalog: PolarisCatalog, case: Operation) -> None:
    """{} returns 400 or 404 for a namespace with an empty level."""
    path = {**catalog.any_path(case, catalog.target.new_name()), "namespace": (*catalog.tables.home, "", "x")}
    catalog.send(case.id, path, expect=(400, 404))
