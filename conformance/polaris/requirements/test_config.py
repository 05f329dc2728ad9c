"""getConfig: the configuration of the catalog that the request names as warehouse."""

from __future__ import annotations

from conformance.author.checks import equal, lacks, shows
from conformance.author.requirement import should
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import CATALOG
from conformance.polaris.worlds import EMPTY

CONFIG = ["getConfig"]


@should("polaris.config.defaults", operations=CONFIG, clause="config-of-catalog")
def test_defaults_are_the_properties(catalog: PolarisCatalog) -> None:
    """getConfig returns the properties of the catalog as defaults and its name as the prefix."""
    (name,) = catalog.new(CATALOG, properties={"lakeproof": "1"})
    with catalog.client.preparing():
        properties = catalog.get(CATALOG, (name,))["properties"]
    config = catalog.within(name).get_config(warehouse=name)
    shows(config["defaults"], properties, "the defaults")
    equal(config["overrides"]["prefix"], name, "the prefix")


@should("polaris.config.updated", operations=[*CONFIG, "updateCatalog"], clause="config-of-catalog", world=EMPTY)
def test_defaults_follow_updates(catalog: PolarisCatalog) -> None:
    """After updateCatalog, and for a catalog created under a deleted name, getConfig returns the new properties."""
    (name,) = catalog.new(CATALOG, properties={"lakeproof": "1", "lakeproof-first": "1"})
    with catalog.client.preparing():
        before = catalog.get(CATALOG, (name,))
        catalog.within(name).get_config(warehouse=name)  # a server that caches this must not return it below
    kept = {key: value for key, value in before["properties"].items() if key != "lakeproof-first"}
    catalog.update(
        CATALOG, (name,), currentEntityVersion=before["entityVersion"], properties={**kept, "lakeproof": "2"}
    )
    defaults = catalog.within(name).get_config(warehouse=name)["defaults"]
    shows(defaults, {"lakeproof": "2"}, "the defaults")
    lacks(defaults, ["lakeproof-first"], "the defaults")
    catalog.delete(CATALOG, (name,))
    if catalog.made_again(CATALOG, (name,)).succeeded:
        defaults = catalog.within(name).get_config(warehouse=name)["defaults"]
        lacks(defaults, ["lakeproof", "lakeproof-first"], "the defaults")


@should("polaris.config.no_warehouse", operations=CONFIG, clause="config-of-catalog", kind="error", reads=True)
def test_configuration_of_no_catalog(catalog: PolarisCatalog) -> None:
    """getConfig without a warehouse, or with an empty one, returns 400."""
    (name,) = catalog.new(CATALOG)
    catalog.control(lambda: catalog.within(name).get_config(warehouse=name))
    catalog.within(name).get_config(expect=400)
    catalog.within(name).get_config(warehouse="", expect=400)
