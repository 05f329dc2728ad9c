"""updateProperties: properties of namespaces."""

from __future__ import annotations

from hypothesis import strategies as st

from conformance.author.checks import equal, lacks, same_items
from conformance.author.requirement import given, may, must, should
from conformance.author.strategies import TEXTS
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.assertions import POLICY, PROPERTIES, has_properties, namespace_properties

LOAD = ["loadNamespaceMetadata"]
UPDATE = ["updateProperties"]


@must("iceberg.namespace.properties.answer", operations=UPDATE, clause="update-properties-answer")
def test_update_tells_what_was_done(catalog: IcebergCatalog) -> None:
    """updateProperties returns the set keys in updated and the removed keys in removed, each once."""
    id = catalog.new_namespace(properties={"a": "1", "b": "1", "c": "1"})
    answer = catalog.update_properties(id, updates={"b": "2", "d": "1"}, removals=["a", "c"])
    same_items(answer["updated"], ["b", "d"], "updated")
    same_items(answer["removed"], ["a", "c"], "removed")


@must(
    "iceberg.namespace.properties.not_removed",
    operations=UPDATE,
    clause="update-properties-missing-not-removed",
)
def test_removal_of_missing_property(catalog: IcebergCatalog) -> None:
    """Removing a property that does not exist succeeds, and removed does not list it."""
    id = catalog.new_namespace(properties={"a": "1"})
    answer = catalog.update_properties(id, removals=["a", "never"])
    equal(answer["removed"], ["a"], "removed")


@may("iceberg.namespace.properties.missing", operations=UPDATE, clause="update-properties-missing")
def test_missing_properties_are_told(catalog: IcebergCatalog) -> None:
    """updateProperties lists removals that do not exist in missing."""
    answer = catalog.update_properties(catalog.new_namespace(properties={"a": "1"}), removals=["never", "a"])
    equal(answer.get("missing"), ["never"], "missing")


@should("iceberg.namespace.properties.type", operations=UPDATE, clause="update-properties-atomic", kind="error")
@given(value=st.sampled_from([None, {"a": "b"}, ["a"]]))
def test_update_with_value_that_is_no_text(catalog: IcebergCatalog, value: object) -> None:
    """updateProperties with a value that is not a string returns 400 and changes nothing."""
    id = catalog.new_namespace(properties={"a": "1"})
    before = namespace_properties(catalog, id)
    catalog.update_properties(id, updates={"a": "2", "b": value}, expect=400)
    equal(namespace_properties(catalog, id), before, PROPERTIES)
    catalog.control(lambda: catalog.update_properties(id, updates={"a": "2", "b": "2"}))


@must("iceberg.namespace.properties.texts", operations=[*UPDATE, *LOAD], clause="update-properties")
@given(text=st.sampled_from(TEXTS))
def test_property_texts_round_trip(catalog: IcebergCatalog, text: str) -> None:
    """updateProperties stores keys and values with any characters unchanged, or rejects them."""
    id = catalog.new_namespace()
    key = f"k {text[:40]}"
    if catalog.update_properties(id, updates={key: text}, expect=(200, *POLICY)).succeeded:
        has_properties(catalog, id, {key: text})
    else:
        lacks(namespace_properties(catalog, id), [key], PROPERTIES)
