"""Requests that are sent again with their idempotency keys by a principal that has lost its rights since."""

from __future__ import annotations

import pytest

NAMESPACES = "/c/namespaces"
CREATION = {"Idempotency-Key": "0190f3a4-7b1c-7def-8abc-0123456789ab"}
DROP = {"Idempotency-Key": "0190f3a4-7b1c-7def-8abc-0123456789ac"}
OTHER = {"Idempotency-Key": "0190f3a4-7b1c-7def-8abc-0123456789ad"}
GRANT = {"type": "catalog", "privilege": "NAMESPACE_FULL_METADATA"}


@pytest.fixture(scope="module")
def revision():
    """The revision that has idempotency keys."""
    return "1.7"


@pytest.fixture
def caller(admin):
    """A principal that has made a namespace and dropped another, each with a key, and has no rights any more."""
    admin.catalog()
    credentials = admin.principal("u", "r")
    admin.catalog_role(role="r")
    admin.grant(GRANT)
    admin.namespace("gone")
    client = admin.login(*credentials)
    client.content("POST", NAMESPACES, {"namespace": ["a"]}, headers=CREATION, expect=200)
    client.content("DELETE", f"{NAMESPACES}/gone", headers=DROP, expect=204)
    admin.manage("POST", "/catalogs/c/catalog-roles/cr/grants", {"grant": GRANT}, expect=201)
    return client


def test_while_all_that_a_request_names_is_there_the_rights_of_now_decide(admin, caller):
    caller.content("POST", NAMESPACES, {"namespace": ["a"]}, headers=CREATION, expect=403)
    admin.namespace("gone")
    caller.content("DELETE", f"{NAMESPACES}/gone", headers=DROP, expect=403)
    admin.content("HEAD", f"{NAMESPACES}/gone", expect=204)


def test_a_request_whose_namespace_is_gone_gets_its_own_answer_again(admin, caller):
    caller.content("DELETE", f"{NAMESPACES}/gone", headers=DROP, expect=204)
    caller.content("DELETE", f"{NAMESPACES}/gone", headers=OTHER, expect=404)
    caller.content("DELETE", f"{NAMESPACES}/never", headers=DROP, expect=400)
    admin.content("DELETE", f"{NAMESPACES}/gone", headers=DROP, expect=404)
