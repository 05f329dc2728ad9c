"""DescribeTable, TableExists, DropTable, DeregisterTable, RenameTable."""

from __future__ import annotations

import re

from conformance.author.checks import above, equal, holds, one_of, text
from conformance.author.requirement import given, must, should
from conformance.author.strategies import names, tables
from conformance.lance.catalog import LanceCatalog
from conformance.lance.support.arrow import stream
from conformance.lance.support.columns import schema_of
from conformance.lance.support.ordinary import accepts
from conformance.lance.support.versions import MISSING_VERSION
from conformance.values.json_values import shown

DESCRIBE = ["DescribeTable"]
EXISTS = ["TableExists"]
DROP = ["DropTable"]
RENAME = ["RenameTable"]
DETAILED = {"load_detailed_metadata": True}
SCHEME = re.compile("[a-z][a-z0-9+.-]*:", re.IGNORECASE)


# DescribeTable


@must("lance.table.describe.location", operations=DESCRIBE, clause="describe-location", reads=True)
def test_describe_has_location(catalog: LanceCatalog) -> None:
    """DescribeTable returns the location of the table."""
    text(catalog.describe_table(catalog.new_table())["location"], "the location of the table")


@must("lance.table.describe.namespace_missing", operations=DESCRIBE, clause="table-not-found", kind="error", reads=True)
def test_describe_table_in_missing_namespace(catalog: LanceCatalog) -> None:
    """DescribeTable of a table in a missing namespace returns 404 with code 1 or 4."""
    catalog.require_levels()
    refused = catalog.describe_table((*catalog.missing_namespace(), "t"), expect=404)
    one_of(refused.code, (1, 4), "the code of the error")


@should(
    "lance.table.describe.namespace_code",
    operations=DESCRIBE,
    clause="namespace-before-table",
    kind="error",
    reads=True,
)
def test_describe_names_the_namespace(catalog: LanceCatalog) -> None:
    """DescribeTable of a table in a missing namespace returns 404 with code 1, not 4."""
    catalog.require_namespaces()
    refused = catalog.describe_table((*catalog.missing_namespace(), "t"), expect=404)
    equal(refused.code, 1, "the code of the error")


@must(
    "lance.table.describe.detailed.{}",
    operations=DESCRIBE,
    clause="describe-detailed",
    each={name: name for name in ("version", "schema", "stats")},
    reads=True,
)
def test_describe_detailed(catalog: LanceCatalog, case: str) -> None:
    """DescribeTable with load_detailed_metadata=true returns the {} of the table."""
    answer = catalog.describe_table(catalog.new_table(), _query=DETAILED)
    holds(answer[case] is not None, f"the {case} is told")


@should("lance.table.describe.name", operations=DESCRIBE, clause="describe-name", reads=True)
def test_describe_detailed_name(catalog: LanceCatalog) -> None:
    """DescribeTable with load_detailed_metadata=true returns the name and the namespace of the table."""
    id = catalog.new_table()
    answer = catalog.describe_table(id, _query=DETAILED)
    equal(answer["table"], id[-1], "the name of the table")
    equal(answer["namespace"], list(id[:-1]), "the namespace of the table")


@must("lance.table.describe.schema", operations=DESCRIBE, clause="describe-schema")
def test_describe_schema(catalog: LanceCatalog) -> None:
    """DescribeTable returns the schema with the column names and types of the data."""
    schema = schema_of(catalog, catalog.new_table())
    fields = [(field["name"], field["type"]["type"].lower()) for field in schema["fields"]]
    equal(fields, [("id", "int64"), ("name", "utf8")], "the columns of the table and their types")


@must("lance.table.describe.uri", operations=DESCRIBE, clause="describe-uri", reads=True)
def test_describe_with_uri(catalog: LanceCatalog) -> None:
    """DescribeTable with with_table_uri=true returns a complete URI as table_uri."""
    answer = catalog.describe_table(catalog.new_table(), _query={"with_table_uri": True})
    uri = text(answer["table_uri"], "the table_uri")
    holds(SCHEME.match(uri), f"the table_uri {shown(uri)} is complete, with a scheme")


@should("lance.table.describe.uri_absent", operations=DESCRIBE, clause="describe-uri-only", reads=True)
def test_describe_without_uri(catalog: LanceCatalog) -> None:
    """DescribeTable without with_table_uri returns no table_uri."""
    answer = catalog.describe_table(catalog.new_table())
    equal(answer.get("table_uri"), None, "the table_uri")


@must("lance.table.describe.version", operations=DESCRIBE, clause="describe-version")
def test_describe_old_version(catalog: LanceCatalog) -> None:
    """DescribeTable describes the requested version, otherwise the latest."""
    id = catalog.new_table()
    first = catalog.describe_table(id, _query=DETAILED)["version"]
    catalog.insert_into_table(id, stream(tables(1)))
    above(catalog.describe_table(id, _query=DETAILED)["version"], first, "the version after the insert")
    old = catalog.describe_table(id, _query=DETAILED, version=first)
    equal(old["version"], first, "the version that was asked for")


@must("lance.table.describe.fresh", operations=DESCRIBE, clause="read-your-writes")
def test_describe_is_fresh(catalog: LanceCatalog) -> None:
    """DescribeTable returns 200 as soon as CreateTable has returned, and 404 as soon as DropTable has."""
    id = catalog.table_id()
    catalog.describe_table(id, expect=404)
    catalog.new_table()
    catalog.describe_table(id)
    catalog.drop_table(id)
    catalog.describe_table(id, expect=404)


@must("lance.table.describe.declared", operations=DESCRIBE, clause="describe-declared", reads=True)
def test_describe_declared(catalog: LanceCatalog) -> None:
    """DescribeTable of a table with data does not return is_only_declared=true."""
    answer = catalog.describe_table(catalog.new_table(), _query=DETAILED)
    one_of(answer.get("is_only_declared"), (False, None), "is_only_declared")


@must("lance.table.describe.only_declared", operations=DESCRIBE, clause="describe-declared")
def test_describe_only_declared(catalog: LanceCatalog) -> None:
    """DescribeTable of a declared-only table returns is_only_declared=true."""
    equal(catalog.is_only_declared(catalog.new_declared_table()), True, "is_only_declared")


@should("lance.table.describe.declared_unasked", operations=DESCRIBE, clause="describe-declared-unasked")
def test_describe_declared_unasked(catalog: LanceCatalog) -> None:
    """DescribeTable returns no is_only_declared, or null, for a request that does not ask for it."""
    for id in (catalog.new_declared_table("a"), catalog.new_table("b")):
        equal(catalog.describe_table(id).get("is_only_declared"), None, "is_only_declared")


# TableExists


@must("lance.table.exists.present", operations=EXISTS, clause="table-exists", twin=True)
def test_table_exists(catalog: LanceCatalog) -> None:
    """TableExists returns 200 for a table with data and for a declared-only table."""
    catalog.table_exists(catalog.new_table("created"))
    catalog.table_exists(catalog.new_declared_table("declared"))


@must("lance.table.exists.missing", operations=EXISTS, clause="table-exists", kind="error", reads=True)
def test_missing_table_exists(catalog: LanceCatalog) -> None:
    """TableExists returns 404 with code 4 for a missing table."""
    refused = catalog.table_exists(catalog.table_id("missing"), expect=404)
    equal(refused.code, 4, "the code of the error")


@should("lance.table.exists.version_missing", operations=EXISTS, clause="version-not-found", kind="error", reads=True)
def test_missing_version_exists(catalog: LanceCatalog) -> None:
    """TableExists returns 404 for a missing version."""
    catalog.table_exists(catalog.new_table(), version=MISSING_VERSION, expect=404)


@should("lance.table.exists.no_body", operations=EXISTS, clause="exists-no-body", reads=True)
def test_table_exists_has_no_body(catalog: LanceCatalog) -> None:
    """TableExists returns no body."""
    equal(len(catalog.table_exists(catalog.new_table()).body), 0, "the length of the body")


# DropTable


@should("lance.table.drop.answer", operations=DROP, clause="drop-table-answer")
def test_drop_names_the_table(catalog: LanceCatalog) -> None:
    """DropTable returns the id of the dropped table."""
    id = catalog.new_table()
    equal(catalog.drop_table(id).get("id"), list(id), "the id in the answer")


# DeregisterTable


# RenameTable


@must("lance.table.rename.moves", operations=RENAME, clause="rename-table")
@given(name=names())
def test_rename(catalog: LanceCatalog, name: str) -> None:
    """RenameTable moves the rows to the new name and frees the old name."""
    id = catalog.new_table("before", rows=3)
    renamed = catalog.table_id(name)
    catalog.rename_table(id, new_table_name=renamed[-1])
    catalog.table_exists(id, expect=404)
    equal(catalog.count_table_rows(renamed).json, 3, "the count of rows")
    catalog.drop_table(renamed)


@must("lance.table.rename.name_required", operations=RENAME, clause="request-schemas", kind="error")
def test_rename_without_name(catalog: LanceCatalog) -> None:
    """RenameTable without new_table_name returns 400 with code 13."""
    accepts(catalog, "RenameTable")
    refused = catalog.rename_table(catalog.new_table(), expect=400)
    equal(refused.code, 13, "the code of the error")
