"""Operations on missing tables, namespaces and versions."""

from __future__ import annotations

from collections.abc import Callable

from conformance.author.checks import equal
from conformance.author.strategies import tables
from conformance.common.missing import NOT_FOUND, Absent, Missing, missing_is_refused
from conformance.http.answers import Answer
from conformance.http.client import Expected
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.lance.support.versions import MISSING_VERSION
from conformance.target import hostile

MANIFEST = f"{hostile.UNUSED}/_versions/1.manifest-x"
RANGES = [{"start_version": 0, "end_version": 2}]
UNSUPPORTED = 406


def _code(code: int) -> tuple[str, Callable[[Answer], object]]:
    """Return the words for an error code and the check of that code."""

    def check(refused: Answer) -> None:
        equal(refused.code, code, "the code of the error")

    return f"and code {code}", check


def _in_namespace(catalog: LanceCatalog) -> Names:
    catalog.require_namespaces()
    return (*catalog.missing_namespace(), "t")


def _in_parent(catalog: LanceCatalog) -> Names:
    catalog.require_nested()
    return (*catalog.missing_namespace(), "n")


def _refusals(catalog: LanceCatalog) -> Expected:
    """Return the statuses of a missing namespace: a server with only the root may also return 406."""
    return NOT_FOUND if catalog.has_namespaces else (NOT_FOUND, UNSUPPORTED)


def _no_namespace(refused: Answer) -> None:
    equal(refused.code, 0 if refused.status == UNSUPPORTED else 1, "the code of the error")


NAMESPACE = Absent(LanceCatalog.missing_namespace, "and code 1", _no_namespace, _refusals)
IN_NAMESPACE, IN_PARENT = Absent(_in_namespace, *_code(1)), Absent(_in_parent, *_code(1))
TABLE = Absent(lambda catalog: catalog.table_id("missing"), *_code(4))
VERSION = Absent(LanceCatalog.new_table, *_code(11))
MISSING = {
    "listing.missing_namespace": Missing("ListTables", "namespace-not-found", "ListTables on a namespace", NAMESPACE),
    "namespace.create.parent_missing": Missing(
        "CreateNamespace", "namespace-not-found", "CreateNamespace in a parent", IN_PARENT
    ),
    "namespace.describe.missing": Missing(
        "DescribeNamespace", "namespace-not-found", "DescribeNamespace of a namespace", NAMESPACE
    ),
    "namespace.list.missing": Missing(
        "ListNamespaces", "namespace-not-found", "ListNamespaces on a namespace", NAMESPACE
    ),
    "rows.count.missing": Missing("CountTableRows", "table-not-found", "CountTableRows on a table", TABLE),
    "rows.count.version_missing": Missing(
        "CountTableRows",
        "version-not-found",
        "CountTableRows at a version",
        VERSION,
        lambda _: {"version": MISSING_VERSION},
    ),
    "rows.delete.missing": Missing(
        "DeleteFromTable", "table-not-found", "DeleteFromTable on a table", TABLE, lambda _: {"predicate": "true"}
    ),
    "rows.update.missing": Missing(
        "UpdateTable", "table-not-found", "UpdateTable on a table", TABLE, lambda _: {"updates": [["name", "'new'"]]}
    ),
    "table.create.namespace_missing": Missing(
        "CreateTable",
        "namespace-not-found",
        "CreateTable in a namespace",
        IN_NAMESPACE,
        lambda _: {"data": stream(tables(1))},
    ),
    "table.deregister.missing": Missing("DeregisterTable", "table-not-found", "DeregisterTable on a table", TABLE),
    "table.describe.missing": Missing("DescribeTable", "table-not-found", "DescribeTable of a table", TABLE),
    "table.describe.version_missing": Missing(
        "DescribeTable",
        "version-not-found",
        "DescribeTable at a version",
        VERSION,
        lambda _: {"version": MISSING_VERSION},
    ),
    "table.drop.missing": Missing("DropTable", "table-not-found", "DropTable on a table", TABLE),
    "table.rename.missing": Missing(
        "RenameTable",
        "table-not-found",
        "RenameTable on a table",
        TABLE,
        lambda catalog: {"new_table_name": catalog.table_id("missing2")[-1]},
        lambda catalog: catalog.rename_table(catalog.new_table(), new_table_name=catalog.table_id("renamed")[-1]),
    ),
    "version.create.missing": Missing(
        "CreateTableVersion",
        "table-not-found",
        "CreateTableVersion on a table",
        TABLE,
        lambda _: {"version": 1, "manifest_path": MANIFEST},
    ),
    "version.delete.missing": Missing(
        "BatchDeleteTableVersions",
        "table-not-found",
        "BatchDeleteTableVersions on a table",
        TABLE,
        lambda _: {"ranges": RANGES},
    ),
    "version.describe.version_missing": Missing(
        "DescribeTableVersion",
        "version-not-found",
        "DescribeTableVersion of a version",
        VERSION,
        lambda _: {"version": MISSING_VERSION},
    ),
}
test_missing_is_refused = missing_is_refused.declare(__name__, MISSING)
