"""updateProperties."""

from __future__ import annotations

from hypothesis import strategies as st

from conformance.author.checks import equal, lacks, same_items
from conformance.author.requirement import given, may, must, should
from conformance.author.strategies import KEYS, TEXTS, plain_properties
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.commits import POLICY
from conformance.iceberg.support.errors import type_is
from conformance.iceberg.support.namespaces import PROPERTIES, has_properties, namespace_properties

LOAD = ["loadNamespaceMetadata"]
UPDATE = ["updateProperties"]


@must("iceberg.namespace.properties.update", operations=UPDATE, clause="update-properties")
@given(wanted=plain_properties(), removed=st.sets(st.sampled_from(KEYS)))
def test_update_properties(catalog: IcebergCatalog, wanted: dict[str, str], removed: set[str]) -> None:
    """Properties in updates are set, those in removals are gone, and all others stay as they were."""
    id = catalog.new_namespace(properties=dict.fromkeys(KEYS, "old"))
    before = namespace_properties(catalog, id)
    removals = sorted(removed - set(wanted))
    catalog.update_properties(id, updates=wanted, removals=removals)
    expected = {key: value for key, value in {**before, **wanted}.items() if key not in removals}
    equal(namespace_properties(catalog, id), expected, PROPERTIES)


@must("iceberg.namespace.properties.others", operations=UPDATE, clause="update-properties-others")
def test_update_leaves_other_properties(catalog: IcebergCatalog) -> None:
    """An update without removals, or without updates, leaves what it does not name."""
    id = catalog.new_namespace(properties={"kept": "1", "gone": "1"})
    catalog.update_properties(id, updates={"new": "1"})
    catalog.update_properties(id, removals=["gone"])
    stored = namespace_properties(catalog, id)
    left = {key: stored[key] for key in ("kept", "gone", "new") if stored.get(key) is not None}
    equal(left, {"kept": "1", "new": "1"}, PROPERTIES)


@must("iceberg.namespace.properties.answer", operations=UPDATE, clause="update-properties-answer")
def test_update_tells_what_was_done(catalog: IcebergCatalog) -> None:
    """The answer lists under updated what was set and under removed what was taken away, each once."""
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
    """Removing a property that is not there is no error, and it is not listed under removed."""
    id = catalog.new_namespace(properties={"a": "1"})
    answer = catalog.update_properties(id, removals=["a", "never"])
    equal(answer["removed"], ["a"], "removed")


@may("iceberg.namespace.properties.missing", operations=UPDATE, clause="update-properties-missing")
def test_missing_properties_are_told(catalog: IcebergCatalog) -> None:
    """Properties that were to be removed but are not there are listed under missing."""
    answer = catalog.update_properties(catalog.new_namespace(properties={"a": "1"}), removals=["never", "a"])
    equal(answer.get("missing"), ["never"], "missing")


@must("iceberg.namespace.properties.both", operations=UPDATE, clause="update-properties-both", kind="error")
def test_property_set_and_removed(catalog: IcebergCatalog) -> None:
    """A property both in updates and in removals is refused with 422, and nothing changes."""
    id = catalog.new_namespace(properties={"a": "1", "b": "1"})
    before = namespace_properties(catalog, id)
    refused = catalog.update_properties(id, updates={"a": "2", "c": "1"}, removals=["a", "b"], expect=422)
    type_is(refused, "UnprocessableEntityException")
    equal(namespace_properties(catalog, id), before, PROPERTIES)
    catalog.control(lambda: catalog.update_properties(id, updates={"a": "2", "c": "1"}, removals=["b"]))


@should("iceberg.namespace.properties.type", operations=UPDATE, clause="update-properties-atomic", kind="error")
@given(value=st.sampled_from([None, {"a": "b"}, ["a"]]))
def test_update_with_value_that_is_no_text(catalog: IcebergCatalog, value: object) -> None:
    """An update with a value that is no text is refused with 400, and nothing of it is done."""
    id = catalog.new_namespace(properties={"a": "1"})
    before = namespace_properties(catalog, id)
    catalog.update_properties(id, updates={"a": "2", "b": value}, expect=400)
    equal(namespace_properties(catalog, id), before, PROPERTIES)
    catalog.control(lambda: catalog.update_properties(id, updates={"a": "2", "b": "2"}))


@must("iceberg.namespace.properties.texts", operations=[*UPDATE, *LOAD], clause="update-properties")
@given(text=st.sampled_from(TEXTS))
def test_property_texts_round_trip(catalog: IcebergCatalog, text: str) -> None:
    """Values and keys of properties come back as they went in, whatever characters they have, or are refused."""
    id = catalog.new_namespace()
    key = f"k {text[:40]}"
    if catalog.update_properties(id, updates={key: text}, expect=(200, *POLICY)).status == 200:
        has_properties(catalog, id, {key: text})
    else:
        lacks(namespace_properties(catalog, id), [key], PROPERTIES)
