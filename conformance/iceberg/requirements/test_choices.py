"""Options sent with each of their values, renames onto names in use, and letter case of properties."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.author.checks import equal, same_items
from conformance.author.requirement import must
from conformance.http.answers import Answer
from conformance.iceberg.catalog import NO_PROPERTIES, IcebergCatalog, Names
from conformance.iceberg.client import change
from conformance.iceberg.support.assertions import (
    POLICY,
    TAKEN,
    namespace_properties,
    same_metadata,
    state,
    type_is,
)
from conformance.iceberg.support.content import SCHEMA, view_body
from conformance.iceberg.support.listing import tables_in, views_in
from conformance.iceberg.support.metadata import properties_of
from conformance.iceberg.support.registrations import dropped_file
from conformance.iceberg.support.staging import FIRST, new_table_with_snapshots
from conformance.iceberg.support.updates import CREATE, TOUCH, creation, set_properties

REGISTER = ["registerTable"]

# Options


@must("iceberg.table.create.stage_false", operations=["createTable"], clause="stage-create-flag")
def test_stage_create_false(catalog: IcebergCatalog) -> None:
    """createTable with stage-create=false creates the table, as without the option."""
    id = catalog.table_id()
    created = catalog.create_table(id, schema=SCHEMA, stage_create=False)
    equal(catalog.metadata(id)["table-uuid"], created["metadata"]["table-uuid"], "the table-uuid of the loaded table")
    same_items(tables_in(catalog, catalog.home), [id], "the listed tables")


@must("iceberg.register.table.overwrite_false", operations=REGISTER, clause="register-table-exists", kind="error")
def test_overwrite_false(catalog: IcebergCatalog) -> None:
    """registerTable with overwrite=false on an existing table's name returns 409, and the table stays as it was."""
    catalog.revision.require_field("RegisterTableRequest", "overwrite")
    location, id = dropped_file(catalog), catalog.table_id()
    catalog.control(lambda: catalog.register_table(id, metadata_location=location, overwrite=False))
    with catalog.client.preparing():
        catalog.update_table(id, [TOUCH])
    before = state(catalog, id)
    type_is(catalog.register_table(id, metadata_location=location, overwrite=False, expect=409), TAKEN)
    metadata_location, metadata = state(catalog, id)
    equal(metadata_location, before[0], "the metadata-location afterwards")
    same_metadata(catalog, metadata, before[1], "the metadata afterwards")


@must("iceberg.register.table.overwrite_free", operations=REGISTER, clause="register-table")
def test_overwrite_of_nothing(catalog: IcebergCatalog) -> None:
    """registerTable with overwrite=true on a free name registers the table, or is rejected and creates none."""
    catalog.revision.require_field("RegisterTableRequest", "overwrite")
    location, id = dropped_file(catalog), catalog.table_id()
    made = catalog.register_table(id, metadata_location=location, overwrite=True, expect=(200, *POLICY, 501))
    catalog.load_table(id, expect=200 if made.succeeded else 404)


@must("iceberg.scan.spelled_out", operations=["planTableScan"], clause="plan-complete")
def test_options_with_their_defaults(catalog: IcebergCatalog) -> None:
    """planTableScan with case-sensitive=true and use-snapshot-schema=false plans the same as without them."""
    id, _ = new_table_with_snapshots(catalog, FIRST)
    plain = catalog.plan_table_scan(id)
    spelled = catalog.plan_table_scan(id, case_sensitive=True, use_snapshot_schema=False)
    equal(spelled.get("status"), plain.get("status"), "the status of the plan")
    tasks = [len(plan.get("file-scan-tasks") or ()) for plan in (plain, spelled)]
    equal(tasks[1], tasks[0], "the number of file-scan-tasks")


# Staged tables


@must("iceberg.commit.create.staged_twice", operations=["updateTable", "createTable"], clause="stage-commit")
def test_first_of_two_stagings(catalog: IcebergCatalog) -> None:
    """After two stagings of one body, the first can be committed; committing the second then returns 409.

    A server may reject the second staging.
    """
    id = catalog.table_id()
    body: dict[str, Any] = {"schema": SCHEMA, "stage_create": True, "properties": {"a": "1"}}
    first = catalog.create_table(id, **body)["metadata"]
    again = catalog.create_table(id, **body, expect=(200, 409))
    catalog.update_table(id, creation(first), [CREATE])
    created = catalog.metadata(id)
    equal(created["table-uuid"], first["table-uuid"], "the table-uuid of the created table")
    equal(properties_of(created).get("a"), "1", 'the property "a"')
    if again.succeeded:
        catalog.update_table(id, creation(again["metadata"]), [CREATE], expect=409)
    equal(catalog.metadata(id)["table-uuid"], first["table-uuid"], "the table-uuid after the second commit")


@must("iceberg.table.stage.forgotten", operations=["createTable"], clause="create-table-stage")
def test_staging_leaves_nothing(catalog: IcebergCatalog) -> None:
    """A table created after a staging of its name has the schema and properties of its own request alone."""
    id = catalog.table_id()
    with catalog.client.preparing():
        catalog.create_table(id, schema=SCHEMA, properties={"staged": "1"}, stage_create=True)
    few = {**SCHEMA, "fields": SCHEMA["fields"][:2]}
    catalog.create_table(id, schema=few, properties={"own": "1"})
    metadata = catalog.metadata(id)
    equal(len(metadata["schemas"]), 1, "the number of schemas")
    equal([column["name"] for column in metadata["schemas"][0]["fields"]], ["id", "name"], "the columns")
    properties = properties_of(metadata)
    equal([properties.get(name) for name in ("own", "staged")], ["1", None], 'the properties "own" and "staged"')


# Renames


@dataclass(frozen=True, slots=True)
class Renaming:
    """Kind of objects that can be renamed."""

    id: str
    new: Callable[[IcebergCatalog, str], Names]
    load: Callable[..., Answer]
    rename: Callable[..., Answer]
    write: Callable[[IcebergCatalog, Names], Answer]
    listed: Callable[[IcebergCatalog, Names], list[Names]]

    @property
    def operations(self) -> list[str]:
        """The operation that renames."""
        return [f"rename{self.id.title()}"]

    def uuid(self, catalog: IcebergCatalog, id: Names) -> str:
        """Return the UUID of an object."""
        return str(self.load(catalog, id)["metadata"][f"{self.id}-uuid"])


of = IcebergCatalog
RENAMINGS = {
    "table": Renaming(
        "table",
        of.new_table,
        of.load_table,
        of.rename_table,
        lambda catalog, id: catalog.update_table(id, [TOUCH]),
        tables_in,
    ),
    "view": Renaming(
        "view",
        of.new_view,
        of.load_view,
        of.rename_view,
        lambda catalog, id: catalog.replace_view(id, [TOUCH]),
        views_in,
    ),
}


@must("iceberg.{}.rename.itself", clause="rename-{}", each=RENAMINGS)
def test_rename_to_itself(catalog: IcebergCatalog, case: Renaming) -> None:
    """Renaming a {} to its own name succeeds or returns 4xx, and the {} stays as it was."""
    id = case.new(catalog, "it")
    before = case.load(catalog, id)["metadata"]
    case.rename(catalog, id, id, expect=(204, *POLICY))
    same_metadata(catalog, case.load(catalog, id)["metadata"], before, f"the metadata of the {case.id}")
    same_items(case.listed(catalog, catalog.home), [id], f"the listed {case.id}s")


@must("iceberg.{}.rename.swapped", clause="rename-{}", each=RENAMINGS)
def test_names_are_swapped(catalog: IcebergCatalog, case: Renaming) -> None:
    """After two {}s swapped their names, each has the UUID of the other, and commits reach the right one."""
    first, second, third = case.new(catalog, "a"), case.new(catalog, "b"), catalog.table_id("c")
    uuids = [case.uuid(catalog, id) for id in (first, second)]
    for source, destination in ((first, third), (second, first), (third, second)):
        case.rename(catalog, source, destination)
    equal([case.uuid(catalog, id) for id in (second, first)], uuids, "the UUIDs under the other names")
    case.write(catalog, first)
    touched = [properties_of(case.load(catalog, id)["metadata"]).get("touched") for id in (first, second)]
    equal(touched, ["1", None], "the property that the commit set, of the first and of the second name")
    same_items(case.listed(catalog, catalog.home), [first, second], f"the listed {case.id}s")


# Objects of the other kind


@dataclass(frozen=True, slots=True)
class Mistake:
    """Operation of one kind on the name of another, given the table and the view that exist."""

    id: str
    clause: str
    send: Callable[..., Answer]
    on_view: bool


MISTAKES = {
    "update_table": Mistake(
        "updateTable", "load-table-view", lambda catalog, id, **rest: catalog.update_table(id, [TOUCH], **rest), True
    ),
    "rename_table": Mistake(
        "renameTable",
        "rename-table-source",
        lambda catalog, id, **rest: catalog.rename_table(id, catalog.table_id("renamed"), **rest),
        True,
    ),
    "unregister_table": Mistake("unregisterTable", "unregister-table-not-found", of.unregister_table, True),
    "load_credentials": Mistake("loadCredentials", "load-credentials-not-found", of.load_credentials, True),
    "rename_view": Mistake(
        "renameView",
        "rename-view-source",
        lambda catalog, id, **rest: catalog.rename_view(id, catalog.table_id("renamed"), **rest),
        False,
    ),
}


@must("iceberg.kind.{}", clause=lambda case: case.clause, kind="error", each=MISTAKES)
def test_other_kind_is_not_found(catalog: IcebergCatalog, case: Mistake) -> None:
    """{} on the name of an object of the other kind, table or view, returns 404 and leaves it as it was."""
    table, view = catalog.new_table(), catalog.new_view()
    id, load = (view, catalog.load_view) if case.on_view else (table, catalog.load_table)
    before = load(id)["metadata"]
    case.send(catalog, id, expect=404)
    same_metadata(catalog, load(id)["metadata"], before, "the metadata afterwards")


# Letter case of properties

LOWER, UPPER = "lakeproof.case", "LakeProof.Case"
BOTH = {LOWER: "1", UPPER: "2"}


@dataclass(frozen=True, slots=True)
class Holder:
    """Object with properties: the operation that sets them, its request, and a function that loads them."""

    id: str
    clause: str
    send: Callable[[IcebergCatalog, dict[str, str]], Answer]
    look: Callable[[IcebergCatalog], Any]


def _new_namespace(catalog: IcebergCatalog, properties: dict[str, str]) -> Answer:
    id = catalog.namespace_id()
    return catalog.create_namespace(id, properties=properties, expect=(200, *POLICY, NO_PROPERTIES))


def _namespace(catalog: IcebergCatalog, properties: dict[str, str]) -> Answer:
    return catalog.update_properties(catalog.new_namespace(), updates=properties, expect=(200, *POLICY))


def _new_table(catalog: IcebergCatalog, properties: dict[str, str]) -> Answer:
    return catalog.create_table(catalog.table_id(), schema=SCHEMA, properties=properties, expect=(200, *POLICY))


def _table(catalog: IcebergCatalog, properties: dict[str, str]) -> Answer:
    return catalog.update_table(catalog.new_table(), [set_properties(**properties)], expect=(200, *POLICY))


def _transaction(catalog: IcebergCatalog, properties: dict[str, str]) -> Answer:
    changes = [change(catalog.new_table(), [set_properties(**properties)])]
    return catalog.commit_transaction(changes, expect=(204, *POLICY))


def _new_view(catalog: IcebergCatalog, properties: dict[str, str]) -> Answer:
    body: dict[str, Any] = {**view_body(catalog.home), "properties": properties}
    return catalog.create_view(catalog.table_id("v"), **body, expect=(200, *POLICY))


def _view(catalog: IcebergCatalog, properties: dict[str, str]) -> Answer:
    return catalog.replace_view(catalog.new_view(), [set_properties(**properties)], expect=(200, *POLICY))


def _of_namespace(catalog: IcebergCatalog) -> Any:
    return namespace_properties(catalog, catalog.namespace_id())


def _of_table(catalog: IcebergCatalog) -> Any:
    return properties_of(catalog.metadata(catalog.table_id()))


def _of_view(catalog: IcebergCatalog) -> Any:
    return properties_of(catalog.view_metadata(catalog.table_id("v")))


HOLDERS = {
    "new_namespace": Holder("createNamespace", "create-namespace", _new_namespace, _of_namespace),
    "namespace": Holder("updateProperties", "update-properties", _namespace, _of_namespace),
    "new_table": Holder("createTable", "create-table-properties", _new_table, _of_table),
    "table": Holder("updateTable", "update-set-properties", _table, _of_table),
    "transaction": Holder("commitTransaction", "transaction", _transaction, _of_table),
    "new_view": Holder("createView", "view-stored-whole", _new_view, _of_view),
    "view": Holder("replaceView", "replace-view", _view, _of_view),
}


@must("iceberg.properties.case.{}", clause=lambda case: case.clause, each=HOLDERS)
def test_case_of_properties(catalog: IcebergCatalog, case: Holder) -> None:
    """Two property keys that differ in letter case alone are stored by {} with their own values, or are rejected."""
    if case.send(catalog, BOTH).succeeded:
        found = case.look(catalog)
        equal({key: found[key] for key in found if key.lower() == LOWER}, BOTH, "the two properties")
