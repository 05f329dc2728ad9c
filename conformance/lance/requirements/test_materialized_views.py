"""CreateMaterializedView, RefreshMaterializedView."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import equal, text
from conformance.author.requirement import must
from conformance.lance.catalog import LanceCatalog
from conformance.lance.support.ordinary import view_body

CREATE, REFRESH = ["CreateMaterializedView"], ["RefreshMaterializedView"]


@must("lance.view.create", operations=CREATE, clause="create-view", twin=True)
def test_view_without_data(catalog: LanceCatalog) -> None:
    """CreateMaterializedView makes a table with the columns of its schema, no rows, and the returned version."""
    for id in (catalog.table_id("view"), catalog.table_id("second")):
        made = catalog.create_materialized_view(id, **view_body())
        described = catalog.describe_table(id, _query={"load_detailed_metadata": True})
        equal([field["name"] for field in described["schema"]["fields"]], ["id"], "the columns of the view")
        equal(catalog.count_table_rows(id).json, 0, "the count of rows")
        equal(described["version"], made["version"], "the version of the view")


@must("lance.view.create.taken", operations=CREATE, clause="create-view-conflict", kind="error")
def test_view_with_a_name_in_use(catalog: LanceCatalog) -> None:
    """CreateMaterializedView with the name of a table or a view returns 409 with code 5 and keeps the table's rows."""
    table, view = catalog.new_table("t"), catalog.table_id("view")
    catalog.create_materialized_view(view, **view_body())
    for id in (table, view):
        refused = catalog.create_materialized_view(id, **view_body(), expect=409)
        equal(refused.code, 5, "the code of the error")
    equal(catalog.count_table_rows(table).json, 3, "the count of rows")


FUNCTION = {"udtf": "e30=", "udtf_sha": "0" * 64, "udtf_name": "none", "udtf_version": "1"}
KINDS: dict[str, dict[str, Any]] = {
    "query": {"udtf_spec": {"kind": "udtf", **FUNCTION}},
    "udtf": {"kind": "udtf"},
    "chunker": {"kind": "chunker"},
}


@must("lance.view.create.function.{}", operations=CREATE, clause="view-function", kind="error", each=KINDS)
def test_view_with_a_wrong_function(catalog: LanceCatalog, case: dict[str, Any]) -> None:
    """CreateMaterializedView with a udtf_spec that its kind ({}) does not have, or without its own, is rejected."""
    id = catalog.table_id("view")
    catalog.control(lambda: catalog.create_materialized_view(catalog.table_id("plain"), **view_body()))
    catalog.create_materialized_view(id, **{**view_body(), **case}, expect=(400, 406))
    catalog.table_exists(id, expect=404)


@must("lance.view.refresh", operations=REFRESH, clause="refresh-view", twin=True)
def test_refresh_names_its_job(catalog: LanceCatalog) -> None:
    """RefreshMaterializedView returns a job_id."""
    id = catalog.table_id("view")
    catalog.create_materialized_view(id, **view_body())
    text(catalog.refresh_materialized_view(id)["job_id"], "the job_id")


@must("lance.view.refresh.missing", operations=REFRESH, clause="refresh-view-missing", kind="error")
def test_refresh_of_missing_view(catalog: LanceCatalog) -> None:
    """RefreshMaterializedView of a missing view returns 404 with code 4."""
    refused = catalog.refresh_materialized_view(catalog.table_id("missing"), expect=404)
    equal(refused.code, 4, "the code of the error")


@must("lance.view.refresh.limit", operations=REFRESH, clause="refresh-view-limit", kind="error")
def test_refresh_with_a_limit(catalog: LanceCatalog) -> None:
    """RefreshMaterializedView with an output_limit on a view of kind query returns 400."""
    id = catalog.table_id("view")
    catalog.create_materialized_view(id, **view_body())
    catalog.control(lambda: catalog.refresh_materialized_view(id))
    catalog.refresh_materialized_view(id, output_limit=5, expect=400)
