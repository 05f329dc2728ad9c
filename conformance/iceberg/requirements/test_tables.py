"""loadTable, tableExists, dropTable, renameTable. test_table_creation.py tests createTable."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from conformance.author.checks import equal, text
from conformance.author.requirement import given, must, should
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.client import identifier
from conformance.iceberg.support.assertions import POLICY, same_metadata, type_is
from conformance.iceberg.support.content import NESTED_SCHEMA, SCHEMA
from conformance.values.outcomes import Unoffered

LOAD = ["loadTable"]
EXISTS = ["tableExists"]
DROP = ["dropTable"]
RENAME = ["renameTable"]
METADATA = "the metadata of the table"


def _uuid(catalog: IcebergCatalog, id: Names) -> str:
    return text(catalog.metadata(id)["table-uuid"], "the table-uuid of the table")


@must("iceberg.table.load.whole", operations=LOAD, clause="load-table")
def test_load_shows_what_was_created(catalog: IcebergCatalog) -> None:
    """loadTable returns the metadata that createTable returned."""
    id = catalog.table_id()
    created = catalog.create_table(id, schema=NESTED_SCHEMA, properties={"a": "1"})
    loaded = catalog.load_table(id)
    same_metadata(catalog, loaded["metadata"], created["metadata"], METADATA)


@must("iceberg.table.load.again", operations=LOAD, clause="metadata-location-changes", reads=True)
def test_location_stays_while_nothing_changes(catalog: IcebergCatalog) -> None:
    """Repeated loadTable returns the same metadata and metadata-location while nothing changes."""
    id = catalog.new_table()
    first, second = catalog.load_table(id), catalog.load_table(id)
    equal(second.get("metadata-location"), first.get("metadata-location"), "the metadata-location of the table")
    same_metadata(catalog, second["metadata"], first["metadata"], METADATA)


@should("iceberg.table.load.metadata_location", operations=LOAD, clause="load-table-metadata-location", reads=True)
def test_load_tells_the_metadata_file(catalog: IcebergCatalog) -> None:
    """loadTable returns the metadata-location of the table."""
    text(catalog.load_table(catalog.new_table()).get("metadata-location"), "the metadata-location of the table")


@must("iceberg.table.load.namespace_missing", operations=LOAD, clause="load-table-not-found", kind="error", reads=True)
def test_load_table_of_missing_namespace(catalog: IcebergCatalog) -> None:
    """loadTable in a missing namespace returns 404 with type NoSuchNamespaceException or NoSuchTableException."""
    refused = catalog.load_table((*catalog.missing_namespace(), "t"), expect=404)
    type_is(refused, "NoSuchNamespaceException", "NoSuchTableException")


@must(
    "iceberg.table.view_is_none",
    operations=[*LOAD, *EXISTS, *DROP],
    clause="load-table-view",
    kind="error",
)
def test_view_is_no_table(catalog: IcebergCatalog) -> None:
    """loadTable, tableExists and dropTable on a view's name return 404, and the view stays."""
    catalog.require("createView")
    view = catalog.new_view()
    catalog.load_table(view, expect=404)
    catalog.table_exists(view, expect=404)
    catalog.drop_table(view, expect=404)
    catalog.load_view(view)


@must("iceberg.table.load.delegation", operations=LOAD, clause="access-delegation-hint", reads=True)
@given(access=st.sampled_from(["vended-credentials", "remote-signing", "vended-credentials,remote-signing"]))
def test_access_delegation_is_a_hint(catalog: IcebergCatalog, access: str) -> None:
    """loadTable returns the table whatever access X-Iceberg-Access-Delegation requests."""
    id = catalog.new_table()
    answer = catalog.load_table(id, _headers={"X-Iceberg-Access-Delegation": access})
    equal(answer["metadata"]["table-uuid"], _uuid(catalog, id), "the table-uuid of the table")


@should("iceberg.table.load.referenced_by", operations=LOAD, clause="load-table-referenced-by", reads=True)
def test_referenced_by_changes_nothing(catalog: IcebergCatalog) -> None:
    """loadTable with a view in referenced-by returns the same metadata as without."""
    id = catalog.new_table()
    reference = catalog.separator.join((*catalog.home, "v"))
    answer = catalog.load_table(id, referenced_by=reference)
    same_metadata(catalog, answer["metadata"], catalog.metadata(id), METADATA)


@should(
    "iceberg.table.load.snapshots_bad", operations=LOAD, clause="load-table-snapshots-bad", kind="error", reads=True
)
def test_bad_value_of_snapshots(catalog: IcebergCatalog) -> None:
    """loadTable with snapshots other than all or refs returns 400."""
    id = catalog.new_table()
    catalog.load_table(id, snapshots="some", expect=400)
    catalog.control(lambda: catalog.load_table(id, snapshots="all"))


@must("iceberg.table.exists.missing", operations=EXISTS, clause="table-exists", kind="error", reads=True)
def test_missing_table_exists(catalog: IcebergCatalog) -> None:
    """tableExists on a missing or dropped table, or in a missing namespace, returns 404."""
    catalog.table_exists((*catalog.missing_namespace(), "t"), expect=404)
    if catalog.target.read_only and not catalog.target.given.home:
        return
    catalog.table_exists(catalog.table_id("missing"), expect=404)
    if catalog.target.read_only:
        return
    id = catalog.new_table()
    catalog.drop_table(id)
    catalog.table_exists(id, expect=404)


# Dropping


@must("iceberg.table.drop.namespace_stays", operations=DROP, clause="drop-table", kind="data")
def test_namespace_of_the_same_name(catalog: IcebergCatalog) -> None:
    """Dropping a table keeps a namespace of the same name and the tables in it."""
    catalog.require_nested()
    id = catalog.new_table()
    if not catalog.create_namespace(id, expect=(200, *POLICY)).succeeded:
        raise Unoffered("a name is taken by a table for a namespace too")
    inner = (*id, "t")
    if not catalog.create_table(inner, schema=SCHEMA, expect=(200, *POLICY)).succeeded:
        raise Unoffered("there are no tables two levels deep")
    catalog.load_table(id)
    catalog.drop_table(id)
    catalog.load_table(id, expect=404)
    catalog.load_table(inner)


@should("iceberg.table.drop.purge", operations=DROP, clause="drop-table-purge-form")
@given(flag=st.sampled_from(["true", "True", "TRUE", "false", "False"]))
def test_purge_flag_in_any_case(catalog: IcebergCatalog, flag: str) -> None:
    """dropTable accepts purgeRequested in any letter case and drops the table."""
    catalog.require_purging()
    id = catalog.new_table()
    catalog.drop_table(id, purgeRequested=flag)
    catalog.load_table(id, expect=404)


# Renaming


@should("iceberg.table.rename.name_is_free", operations=RENAME, clause="rename-table-files")
def test_old_name_is_free(catalog: IcebergCatalog) -> None:
    """After renameTable a new table can take the old name, and stays when the renamed table is purged."""
    id, other = catalog.new_table(), catalog.table_id("renamed")
    catalog.rename_table(id, other)
    catalog.create_table(id, schema=SCHEMA)
    catalog.drop_table(other, purgeRequested="true", expect=(202, 204, 400, 403, 406))
    catalog.metadata(id)


BAD_RENAMES = {
    "no_source": {"source": None},
    "no_destination": {"destination": None},
    "source_text": {"source": "t"},
}


@must("iceberg.table.rename.bad_body.{}", operations=RENAME, clause="bad-body", kind="error", each=BAD_RENAMES)
def test_rename_with_bad_body(catalog: IcebergCatalog, case: dict[str, Any]) -> None:
    """renameTable with a body that violates its schema ({}) returns 400."""
    table, new = catalog.new_table(), catalog.table_id("new")
    body = {"source": identifier(table), "destination": identifier(new), **case}
    catalog.send("renameTable", body={key: value for key, value in body.items() if value is not None}, expect=400)
    catalog.control(lambda: catalog.rename_table(table, new))
