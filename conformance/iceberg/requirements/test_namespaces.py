"""createNamespace, loadNamespaceMetadata, namespaceExists, dropNamespace."""

from __future__ import annotations

from hypothesis import strategies as st

from conformance.author.checks import equal, holds, shows
from conformance.author.requirement import given, must, should
from conformance.iceberg.catalog import NO_PROPERTIES, IcebergCatalog
from conformance.iceberg.support.assertions import TAKEN, has_properties, type_is
from conformance.target.hostile import UNUSED
from conformance.values.outcomes import Unoffered

CREATE = ["createNamespace"]
LOAD = ["loadNamespaceMetadata"]
DROP = ["dropNamespace"]
NO_NAMESPACE = "NoSuchNamespaceException"
OWNED = {"owner": "lakeproof", "purpose": "tests"}
LEVELS = "the levels of the namespace"


@must("iceberg.namespace.create.answer", operations=CREATE, clause="create-namespace-answer")
def test_creation_tells_the_properties(catalog: IcebergCatalog) -> None:
    """createNamespace returns the stored properties, as loadNamespaceMetadata returns them."""
    id = catalog.namespace_id()
    answer = catalog.create_namespace(id, properties=OWNED, expect=(200, NO_PROPERTIES))
    if not answer.succeeded or answer.get("properties") is None:
        raise Unoffered("the server keeps no properties of namespaces, or does not tell them here")
    has_properties(catalog, id, OWNED)
    shows(answer["properties"], OWNED, "the properties in the answer")


@must("iceberg.namespace.create.conflict", operations=CREATE, clause="create-namespace-exists", kind="error")
def test_create_existing_namespace(catalog: IcebergCatalog) -> None:
    """createNamespace on an existing name returns 409 with type AlreadyExistsException."""
    refused = catalog.create_namespace(catalog.new_namespace(), expect=409)
    type_is(refused, TAKEN)


@must("iceberg.namespace.create.nested", operations=[*CREATE, *LOAD], clause="create-namespace")
def test_three_levels(catalog: IcebergCatalog) -> None:
    """loadNamespaceMetadata returns all levels of a child and of a grandchild namespace."""
    catalog.require_nested()
    middle = (*catalog.home, "middle")
    catalog.create_namespace(middle)
    equal(catalog.load_namespace_metadata(middle)["namespace"], list(middle), LEVELS)
    inner = catalog.new_deep_namespace((*middle, "inner"))
    equal(catalog.load_namespace_metadata(inner)["namespace"], list(inner), LEVELS)


@should("iceberg.namespace.create.flat", operations=CREATE, clause="create-namespace-nesting", kind="error")
def test_nested_namespace_is_made_or_refused(catalog: IcebergCatalog) -> None:
    """createNamespace below another namespace succeeds, or returns 4xx if the server has only one level."""
    id = (*catalog.home, "inner")
    catalog.create_namespace(id, expect=(200, 400, 404, 406, 422))


@should("iceberg.namespace.create.parent_missing", operations=CREATE, clause="create-namespace-parent", kind="error")
def test_create_in_missing_parent(catalog: IcebergCatalog) -> None:
    """createNamespace below a missing namespace returns 404, or creates the parent too."""
    catalog.require_nested()
    parent = catalog.missing_namespace()
    catalog.note_namespaces([parent])
    answer = catalog.create_namespace((*parent, "inner"), expect=(200, 404))
    if answer.status == 404:
        type_is(answer, NO_NAMESPACE)
    catalog.namespace_exists(parent, expect=204 if answer.succeeded else 404)


@should("iceberg.namespace.create.no_level", operations=CREATE, clause="create-namespace-empty", kind="error")
def test_namespace_without_levels(catalog: IcebergCatalog) -> None:
    """createNamespace without levels returns 400."""
    catalog.create_namespace((), expect=400)


@should("iceberg.namespace.create.empty_level", operations=CREATE, clause="create-namespace-empty", kind="error")
def test_namespace_with_empty_level(catalog: IcebergCatalog) -> None:
    """createNamespace with an empty level returns 400."""
    catalog.create_namespace((*catalog.home, ""), expect=400)


BAD_BODIES = {
    "no_namespace": {"namespace": ...},
    "namespace_text": {"namespace": UNUSED},
    "properties_list": {"properties": ["k"]},
}


@must("iceberg.namespace.create.bad_body.{}", operations=CREATE, clause="bad-body", kind="error", each=BAD_BODIES)
def test_create_with_bad_body(catalog: IcebergCatalog, case: dict[str, object]) -> None:
    """createNamespace with a body that violates its schema ({}) returns 400."""
    body = {"namespace": [*catalog.namespace_id()], "properties": {}, **case}
    catalog.send("createNamespace", body={key: value for key, value in body.items() if value is not ...}, expect=400)
    catalog.control(catalog.new_namespace)


@should("iceberg.namespace.create.level_type", operations=CREATE, clause="bad-text", kind="error")
def test_create_with_level_that_is_no_text(catalog: IcebergCatalog) -> None:
    """createNamespace with a level that is not a string returns 400."""
    catalog.send("createNamespace", body={"namespace": [*catalog.home, 1]}, expect=400)


@should("iceberg.namespace.create.property_type", operations=CREATE, clause="update-properties-values", kind="error")
@given(value=st.sampled_from([None, {"a": "b"}, ["a"]]))
def test_create_with_property_that_is_no_text(catalog: IcebergCatalog, value: object) -> None:
    """createNamespace with a property value that is not a string returns 400 and creates nothing."""
    id = catalog.namespace_id()
    catalog.create_namespace(id, properties={"k": value}, expect=400)
    catalog.load_namespace_metadata(id, expect=404)
    catalog.control(lambda: catalog.new_namespace(properties={"k": "v"}))


@should("iceberg.namespace.load.no_properties", operations=LOAD, clause="load-namespace-no-properties", reads=True)
def test_namespace_without_properties(catalog: IcebergCatalog) -> None:
    """loadNamespaceMetadata of a namespace created without properties returns properties as an object or null."""
    stored = catalog.load_namespace_metadata(catalog.new_namespace()).get("properties", "absent")
    holds(stored is None or isinstance(stored, dict), "properties is an object or null")


@must("iceberg.namespace.load.all", operations=LOAD, clause="load-namespace")
def test_load_shows_everything(catalog: IcebergCatalog) -> None:
    """loadNamespaceMetadata returns the levels and all properties, including those set later."""
    id = catalog.new_namespace(properties={"a": "1"})
    catalog.update_properties(id, updates={"b": "2"})
    equal(catalog.load_namespace_metadata(id)["namespace"], list(id), LEVELS)
    has_properties(catalog, id, {"a": "1", "b": "2"})


@must("iceberg.namespace.exists.present", operations=["namespaceExists"], clause="namespace-exists", reads=True)
def test_namespace_exists(catalog: IcebergCatalog) -> None:
    """namespaceExists on an existing namespace returns 204."""
    catalog.namespace_exists(catalog.new_namespace())


@must(
    "iceberg.namespace.exists.missing",
    operations=["namespaceExists"],
    clause="namespace-exists",
    kind="error",
    reads=True,
)
def test_missing_namespace_exists(catalog: IcebergCatalog) -> None:
    """namespaceExists on a dropped namespace, or on one that never existed, returns 404."""
    catalog.namespace_exists(catalog.missing_namespace(), expect=404)
    if catalog.target.read_only:
        return
    id = catalog.new_namespace()
    catalog.drop_namespace(id)
    catalog.namespace_exists(id, expect=404)


NOT_EMPTY = "NamespaceNotEmptyException"


@must("iceberg.namespace.drop.with_namespace", operations=DROP, clause="drop-namespace-not-empty", kind="error")
def test_drop_namespace_with_namespace(catalog: IcebergCatalog) -> None:
    """dropNamespace on a namespace with a child returns 409 with type NamespaceNotEmptyException; the child stays."""
    catalog.require_nested()
    inner = (*catalog.home, "inner")
    catalog.create_namespace(inner)
    refused = catalog.drop_namespace(catalog.home, expect=409)
    type_is(refused, NOT_EMPTY)
    catalog.load_namespace_metadata(inner)


@must("iceberg.namespace.drop.siblings", operations=DROP, clause="drop-namespace-siblings")
def test_drop_leaves_names_that_begin_alike(catalog: IcebergCatalog) -> None:
    """dropNamespace succeeds and keeps other namespaces whose names only start with the dropped name."""
    id, other = catalog.new_namespace("x"), catalog.new_namespace("x_y")
    longer = catalog.new_namespace("xz")
    catalog.drop_namespace(id)
    catalog.load_namespace_metadata(other)
    catalog.load_namespace_metadata(longer)
