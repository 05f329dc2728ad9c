"""The Tables API over HTTP: creation by a commit, what its dialect lacks, its routes, and namespaces from the start.

The rest is what requirements test: tests/conformance/iceberg/test_tables_api_suite.py runs them on this profile.
"""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from lakeproof import serve
from reference_server.routing import Router
from specs.identifiers import decode_segment
from specs.problems import Problem
from specs.profiles import find_profile
from specs.validation import Validators
from tests.conftest import storage_option
from tests.reference_server.iceberg.conftest import Api

DOCUMENT = find_profile("iceberg/tables-api").document()
ROUTER, VALIDATORS = Router(DOCUMENT), Validators(DOCUMENT)
TABLES = "namespaces/shop/tables"
COLUMNS = [
    {"id": 1, "name": "order_id", "required": True, "type": "string"},
    {"id": 2, "name": "amount", "required": False, "type": "decimal(10, 2)"},
    {"id": 3, "name": "ordered_at", "required": True, "type": "timestamptz"},
]
SCHEMA = {"type": "struct", "schema-id": 0, "fields": COLUMNS}
SPEC = {"spec-id": 1, "fields": [{"source-id": 3, "name": "ordered_day", "transform": "day"}]}


class TablesApi(Api):
    """Compares every answer with the document of the Tables API."""

    def call(self, method, path, body=None, *, expect=200, **rest):
        answer = super().call(method, path, body, expect=expect, undeclared=True, **rest)
        target = f"v1/{path}".partition("?")[0]
        operation, _ = ROUTER.match(method, [decode_segment(part) for part in target.split("/")])
        assert operation.declared(answer.status), (operation.id, answer.status)
        if method == "HEAD" or answer.status == 204:
            assert answer.body is None
        else:
            assert VALIDATORS.response_mismatches(operation.id, answer.status, answer.body) == []
        return answer

    def table(self, name="orders", **fields):  # type: ignore[override] # this API has no namespaces in its paths
        return self.call("POST", TABLES, {"name": name, "schema": SCHEMA, **fields})

    def commit(self, updates, requirements=(), *, name="orders", **rest):  # type: ignore[override]
        body = {
            "identifier": {"namespace": ["shop"], "name": name},
            "requirements": list(requirements),
            "updates": list(updates),
        }
        return self.call("POST", f"{TABLES}/{name}", body, **rest)


@pytest.fixture(params=["memory", "dir"])
def open_tables(request, tmp_path, http):
    """Start a server of the Tables API with settings; on a directory it is the same one each time."""

    @contextmanager
    def opened(**settings):
        storage = storage_option(request.param, tmp_path / "lake")
        settings = {"namespaces": ("shop", "far.away"), **settings}
        with serve("iceberg/tables-api", storage=storage, **settings) as server:
            yield TablesApi(http, server.url)

    return opened


@pytest.fixture
def tables(open_tables):
    with open_tables() as api:
        yield api


def names(answer):
    return [identifier["name"] for identifier in answer.body["identifiers"]]


def test_the_largest_page_of_the_server_bounds_the_default(open_tables):
    with open_tables(page_size=3) as api:
        for number in range(4):
            api.table(f"t{number}")
        assert len(names(api.call("GET", TABLES))) == 3


def test_staging_and_the_commit_that_creates(tables):
    staged = tables.table(**{"stage-create": True}).body
    assert staged.get("metadata-location") is None
    tables.call("GET", f"{TABLES}/orders", expect=404)
    updates = [
        {"action": "add-schema", "schema": SCHEMA},
        {"action": "set-current-schema", "schema-id": -1},
        {"action": "add-partition-spec", "spec": SPEC},
        {"action": "set-default-spec", "spec-id": -1},
    ]
    created = tables.commit(updates, [{"type": "assert-create"}]).body
    assert tables.call("GET", f"{TABLES}/orders").body["metadata"] == created["metadata"]
    assert created["metadata"]["sort-orders"] == [{"order-id": 0, "fields": []}]
    assert tables.commit(updates, [{"type": "assert-create"}], expect=409).type == "CommitFailedException"


@pytest.mark.parametrize(
    ("updates", "requirements"),
    [
        ([{"action": "add-spec", "spec": SPEC}], []),
        ([{"action": "set-location", "location": "file:///tmp/elsewhere"}], []),
        ([{"action": "remove-schemas", "schema-ids": [0]}], []),
        ([], [{"type": "assert-last-assigned-field-id", "last-assigned-field-id": 3}]),
        ([], [{"type": "assert-last-assigned-partition-id", "last-assigned-partition-id": 999}]),
        ([], [{"type": "assert-default-sort-order-id", "default-sort-order-id": 0}]),
    ],
)
def test_what_the_dialect_lacks_is_refused(tables, updates, requirements):
    before = tables.table().body["metadata"]
    assert tables.commit(updates, requirements, expect=400).type == "BadRequestException"
    assert tables.call("GET", f"{TABLES}/orders").body["metadata"] == before


@pytest.mark.parametrize("path", ["config", "namespaces", "default/namespaces/shop/tables", "namespaces/shop"])
def test_there_is_nothing_else(tables, path):
    answer = Api.call(tables, "GET", path, undeclared=True, expect=404)
    assert answer.type == "NoSuchRouteException"


def test_namespaces_from_the_beginning_stay(open_tables):
    with open_tables() as api:
        api.table()
        location = api.call("GET", f"{TABLES}/orders").body["metadata-location"]
    with open_tables(namespaces=("shop", "more")) as api:
        assert names(api.call("GET", "namespaces/more/tables")) == []
        there = names(api.call("GET", TABLES))  # in memory nothing outlives the server
        assert there in ([], ["orders"])
        if there:
            assert api.call("GET", f"{TABLES}/orders").body["metadata-location"] == location


@pytest.mark.parametrize(
    ("namespaces", "words"), [((), "no operation that creates a namespace"), (("a..b",), "Invalid namespace 'a..b'")]
)
def test_a_server_without_a_namespace_is_a_problem(namespaces, words):
    with pytest.raises(Problem, match=words):
        serve("iceberg/tables-api", namespaces=namespaces)


def test_other_profiles_can_have_namespaces_from_the_beginning_too(http):
    with serve("iceberg", namespaces=("shop",)) as server:
        api = Api(http, server.url)
        assert api.call("GET", "namespaces", expect=200).body["namespaces"] == [["shop"]]
        api.call("DELETE", "namespaces/shop", expect=204)
