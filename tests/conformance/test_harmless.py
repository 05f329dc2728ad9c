"""No request names what the run did not make: what finds that out finds what it is meant to find.

The runs themselves are read where they are made: in test_whole_runs.py, test_backends.py, test_tables_api_suite.py
and test_s3.py.
"""

from __future__ import annotations

import pytest

from conformance.common.hostile import UNUSED, Canaries
from specs.profiles import find_profile
from tests.conformance.harmless import problems

LANCE, ICEBERG = find_profile("lance").document(), find_profile("iceberg").document()
PREFIX = "lp012345"
HARMLESS = [
    (
        LANCE,
        "CreateTableVersion",
        f"/v1/table/{PREFIX}_1%24t/version/create",
        {"manifest_path": f"tmp/{PREFIX}-canary/x"},
    ),
    (LANCE, "ListNamespaces", "/v1/namespace/%24/list", None),
    (LANCE, "RegisterTable", f"/v1/table/{PREFIX}_1%24t/register", {"location": f"../../tmp/{PREFIX}-canary/x"}),
    (ICEBERG, "createTable", f"/v1/namespaces/{PREFIX}_1/tables", {"name": f"../{PREFIX}_escaped"}),
    (ICEBERG, "createNamespace", "/v1/namespaces", {"namespace": UNUSED}),
    (ICEBERG, "listNamespaces", "/v1/namespaces", None),
]
HARMFUL = [
    (LANCE, "CreateTableVersion", f"/v1/table/{PREFIX}_1%24t/version/create", {"manifest_path": "/etc/passwd"}),
    (LANCE, "CreateTableVersion", f"/v1/table/{PREFIX}_1%24t/version/create", {"manifest_path": "etc/passwd"}),
    (LANCE, "RegisterTable", f"/v1/table/{PREFIX}_1%24t/register", {"location": "../../../../etc"}),
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
]


def found(document, operation, path, body):
    request = {"method": "POST", "url": f"http://t{path}", "body": body and {"json": body}}
    return list(problems({"operation": operation, "request": request}, document, PREFIX))


@pytest.mark.parametrize("case", HARMLESS)
def test_what_is_the_run_s_own_may_be_named(case):
    assert found(*case) == []


@pytest.mark.parametrize("case", HARMFUL)
def test_what_is_not_the_run_s_own_is_noticed(case):
    assert found(*case) != []


def test_a_canary_is_the_run_s_own_and_gone_after_it():
    canaries = Canaries(PREFIX)
    canary = canaries.new()
    assert PREFIX in str(canary.path)
    assert canary.untouched
    canary.path.write_bytes(b"other")
    assert not canary.untouched
    canaries.remove()
    assert not canary.path.parent.exists()
