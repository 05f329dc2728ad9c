"""No request names what the run did not make: what finds that out finds what it is meant to find.

The runs themselves are read where they are made: in test_whole_runs.py, test_backends.py, test_tables_api_suite.py
and test_s3.py.
"""

from __future__ import annotations

import base64

import pyarrow as pa
import pytest

from conformance.target.hostile import UNUSED, Canaries
from specs.profiles import find_profile
from tests.conformance.harmless import problems

LANCE, ICEBERG, POLARIS = (find_profile(api).document() for api in ("lance", "iceberg", "polaris"))
MANAGED = "/api/management/v1"
PREFIX = "lp012345"
SCHEMA = base64.b64encode(pa.schema([("id", pa.int64())]).serialize()).decode()
HARMLESS = [
    (
        LANCE,
        "CreateTableVersion",
        f"/v1/table/{PREFIX}_1%24t/version/create",
        {"manifest_path": f"tmp/{PREFIX}-canary/x"},
    ),
    (LANCE, "CreateMaterializedView", f"/v1/materialized_view/{PREFIX}_1%24v/create", {"output_schema": SCHEMA}),
    (LANCE, "ListNamespaces", "/v1/namespace/%24/list", None),
    (LANCE, "RegisterTable", f"/v1/table/{PREFIX}_1%24t/register", {"location": f"../../tmp/{PREFIX}-canary/x"}),
    (ICEBERG, "createTable", f"/v1/namespaces/{PREFIX}_1/tables", {"name": f"../{PREFIX}_escaped"}),
    (ICEBERG, "createNamespace", "/v1/namespaces", {"namespace": UNUSED}),
    (ICEBERG, "listNamespaces", "/v1/namespaces", None),
    (POLARIS, "listCatalogs", f"{MANAGED}/catalogs", None),
    (POLARIS, "createPrincipal", f"{MANAGED}/principals", {"principal": {"name": f" {PREFIX}_1"}}),
    (POLARIS, "getCatalogRole", f"{MANAGED}/catalogs/{PREFIX}_1/catalog-roles/catalog_admin", None),
    (POLARIS, "listNamespaces", f"/api/catalog/v1/{PREFIX}_1/namespaces", None),
    (POLARIS, "updateCatalog", f"{MANAGED}/catalogs/{PREFIX}_1", {"properties": {"a": "https://example.com/x"}}),
]
HARMFUL = [
    (LANCE, "CreateTableVersion", f"/v1/table/{PREFIX}_1%24t/version/create", {"manifest_path": "/etc/passwd"}),
    (LANCE, "CreateTableVersion", f"/v1/table/{PREFIX}_1%24t/version/create", {"manifest_path": "etc/passwd"}),
    (LANCE, "RegisterTable", f"/v1/table/{PREFIX}_1%24t/register", {"location": "../../../../etc"}),
    (LANCE, "CreateMaterializedView", f"/v1/materialized_view/{PREFIX}_1%24v/create", {"output_schema": "/////etc"}),
    (
        LANCE,
        "BatchCreateTableVersions",
        "/v1/table/version/batch-create",
        {"entries": [{"id": ["orders"], "version": 1}]},
    ),
    (LANCE, "DropNamespace", "/v1/namespace/%24/drop", {}),
    (LANCE, "DropTable", "/v1/table/orders/drop", None),
    (LANCE, "DropTable", f"/v1/table/{PREFIX}_1%24../drop", None),
    (ICEBERG, "registerTable", f"/v1/namespaces/{PREFIX}_1/register", {"metadata-location": "file:///etc/hostname"}),
    (ICEBERG, "createTable", f"/v1/namespaces/{PREFIX}_1/tables", {"name": "../../escaped"}),
    (ICEBERG, "createTable", f"/v1/namespaces/{PREFIX}_1/tables", {"name": ".."}),
    (ICEBERG, "dropNamespace", "/v1/namespaces/sales", None),
    (ICEBERG, "renameTable", "/v1/tables/rename", {"source": {"namespace": ["sales"], "name": "x"}}),
    (POLARIS, "deleteCatalog", f"{MANAGED}/catalogs/sales", None),
    (POLARIS, "getPrincipal", f"{MANAGED}/principals/root", None),
    (POLARIS, "createPrincipalRole", f"{MANAGED}/principal-roles", {"principalRole": {"name": "service_admin"}}),
    (POLARIS, "createPrincipalRole", f"{MANAGED}/principal-roles", {"name": "service_admin"}),
    (POLARIS, "getCatalogRole", f"{MANAGED}/catalogs/sales/catalog-roles/catalog_admin", None),
    (POLARIS, "deletePrincipalRole", f"{MANAGED}/principal-roles/catalog_admin", None),
    (POLARIS, "listNamespaces", "/api/catalog/v1/sales/namespaces", None),
    (POLARIS, "assignPrincipalRole", f"{MANAGED}/principals/{PREFIX}_1/principal-roles", {"name": "service_admin"}),
]


def problems_in(document, operation, path, body):
    request = {"method": "POST", "url": f"http://t{path}", "body": body and {"json": body}}
    return list(problems({"operation": operation, "request": request}, document, PREFIX))


@pytest.mark.parametrize("case", HARMLESS)
def test_what_is_the_run_s_own_may_be_named(case):
    assert problems_in(*case) == []


@pytest.mark.parametrize("case", HARMFUL)
def test_what_is_not_the_run_s_own_is_noticed(case):
    assert problems_in(*case) != []


def test_a_canary_is_the_run_s_own_and_gone_after_it():
    canaries = Canaries(PREFIX)
    canary = canaries.new()
    assert PREFIX in str(canary.path)
    assert canary.untouched
    canary.path.write_bytes(b"other")
    assert not canary.untouched
    canaries.remove()
    assert not canary.path.parent.exists()
