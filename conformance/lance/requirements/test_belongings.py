"""Tags, indices, metadata and versions of a table through renames, drops, registrations and restores."""

from __future__ import annotations

from conformance.author.checks import equal, text
from conformance.author.requirement import must, should
from conformance.author.strategies import tables
from conformance.lance.catalog import LanceCatalog
from conformance.lance.support.arrow import stream
from conformance.lance.support.details import OF_TABLE, OF_VERSION, TableDetail
from conformance.values.outcomes import Unoffered

RENAME, REGISTER, DROP, RESTORE = ["RenameTable"], ["RegisterTable"], ["DropTable"], ["RestoreTable"]


@should("lance.table.rename.keeps.{}", operations=RENAME, clause="rename-table-keeps", each=OF_TABLE)
def test_renamed_table_keeps(catalog: LanceCatalog, case: TableDetail) -> None:
    """RenameTable keeps the {} of the table."""
    id, renamed = catalog.new_table("before"), catalog.table_id("after")
    case.give(catalog, id)
    before = case.look(catalog, id)
    catalog.rename_table(id, new_table_name=renamed[-1])
    equal(case.look(catalog, renamed), before, case.what)


@should("lance.table.rename.properties", operations=RENAME, clause="rename-table-keeps")
def test_renamed_table_keeps_properties(catalog: LanceCatalog) -> None:
    """On servers that store table properties, RenameTable keeps them."""
    id, renamed = catalog.new_declared_table("before", properties={"owner": "me"}), catalog.table_id("after")
    catalog.insert_into_table(id, stream(tables(1)))
    if (catalog.describe_table(id).get("properties") or {}).get("owner") != "me":
        raise Unoffered("the server keeps no properties of tables")
    catalog.rename_table(id, new_table_name=renamed[-1])
    properties = catalog.describe_table(renamed).get("properties") or {}
    equal(properties.get("owner"), "me", "the property owner of the renamed table")


@should("lance.table.register.keeps.{}", operations=REGISTER, clause="register-table-keeps", each=OF_TABLE)
def test_registered_table_keeps(catalog: LanceCatalog, case: TableDetail) -> None:
    """RegisterTable at the location of a deregistered table restores the {} of the table."""
    id = catalog.new_table()
    case.give(catalog, id)
    before = case.look(catalog, id)
    location = text(catalog.deregister_table(id)["location"], "the location of the deregistered table")
    catalog.restore_registration(id, location)
    equal(case.look(catalog, id), before, case.what)


@must("lance.table.drop.forgets.{}", operations=DROP, clause="drop-table", each=OF_VERSION)
def test_dropped_table_is_forgotten(catalog: LanceCatalog, case: TableDetail) -> None:
    """A table created under the name of a dropped table does not inherit its {}."""
    other, id = catalog.table_id("new"), catalog.new_table()
    catalog.make_table(other, tables(3))
    new = case.look(catalog, other)
    case.give(catalog, id)
    catalog.drop_table(id)
    catalog.make_table(id, tables(3))
    equal(case.look(catalog, id), new, case.what)


@should("lance.version.restore.keeps.{}", operations=RESTORE, clause="restore-keeps", each=OF_VERSION)
def test_restored_version_keeps(catalog: LanceCatalog, case: TableDetail) -> None:
    """RestoreTable leaves the table with the {} that it had at the restored version."""
    id = catalog.new_table()
    case.give(catalog, id)
    before, version = case.look(catalog, id), catalog.version(id)
    catalog.insert_into_table(id, stream(tables(1, first=3)))
    catalog.restore_table(id, version=version)
    equal(case.look(catalog, id), before, case.what)
