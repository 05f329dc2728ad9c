"""CreateTable, CreateEmptyTable, DeclareTable, RegisterTable."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from conformance.author.checks import equal, text
from conformance.author.requirement import given, must, should
from conformance.author.strategies import row_counts, spellings, tables
from conformance.http.answers import Answer
from conformance.lance.catalog import LanceCatalog
from conformance.lance.support.arrow import BROKEN_STREAMS, stream
from conformance.lance.support.ordinary import accepts

CREATE = ["CreateTable"]
REGISTER = ["RegisterTable"]


# CreateTable


@must("lance.table.create.rows", operations=CREATE, clause="create-table")
@given(rows=row_counts())
def test_created_table_has_rows(catalog: LanceCatalog, rows: int) -> None:
    """CreateTable creates a table with exactly the rows of the stream."""
    id = catalog.new_table(rows=rows)
    catalog.table_exists(id)
    equal(catalog.count_table_rows(id).json, rows, "the number of rows")


@must("lance.table.create.empty_stream", operations=CREATE, clause="create-table-empty-stream")
def test_create_from_empty_stream(catalog: LanceCatalog) -> None:
    """CreateTable with a stream that has a schema and no batches creates an empty table."""
    id = catalog.table_id()
    catalog.create_table(id, stream(tables(0)))
    equal(catalog.count_table_rows(id).json, 0, "the number of rows")


@must("lance.table.create.conflict", operations=CREATE, clause="create-table-mode-create", kind="error")
@given(mode=spellings("Create"))
def test_create_existing_table(catalog: LanceCatalog, mode: str) -> None:
    """CreateTable on an existing name in mode Create returns 409 with code 5 and keeps the rows."""
    id = catalog.new_table(rows=3)
    refused = catalog.create_table(id, stream(tables(1)), mode=mode, expect=409)
    equal(refused.code, 5, "the code of the error")
    equal(catalog.count_table_rows(id).json, 3, "the number of rows")


@should("lance.table.create.default_mode", operations=CREATE, clause="create-table-mode-default", kind="error")
def test_create_table_without_mode(catalog: LanceCatalog) -> None:
    """CreateTable on an existing name without a mode returns 409 with code 5."""
    id = catalog.new_table()
    refused = catalog.create_table(id, stream(tables(1)), expect=409)
    equal(refused.code, 5, "the code of the error")


@must("lance.table.create.exist_ok", operations=CREATE, clause="create-table-mode-exist-ok")
@given(mode=spellings("Exist", "Ok"))
def test_create_table_exist_ok(catalog: LanceCatalog, mode: str) -> None:
    """CreateTable on an existing name in mode ExistOk succeeds and keeps the rows."""
    id = catalog.new_table(rows=3)
    catalog.create_table(id, stream(tables(1)), mode=mode)
    equal(catalog.count_table_rows(id).json, 3, "the number of rows")


@must("lance.table.create.overwrite", operations=CREATE, clause="create-table-mode-overwrite")
@given(mode=spellings("Overwrite"))
def test_create_table_overwrite(catalog: LanceCatalog, mode: str) -> None:
    """CreateTable on an existing name in mode Overwrite replaces the schema and the rows."""
    id = catalog.new_table(rows=3)
    catalog.create_table(id, stream(pa.table({"other": [1.5, 2.5]})), mode=mode)
    equal(catalog.count_table_rows(id).json, 2, "the number of rows")
    equal(catalog.count_table_rows(id, predicate="other > 2").json, 1, "the number of rows")


@must("lance.table.create.mode_unknown", operations=CREATE, clause="modes-closed", kind="error")
def test_create_table_unknown_mode(catalog: LanceCatalog) -> None:
    """CreateTable with an unknown mode returns 400 with code 13."""
    catalog.control(lambda: catalog.create_table(catalog.table_id("twin"), stream(tables(1)), mode="Create"))
    refused = catalog.create_table(catalog.table_id(), stream(tables(1)), mode="Perhaps", expect=400)
    equal(refused.code, 13, "the code of the error")


@must(
    "lance.table.create.stream.{}",
    operations=CREATE,
    clause="arrow-stream",
    kind="error",
    each=BROKEN_STREAMS,
)
def test_create_from_broken_stream(catalog: LanceCatalog, case: bytes) -> None:
    """CreateTable with an invalid Arrow stream ({}) returns 400 with code 13 and creates no table."""
    accepts(catalog, "CreateTable")
    id = catalog.table_id()
    refused = catalog.create_table(id, case, expect=400)
    equal(refused.code, 13, "the code of the error")
    catalog.table_exists(id, expect=404)


@must("lance.table.create.schema_refused", operations=CREATE, clause="table-schema-invalid", kind="error")
def test_create_with_doubled_column(catalog: LanceCatalog) -> None:
    """CreateTable with a duplicate column name returns 400."""
    accepts(catalog, "CreateTable")
    doubled = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["same", "same"])
    catalog.create_table(catalog.table_id(), stream(doubled), expect=400)


@should(
    "lance.table.create.schema_code",
    operations=CREATE,
    clause="table-schema-invalid",
    kind="error",
    needs=["lance.table.create.schema_refused"],
)
def test_create_with_doubled_column_code(catalog: LanceCatalog) -> None:
    """CreateTable with a duplicate column name returns 400 with code 20."""
    doubled = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["same", "same"])
    refused = catalog.create_table(catalog.table_id(), stream(doubled), expect=400)
    equal(refused.code, 20, "the code of the error")


@should("lance.table.create.fills_declared", operations=CREATE, clause="create-declared")
def test_create_fills_declared_table(catalog: LanceCatalog) -> None:
    """CreateTable on a declared-only table stores the rows in it."""
    id = catalog.new_declared_table()
    catalog.create_table(id, stream(tables(3)))
    equal(catalog.count_table_rows(id).json, 3, "the number of rows")


@should("lance.table.create.query_properties", operations=CREATE, clause="create-query-properties")
def test_properties_in_the_query(catalog: LanceCatalog) -> None:
    """CreateTable with properties in the query returns them, or null where the server stores no properties."""
    id = catalog.table_id()
    query = {"properties": '{"owner": "somebody"}', "storage_options": "{}"}
    made = catalog.create_table(id, stream(tables(1)), _query=query)
    if made.get("properties") is not None:
        equal(made["properties"].get("owner"), "somebody", "the property owner of the response")
        equal(catalog.describe_table(id)["properties"].get("owner"), "somebody", "the property owner of the table")


MAPS = {name: name for name in ("properties", "storage_options")}


@should("lance.table.create.query_json.{}", operations=CREATE, clause="create-query-json", kind="error", each=MAPS)
def test_maps_that_are_no_json(catalog: LanceCatalog, case: str) -> None:
    """CreateTable with a query parameter ({}) that is no JSON object of strings returns 400 and creates nothing."""
    id = catalog.table_id()
    for wrong in ("{", "[]", '{"a": 1}'):
        catalog.create_table(id, stream(tables(1)), _query={case: wrong}, expect=400)
    catalog.table_exists(id, expect=404)


# DeclareTable and CreateEmptyTable, its former name


@dataclass(frozen=True, slots=True)
class TableDeclaration:
    """An operation that reserves a name for a table without writing to storage."""

    id: str
    send: Callable[..., Answer]


DECLARATIONS = {
    "declare": TableDeclaration("DeclareTable", lambda catalog, *id, **body: catalog.declare_table(*id, **body)),
    "create_empty": TableDeclaration(
        "CreateEmptyTable", lambda catalog, *id, **body: catalog.create_empty_table(*id, **body)
    ),
}


@should("lance.table.{}.exists", clause="declare-table", each=DECLARATIONS)
def test_declared_table_exists(catalog: LanceCatalog, case: TableDeclaration) -> None:
    """{} creates a table that exists, and returns its location, as DescribeTable does."""
    id = catalog.table_id()
    text(case.send(catalog, id)["location"], "the location of the answer")
    catalog.table_exists(id)
    text(catalog.describe_table(id)["location"], "the location of the table")


@must("lance.table.{}.conflict_created", clause="declare-conflict", kind="error", each=DECLARATIONS)
def test_declare_created_table(catalog: LanceCatalog, case: TableDeclaration) -> None:
    """{} on an existing table returns 409 with code 5 and keeps the rows."""
    id = catalog.new_table(rows=3)
    refused = case.send(catalog, id, expect=409)
    equal(refused.code, 5, "the code of the error")
    equal(catalog.count_table_rows(id).json, 3, "the number of rows")


@must("lance.table.{}.conflict_declared", clause="declare-conflict", kind="error", each=DECLARATIONS)
def test_declare_declared_table(catalog: LanceCatalog, case: TableDeclaration) -> None:
    """{} on a declared-only table returns 409 with code 5."""
    id = catalog.new_declared_table()
    refused = case.send(catalog, id, expect=409)
    equal(refused.code, 5, "the code of the error")


@must("lance.table.{}.namespace_missing", clause="namespace-not-found", kind="error", each=DECLARATIONS)
def test_declare_in_missing_namespace(catalog: LanceCatalog, case: TableDeclaration) -> None:
    """{} in a missing namespace returns 404 with code 1."""
    catalog.require_namespaces()
    refused = case.send(catalog, (*catalog.missing_namespace(), "t"), expect=404)
    equal(refused.code, 1, "the code of the error")


@should("lance.table.{}.properties", clause="table-properties", each=DECLARATIONS)
def test_declared_properties(catalog: LanceCatalog, case: TableDeclaration) -> None:
    """{} with properties stores them, and DescribeTable returns them."""
    id = catalog.table_id()
    case.send(catalog, id, properties={"owner": "somebody"})
    properties = catalog.describe_table(id).get("properties") or {}
    equal(properties.get("owner"), "somebody", "the property owner of the table")


# RegisterTable


def _deregistered(catalog: LanceCatalog, name: str, rows: int) -> str:
    id = catalog.new_table(name, rows=rows)
    return text(catalog.deregister_table(id)["location"], "the location of the deregistered table")


@must("lance.table.register.rows", operations=REGISTER, clause="register-table")
def test_registered_table_has_rows(catalog: LanceCatalog) -> None:
    """RegisterTable at the location of a deregistered table brings back its rows."""
    location = _deregistered(catalog, "t", rows=3)
    id = catalog.table_id("again")
    catalog.restore_registration(id, location)
    equal(catalog.count_table_rows(id).json, 3, "the number of rows")


@should("lance.table.register.reported_location", operations=REGISTER, clause="register-reported-location")
def test_register_reported_location(catalog: LanceCatalog) -> None:
    """RegisterTable accepts a location exactly as DeregisterTable returned it."""
    location = _deregistered(catalog, "t", rows=1)
    catalog.register_table(catalog.table_id("again"), location=location)


@must("lance.table.register.conflict", operations=REGISTER, clause="register-mode-create", kind="error")
def test_register_taken_name(catalog: LanceCatalog) -> None:
    """RegisterTable on an existing name returns 409 with code 5 and keeps the existing table."""
    location = _deregistered(catalog, "source", rows=3)
    id = catalog.new_table("taken", rows=2)
    refused = catalog.restore_registration(id, location, expect=409)
    equal(refused.code, 5, "the code of the error")
    equal(catalog.count_table_rows(id).json, 2, "the number of rows")


@must("lance.table.register.overwrite", operations=REGISTER, clause="register-mode-overwrite")
@given(mode=spellings("Overwrite"))
def test_register_overwrite(catalog: LanceCatalog, mode: str) -> None:
    """RegisterTable on an existing name in mode Overwrite replaces the registration."""
    location = _deregistered(catalog, "source", rows=3)
    id = catalog.new_table("taken", rows=2)
    catalog.restore_registration(id, location, mode=mode)
    equal(catalog.count_table_rows(id).json, 3, "the number of rows")


@must("lance.table.register.mode_unknown", operations=REGISTER, clause="modes-closed", kind="error")
def test_register_unknown_mode(catalog: LanceCatalog) -> None:
    """RegisterTable with an unknown mode returns 400 with code 13."""
    location = _deregistered(catalog, "source", rows=1)
    id = catalog.table_id()
    refused = catalog.restore_registration(id, location, mode="Perhaps", expect=400)
    equal(refused.code, 13, "the code of the error")
    catalog.control(lambda: catalog.restore_registration(id, location, mode="Create"))


@must("lance.table.register.namespace_missing", operations=REGISTER, clause="namespace-not-found", kind="error")
def test_register_in_missing_namespace(catalog: LanceCatalog) -> None:
    """RegisterTable in a missing namespace returns 404 with code 1, or 400 or 403 for the location.

    The location is one of another namespace.
    """
    catalog.require_namespaces()
    location = _deregistered(catalog, "source", rows=1)
    refused = catalog.restore_registration((*catalog.missing_namespace(), "t"), location, expect=(404, 400, 403))
    if refused.status == 404:
        equal(refused.code, 1, "the code of the error")
    catalog.control(lambda: catalog.restore_registration(catalog.table_id("again"), location))


@must("lance.table.register.location_required", operations=REGISTER, clause="request-schemas", kind="error")
def test_register_without_location(catalog: LanceCatalog) -> None:
    """RegisterTable without a location returns 400 with code 13."""
    accepts(catalog, "RegisterTable")
    refused = catalog.register_table(catalog.table_id(), expect=400)
    equal(refused.code, 13, "the code of the error")


@should("lance.table.register.nothing_there", operations=REGISTER, clause="register-existing", kind="error")
def test_register_nothing(catalog: LanceCatalog) -> None:
    """RegisterTable at a location without a table returns 400 or 404."""
    location = _deregistered(catalog, "source", rows=1)
    nowhere = f"{location.rstrip('/')}_nowhere"
    catalog.restore_registration(catalog.table_id(), nowhere, expect=(400, 404))


@should("lance.table.register.outside", operations=REGISTER, clause="register-outside", kind="hostile")
def test_register_outside(catalog: LanceCatalog) -> None:
    """RegisterTable with a location that escapes the root through .. returns 400 with code 13."""
    canary = catalog.target.canaries.new("outside.lance")
    refused = catalog.register_foreign(catalog.table_id(), canary.climbing, expect=400)
    equal(refused.code, 13, "the code of the error")
