"""CreateNamespace, ListNamespaces, DescribeNamespace, DropNamespace, NamespaceExists."""

from __future__ import annotations

from conformance.author.checks import contains, equal, holds, lacks, same_items
from conformance.author.requirement import given, must, should
from conformance.author.strategies import distinct_names, properties, spellings, tables
from conformance.lance.catalog import LanceCatalog
from conformance.lance.support.listing import collect_namespaces
from conformance.lance.worlds import all_but

CREATE = ["CreateNamespace"]
DROP = ["DropNamespace"]


@should(
    "lance.namespace.create.properties",
    operations=[*CREATE, "DescribeNamespace"],
    clause="create-namespace-properties",
)
@given(wanted=properties())
def test_properties_are_kept(catalog: LanceCatalog, wanted: dict[str, str]) -> None:
    """CreateNamespace stores the properties of the request, and DescribeNamespace returns them."""
    id = catalog.new_namespace(properties=wanted)
    described = catalog.describe_namespace(id).get("properties") or {}
    kept = {key: described[key] for key in wanted if key in described}
    equal(kept, wanted, "the properties of the namespace")


@must("lance.namespace.create.conflict", operations=CREATE, clause="create-namespace-mode-create", kind="error")
@given(mode=spellings("Create"))
def test_create_existing_namespace(catalog: LanceCatalog, mode: str) -> None:
    """CreateNamespace on an existing name in mode Create returns 409 with code 2."""
    id = catalog.new_namespace()
    refused = catalog.create_namespace(id, mode=mode, expect=409)
    equal(refused.code, 2, "the code of the error")


@should(
    "lance.namespace.create.default_mode",
    operations=CREATE,
    clause="create-namespace-mode-default",
    kind="error",
)
def test_create_without_mode(catalog: LanceCatalog) -> None:
    """CreateNamespace on an existing name without a mode returns 409 with code 2."""
    id = catalog.new_namespace()
    refused = catalog.create_namespace(id, expect=409)
    equal(refused.code, 2, "the code of the error")


@must("lance.namespace.create.exist_ok", operations=CREATE, clause="create-namespace-mode-exist-ok")
@given(mode=spellings("Exist", "Ok"))
def test_create_exist_ok(catalog: LanceCatalog, mode: str) -> None:
    """CreateNamespace on an existing name in mode ExistOk succeeds and keeps the namespace's tables."""
    id = catalog.new_namespace()
    table = (*id, "kept")
    catalog.declare_table(table)
    catalog.create_namespace(id, mode=mode)
    catalog.table_exists(table)


@must("lance.namespace.create.overwrite", operations=CREATE, clause="create-namespace-mode-overwrite")
@given(mode=spellings("Overwrite"))
def test_create_overwrite(catalog: LanceCatalog, mode: str) -> None:
    """CreateNamespace on an existing name in mode Overwrite replaces the namespace with an empty one."""
    id = catalog.new_namespace()
    table = (*id, "gone")
    catalog.declare_table(table)
    catalog.create_namespace(id, mode=mode)
    catalog.describe_namespace(id)
    catalog.table_exists(table, expect=404)


@must("lance.namespace.create.mode_unknown", operations=CREATE, clause="modes-closed", kind="error")
def test_create_unknown_mode(catalog: LanceCatalog) -> None:
    """CreateNamespace with an unknown mode returns 400 with code 13."""
    catalog.control(lambda: catalog.create_namespace(catalog.namespace_id("twin"), mode="Create"))
    refused = catalog.create_namespace(catalog.namespace_id(), mode="Perhaps", expect=400)
    equal(refused.code, 13, "the code of the error")


@should(
    "lance.namespace.create.nested",
    operations=[*CREATE, "DescribeNamespace"],
    clause="identifiers-multi-level",
)
def test_three_levels(catalog: LanceCatalog) -> None:
    """CreateNamespace creates a namespace of three levels, and DescribeNamespace describes it."""
    catalog.require_nested()
    middle = catalog.new_namespace("middle")
    inner = (*middle, "inner")
    catalog.create_namespace(inner)
    catalog.describe_namespace(inner)


@must("lance.namespace.create.properties_type", operations=CREATE, clause="request-schemas", kind="error")
def test_properties_that_are_no_strings(catalog: LanceCatalog) -> None:
    """CreateNamespace with a property value that is not a string returns 400 with code 13."""
    catalog.control(lambda: catalog.create_namespace(catalog.namespace_id("twin"), properties={"k": "1"}))
    refused = catalog.create_namespace(catalog.namespace_id(), properties={"k": 1}, expect=400)
    equal(refused.code, 13, "the code of the error")


@must("lance.namespace.describe.fresh", operations=["DescribeNamespace"], clause="namespace-not-found")
def test_dropped_namespace_is_not_described(catalog: LanceCatalog) -> None:
    """DescribeNamespace of a dropped namespace returns 404, even if it was described before."""
    id = catalog.new_namespace()
    catalog.describe_namespace(id)
    with catalog.client.preparing():
        catalog.drop_namespace(id)
    catalog.describe_namespace(id, expect=404)


@must("lance.namespace.describe.root", operations=["DescribeNamespace"], clause="root-namespace", reads=True)
def test_describe_root(catalog: LanceCatalog) -> None:
    """DescribeNamespace describes the root namespace."""
    catalog.describe_namespace(())


@must(
    "lance.namespace.exists.present", operations=["NamespaceExists"], clause="namespace-exists", reads=True, twin=True
)
def test_namespace_exists(catalog: LanceCatalog) -> None:
    """NamespaceExists returns 200 for an existing namespace and for the root."""
    id = catalog.new_namespace()
    catalog.namespace_exists(id)
    catalog.namespace_exists(())


@must(
    "lance.namespace.exists.missing",
    operations=["NamespaceExists"],
    clause="namespace-exists",
    kind="error",
    reads=True,
)
def test_missing_namespace_exists(catalog: LanceCatalog) -> None:
    """NamespaceExists returns 404 with code 1 for a missing namespace."""
    refused = catalog.namespace_exists(catalog.missing_namespace(), expect=404)
    equal(refused.code, 1, "the code of the error")


@should("lance.namespace.exists.no_body", operations=["NamespaceExists"], clause="exists-no-body", reads=True)
def test_namespace_exists_has_no_body(catalog: LanceCatalog) -> None:
    """NamespaceExists returns no body."""
    answer = catalog.namespace_exists(catalog.new_namespace())
    equal(len(answer.body), 0, "the length of the body")


@must("lance.namespace.drop.missing", operations=DROP, clause="drop-namespace-mode-fail", kind="error")
@given(mode=spellings("Fail"))
def test_drop_missing_namespace(catalog: LanceCatalog, mode: str) -> None:
    """DropNamespace of a missing namespace in mode Fail returns 400 or 404 with code 1."""
    refused = catalog.drop_namespace(catalog.missing_namespace(), mode=mode, expect=(400, 404))
    equal(refused.code, 1, "the code of the error")


@should("lance.namespace.drop.missing_status", operations=DROP, clause="drop-namespace-missing-404", kind="error")
def test_drop_missing_namespace_status(catalog: LanceCatalog) -> None:
    """DropNamespace of a missing namespace returns 404, the status of code 1."""
    catalog.drop_namespace(catalog.missing_namespace(), expect=404)


@must("lance.namespace.drop.skip", operations=DROP, clause="drop-namespace-mode-skip")
@given(mode=spellings("Skip"))
def test_drop_missing_namespace_skip(catalog: LanceCatalog, mode: str) -> None:
    """DropNamespace of a missing namespace in mode Skip returns 200 or 204."""
    catalog.drop_namespace(catalog.missing_namespace(), mode=mode, expect=(200, 204))


@should(
    "lance.namespace.drop.skip_json",
    operations=DROP,
    clause="drop-namespace-skip-json",
    needs=["lance.namespace.drop.skip"],
)
def test_drop_skip_answers_json(catalog: LanceCatalog) -> None:
    """DropNamespace of a missing namespace in mode Skip returns a JSON object, which clients parse."""
    answer = catalog.drop_namespace(catalog.missing_namespace(), mode="Skip")
    holds(isinstance(answer.json, dict), "the body is a JSON object")


@must("lance.namespace.drop.restrict_table", operations=DROP, clause="drop-namespace-restrict", kind="error")
@given(behavior=spellings("Restrict"))
def test_drop_namespace_with_table(catalog: LanceCatalog, behavior: str) -> None:
    """DropNamespace with behavior Restrict on a namespace with a table returns 409 with code 3 and drops nothing."""
    id = catalog.new_namespace()
    catalog.make_table((*id, "t"), tables(1))
    refused = catalog.drop_namespace(id, behavior=behavior, expect=409)
    equal(refused.code, 3, "the code of the error")
    catalog.table_exists((*id, "t"))


@must("lance.namespace.drop.restrict_namespace", operations=DROP, clause="drop-namespace-restrict", kind="error")
def test_drop_namespace_with_namespace(catalog: LanceCatalog) -> None:
    """DropNamespace without Cascade on a namespace with a child returns 409 with code 3 and drops nothing."""
    catalog.require_nested()
    id = catalog.new_namespace()
    catalog.create_namespace((*id, "inner"))
    refused = catalog.drop_namespace(id, expect=409)
    equal(refused.code, 3, "the code of the error")
    catalog.namespace_exists((*id, "inner"))


@must("lance.namespace.drop.cascade", operations=DROP, clause="drop-namespace-cascade")
@given(behavior=spellings("Cascade"))
def test_drop_namespace_cascade(catalog: LanceCatalog, behavior: str) -> None:
    """DropNamespace with behavior Cascade drops everything in the namespace, or is rejected as unsupported."""
    id = catalog.new_namespace()
    catalog.declare_table((*id, "t"))
    if catalog.nested:
        catalog.create_namespace((*id, "inner"))
        catalog.declare_table((*id, "inner", "t"))
    catalog.supported(catalog.drop_namespace(id, behavior=behavior, expect=None), "drops that cascade")
    catalog.namespace_exists(id, expect=404)
    catalog.table_exists((*id, "t"), expect=404)
    if catalog.nested:
        catalog.namespace_exists((*id, "inner"), expect=404)
        catalog.table_exists((*id, "inner", "t"), expect=404)


@must("lance.namespace.drop.recreated_empty", operations=[*DROP, *CREATE], clause="drop-namespace")
def test_recreated_namespace_is_empty(catalog: LanceCatalog) -> None:
    """A namespace created under the name of a dropped one does not inherit its properties."""
    id = catalog.new_namespace(properties={"former": "yes"})
    catalog.drop_namespace(id)
    catalog.create_namespace(id)
    described = catalog.describe_namespace(id).get("properties") or {}
    lacks(described, ["former"], "the properties of the namespace")


@must("lance.namespace.drop.mode_unknown", operations=DROP, clause="modes-closed", kind="error")
def test_drop_unknown_mode(catalog: LanceCatalog) -> None:
    """DropNamespace with an unknown mode returns 400 with code 13."""
    catalog.control(lambda: catalog.drop_namespace(catalog.new_namespace("twin"), mode="Fail"))
    refused = catalog.drop_namespace(catalog.new_namespace(), mode="Perhaps", expect=400)
    equal(refused.code, 13, "the code of the error")


@must("lance.namespace.drop.behavior_unknown", operations=DROP, clause="modes-closed", kind="error")
def test_drop_unknown_behavior(catalog: LanceCatalog) -> None:
    """DropNamespace with an unknown behavior returns 400 with code 13."""
    catalog.control(lambda: catalog.drop_namespace(catalog.new_namespace("twin"), behavior="Restrict"))
    refused = catalog.drop_namespace(catalog.new_namespace(), behavior="Perhaps", expect=400)
    equal(refused.code, 13, "the code of the error")


@must("lance.namespace.list.children", operations=["ListNamespaces"], clause="list-namespaces")
@given(wanted=distinct_names())
def test_list_children(catalog: LanceCatalog, wanted: list[str]) -> None:
    """ListNamespaces returns the names of the direct children, relative to the parent, and nothing else."""
    catalog.require_nested()
    for name in wanted:
        catalog.create_namespace(catalog.namespace_id(name))
    if wanted:
        catalog.create_namespace((*catalog.namespace_id(wanted[0]), "grandchild"))
    same_items(collect_namespaces(catalog, catalog.home), wanted, "the listed namespaces")


@must(
    "lance.namespace.list.root",
    operations=["ListNamespaces"],
    clause="root-namespace",
    reads=True,
    world=all_but(place=("root",)),
)
def test_list_root(catalog: LanceCatalog) -> None:
    """ListNamespaces on the root lists a namespace created there."""
    catalog.require_namespaces()
    name = catalog.home[0]
    contains(collect_namespaces(catalog, ()), [name], "the listed namespaces of the root")
