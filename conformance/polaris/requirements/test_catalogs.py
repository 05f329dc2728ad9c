"""Catalogs: locations, updates and deletion."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import contains, equal, holds, within
from conformance.author.requirement import must, should
from conformance.polaris.catalog import BASE_LOCATION, PolarisCatalog
from conformance.polaris.entities import CATALOG, CATALOG_ROLE, Names
from conformance.polaris.inventory import CATALOG_ADMIN
from conformance.polaris.support.catalogs import changed, refused
from conformance.polaris.worlds import EMPTY

REFUSED = (400, 409)
TYPES = {"internal": "INTERNAL", "external": "EXTERNAL"}


@must(
    "polaris.catalog.type.{}",
    operations=["createCatalog", "getCatalog"],
    clause="catalog-type",
    each=TYPES,
)
def test_type_is_kept(catalog: PolarisCatalog, case: str) -> None:
    """getCatalog and listCatalogs return the type of a catalog as it was created: {}."""
    id = catalog.new(CATALOG, type=case)
    equal(catalog.get(CATALOG, id)["type"], case, "the type")
    equal(catalog.listed(CATALOG, id)["type"], case, "the type in the list")


@should("polaris.catalog.type.default", operations=["createCatalog"], clause="catalog-type-default")
def test_type_is_internal(catalog: PolarisCatalog) -> None:
    """createCatalog without a type creates an internal catalog or returns 400."""
    id = catalog.id(CATALOG)
    value = catalog.value(CATALOG, id)
    del value["type"]
    if catalog.create(CATALOG, id, value, expect=(201, 400)).succeeded:
        equal(catalog.get(CATALOG, id)["type"], "INTERNAL", "the type")


@should("polaris.catalog.base.allowed", operations=["createCatalog"], clause="base-location-allowed")
def test_base_location_is_allowed(catalog: PolarisCatalog) -> None:
    """A catalog created without allowedLocations allows no location but its default-base-location."""
    id = catalog.id(CATALOG)
    value = catalog.value(CATALOG, id)
    catalog.create(CATALOG, id, changed(value, allowedLocations=None))
    base = value["properties"][BASE_LOCATION]
    allowed = catalog.get(CATALOG, id)["storageConfigInfo"].get("allowedLocations") or [base]
    within([location.rstrip("/") for location in allowed], [base], "the allowedLocations")


@should("polaris.catalog.base.outside", operations=["createCatalog"], clause="base-location-inside", since="1.7")
def test_base_location_outside(catalog: PolarisCatalog) -> None:
    """createCatalog with a default-base-location outside the allowedLocations returns 400 and creates nothing."""
    id = catalog.id(CATALOG)
    value = catalog.value(CATALOG, id)
    catalog.control(lambda: catalog.new(CATALOG))
    other = catalog.storage.base(catalog.target, catalog.target.new_name())
    refused(catalog, id, changed(value, allowedLocations=[other]))


@must("polaris.catalog.base.required", operations=["createCatalog"], clause="base-location-required", kind="error")
def test_catalog_without_a_base_location(catalog: PolarisCatalog) -> None:
    """createCatalog without a default-base-location, or without properties, returns 400 and creates nothing."""
    id = catalog.id(CATALOG)
    value = catalog.value(CATALOG, id)
    catalog.control(lambda: catalog.new(CATALOG))
    without = {name: item for name, item in value.items() if name != "properties"}
    for broken in ({**value, "properties": {"a": "1"}}, {**value, "properties": {}}, without):
        refused(catalog, id, broken)


OVERLAPS = {"same": "", "below": "/inner"}


def _at(catalog: PolarisCatalog, id: Names, location: str) -> dict[str, Any]:
    """Return the body of a catalog at a location."""
    value = catalog.value(CATALOG, id, properties={BASE_LOCATION: location})
    return changed(value, allowedLocations=[location])


def _taken(catalog: PolarisCatalog) -> str:
    """Create a catalog and return its location."""
    return str(catalog.get(CATALOG, catalog.new(CATALOG))["properties"][BASE_LOCATION]).rstrip("/")


@should(
    "polaris.catalog.overlap.{}", operations=["createCatalog"], clause="locations-apart", kind="error", each=OVERLAPS
)
def test_overlapping_locations(catalog: PolarisCatalog, case: str) -> None:
    """createCatalog with a location equal to or below that of another catalog returns 400: {}."""
    id, base = catalog.id(CATALOG), _taken(catalog)
    refused(catalog, id, _at(catalog, id, f"{base}{case}"))


@should("polaris.catalog.overlap.above", operations=["createCatalog"], clause="locations-apart", kind="error")
def test_location_around_another(catalog: PolarisCatalog) -> None:
    """createCatalog with a location that contains that of another catalog returns 400."""
    id, outer = catalog.id(CATALOG), catalog.storage.base(catalog.target, catalog.target.new_name())
    inner = catalog.id(CATALOG)
    with catalog.client.preparing():
        catalog.create(CATALOG, inner, _at(catalog, inner, f"{outer}/inner"))
    refused(catalog, id, _at(catalog, id, outer))


@should("polaris.catalog.overlap.allowed", operations=["createCatalog"], clause="locations-apart", kind="error")
def test_allowed_location_of_another(catalog: PolarisCatalog) -> None:
    """createCatalog with an allowed location inside the location of another catalog returns 400."""
    id, base = catalog.id(CATALOG), _taken(catalog)
    value = catalog.value(CATALOG, id)
    own = value["storageConfigInfo"]["allowedLocations"]
    refused(catalog, id, changed(value, allowedLocations=[*own, f"{base}/inner"]))


@should("polaris.catalog.apart", operations=["createCatalog"], clause="locations-apart")
def test_locations_that_only_look_alike(catalog: PolarisCatalog) -> None:
    """createCatalog succeeds when the location of another catalog is a prefix of its own only as a string."""
    id, base = catalog.id(CATALOG), _taken(catalog)
    catalog.create(CATALOG, id, _at(catalog, id, f"{base}x"))


# Updates


def _update(catalog: PolarisCatalog, id: Names, **body: Any) -> Any:
    version = catalog.get(CATALOG, id)["entityVersion"]
    return catalog.update(CATALOG, id, **{"currentEntityVersion": version, **body})


@should("polaris.catalog.update.keeps_base", operations=["updateCatalog"], clause="update-keeps-base")
def test_update_keeps_the_base_location(catalog: PolarisCatalog) -> None:
    """updateCatalog with properties that lack default-base-location keeps the location."""
    id = catalog.new(CATALOG)
    base = catalog.get(CATALOG, id)["properties"][BASE_LOCATION]
    _update(catalog, id, properties={"a": "1"})
    equal(dict(catalog.get(CATALOG, id)["properties"]), {"a": "1", BASE_LOCATION: base}, "the properties")


@must("polaris.catalog.update.partial", operations=["updateCatalog"], clause="update-partial")
def test_update_of_one_part(catalog: PolarisCatalog) -> None:
    """updateCatalog with storageConfigInfo alone keeps the properties, and the other way round."""
    id = catalog.new(CATALOG, properties={"a": "1"})
    before = catalog.documented(catalog.get(CATALOG, id).json)
    config = before["storageConfigInfo"]
    base = str(before["properties"][BASE_LOCATION]).rstrip("/")
    allowed = [*config["allowedLocations"], f"{base}/more"]
    _update(catalog, id, storageConfigInfo={**config, "allowedLocations": allowed})
    after = catalog.documented(catalog.get(CATALOG, id).json)
    equal(after["properties"], before["properties"], "the properties")
    contains(after["storageConfigInfo"]["allowedLocations"], allowed, "the allowedLocations")
    _update(catalog, id, properties={**before["properties"], "b": "2"})
    storage = catalog.documented(catalog.get(CATALOG, id)["storageConfigInfo"])
    equal(storage, after["storageConfigInfo"], "the storageConfigInfo")


@should("polaris.catalog.update.no_version", operations=["updateCatalog"], clause="update-without-version")
def test_update_without_a_version(catalog: PolarisCatalog) -> None:
    """updateCatalog without currentEntityVersion updates the catalog or returns 400."""
    id = catalog.new(CATALOG)
    before = catalog.get(CATALOG, id).json
    properties = {**before["properties"], "a": "1"}
    taken = catalog.update(CATALOG, id, properties=properties, expect=(200, 400)).succeeded
    wanted = properties if taken else before["properties"]
    equal(dict(catalog.get(CATALOG, id)["properties"]), wanted, "the properties")


@must("polaris.catalog.update.type.{}", operations=["updateCatalog"], clause="catalog-type", each=TYPES)
def test_update_keeps_the_type(catalog: PolarisCatalog, case: str) -> None:
    """updateCatalog keeps the type of a catalog, in its response and wherever the catalog is shown: {}."""
    id = catalog.new(CATALOG, type=case)
    properties = catalog.get(CATALOG, id)["properties"]
    answer = _update(catalog, id, properties={**properties, "a": "1"})
    for shown in (answer, catalog.get(CATALOG, id), catalog.listed(CATALOG, id)):
        equal(shown["type"], case, "the type")


@should("polaris.catalog.update.overlap", operations=["updateCatalog"], clause="locations-apart", kind="error")
def test_update_to_the_location_of_another(catalog: PolarisCatalog) -> None:
    """updateCatalog with an allowed location inside the location of another catalog returns 400 and changes nothing."""
    id, base = catalog.new(CATALOG), _taken(catalog)

    def widen(location: str, expect: int) -> None:
        config = catalog.get(CATALOG, id)["storageConfigInfo"]
        allowed = [*config["allowedLocations"], location]
        _update(catalog, id, storageConfigInfo={**config, "allowedLocations": allowed}, expect=expect)

    catalog.control(lambda: widen(catalog.storage.base(catalog.target, catalog.target.new_name()), 200))
    before = catalog.get(CATALOG, id).json
    widen(f"{base}/inner", 400)
    equal(catalog.documented(catalog.get(CATALOG, id).json), catalog.documented(before), "the catalog")


@should(
    "polaris.catalog.overlap.freed",
    operations=["createCatalog", "deleteCatalog"],
    clause="locations-apart",
    world=EMPTY,
)
def test_location_of_a_deleted_catalog(catalog: PolarisCatalog) -> None:
    """createCatalog succeeds at the location of a deleted catalog, under another name."""
    former, id = catalog.new(CATALOG), catalog.id(CATALOG)
    base = str(catalog.get(CATALOG, former)["properties"][BASE_LOCATION]).rstrip("/")
    catalog.delete(CATALOG, former)
    catalog.create(CATALOG, id, _at(catalog, id, base))


# Deletion


@must(
    "polaris.catalog.delete.not_empty",
    operations=["deleteCatalog"],
    clause="drop-refused",
    kind="error",
    world=EMPTY,
)
def test_catalog_with_a_namespace(catalog: PolarisCatalog) -> None:
    """deleteCatalog returns 400 or 409 while the catalog has a namespace, and succeeds after its drop."""
    (name,) = catalog.new(CATALOG)
    tables = catalog.within(name)
    namespace = (catalog.target.new_name(),)
    with catalog.client.preparing():
        tables.create_namespace(namespace)
    catalog.delete(CATALOG, (name,), expect=REFUSED)
    equal(list(tables.list_namespaces()["namespaces"]), [list(namespace)], "the namespaces of the catalog")
    with catalog.client.preparing():
        tables.drop_namespace(namespace)
    catalog.delete(CATALOG, (name,))


@should(
    "polaris.catalog.delete.with_role",
    operations=["deleteCatalog"],
    clause="drop-refused-roles",
    kind="error",
    world=EMPTY,
)
def test_catalog_with_a_role(catalog: PolarisCatalog) -> None:
    """deleteCatalog returns 400 while the catalog has a role other than catalog_admin, and succeeds after its drop."""
    (name,) = catalog.new(CATALOG)
    role = (name, catalog.target.new_name())
    with catalog.client.preparing():
        catalog.create(CATALOG_ROLE, role)
    catalog.delete(CATALOG, (name,), expect=400)
    catalog.get(CATALOG_ROLE, role)
    catalog.delete(CATALOG_ROLE, role)
    catalog.get(CATALOG_ROLE, (name, CATALOG_ADMIN))
    catalog.delete(CATALOG, (name,))


@should("polaris.catalog.delete.warehouse", operations=["deleteCatalog"], clause="drop-ends-warehouse", world=EMPTY)
def test_dropped_catalog_is_no_warehouse(catalog: PolarisCatalog) -> None:
    """getConfig for a catalog succeeds until the catalog is deleted, and then returns 400 or 404."""
    (name,) = catalog.new(CATALOG)
    config = catalog.within(name).get_config(warehouse=name)
    holds(isinstance(config["defaults"], dict), "the configuration has defaults")
    catalog.delete(CATALOG, (name,))
    catalog.within(name).get_config(warehouse=name, expect=(400, 404))
