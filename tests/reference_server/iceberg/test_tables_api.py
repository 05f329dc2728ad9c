"""The Tables API over HTTP: each kind of request that it shows, on a server of that profile."""

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
DEFAULT_PAGE = 100
TABLES = "namespaces/shop/tables"
COLUMNS = [
    {"id": 1, "name": "order_id", "required": True, "type": "string"},
    {"id": 2, "name": "amount", "required": False, "type": "decimal(10, 2)"},
    {"id": 3, "name": "ordered_at", "required": True, "type": "timestamptz"},
]
SCHEMA = {"type": "struct", "schema-id": 0, "fields": COLUMNS}
LABELS = {"type": "map", "key-id": 5, "key": "string", "value-id": 6, "value": "string", "value-required": False}


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


def test_listing(tables):
    assert tables.call("GET", TABLES).body == {"identifiers": [], "next-page-token": None}
    tables.table("orders")
    tables.table("refunds")
    listed = [{"namespace": ["shop"], "name": "orders"}, {"namespace": ["shop"], "name": "refunds"}]
    assert tables.call("GET", TABLES).body == {"identifiers": listed, "next-page-token": None}
    assert tables.call("GET", "namespaces/elsewhere/tables", expect=404).type == "NoSuchNamespaceException"


def test_paging(tables):
    for number in range(5):
        tables.table(f"t{number}")
    first = tables.call("GET", f"{TABLES}?pageSize=2")
    assert names(first) == ["t0", "t1"]
    second = tables.call("GET", f"{TABLES}?pageToken={first.body['next-page-token']}&pageSize=2")
    last = tables.call("GET", f"{TABLES}?pageToken={second.body['next-page-token']}")
    assert names(second) + names(last) == ["t2", "t3", "t4"]
    assert last.body["next-page-token"] is None
    assert tables.call("GET", f"{TABLES}?pageSize=0", expect=400).type == "BadRequestException"


def test_a_page_has_a_hundred_tables_unless_told_otherwise(tables):
    wanted = [f"t{number:03}" for number in range(DEFAULT_PAGE + 1)]
    for name in wanted:
        tables.table(name)
    first = tables.call("GET", TABLES)
    second = tables.call("GET", f"{TABLES}?pageToken={first.body['next-page-token']}")
    assert (names(first), names(second)) == (wanted[:DEFAULT_PAGE], wanted[DEFAULT_PAGE:])
    assert names(tables.call("GET", f"{TABLES}?pageSize=500")) == wanted


def test_the_largest_page_of_the_server_bounds_the_default(open_tables):
    with open_tables(page_size=3) as api:
        for number in range(4):
            api.table(f"t{number}")
        assert len(names(api.call("GET", TABLES))) == 3


def test_creating_with_everything(tables, tmp_path):
    location = (tmp_path / "orders").as_uri()
    created = tables.call(
        "POST",
        TABLES,
        {
            "name": "orders",
            "location": location,
            "schema": {
                **SCHEMA,
                "fields": [*COLUMNS, {"id": 4, "name": "labels", "required": False, "type": LABELS}],
            },
            "partition-spec": {
                "spec-id": 0,
                "fields": [{"source-id": 3, "field-id": 1000, "name": "ordered_day", "transform": "day"}],
            },
            "write-order": {
                "order-id": 1,
                "fields": [{"source-id": 1, "transform": "identity", "direction": "asc", "null-order": "nulls-last"}],
            },
            "stage-create": False,
            "properties": {"format-version": "2", "write.parquet.compression-codec": "zstd"},
        },
    ).body
    metadata = created["metadata"]
    assert created["metadata-location"].startswith(f"{location}/metadata/00000-")
    assert (metadata["location"], metadata["format-version"]) == (location, 2)
    assert [field["name"] for field in metadata["schemas"][0]["fields"]] == [
        "order_id",
        "amount",
        "ordered_at",
        "labels",
    ]
    assert metadata["partition-specs"][0]["fields"][0]["transform"] == "day"
    assert len(metadata["sort-orders"][-1]["fields"]) == 1
    assert metadata["properties"]["write.parquet.compression-codec"] == "zstd"


def test_creating_with_a_name_and_a_schema(tables):
    created = tables.table().body
    assert tables.call("GET", f"{TABLES}/orders").body["metadata"] == created["metadata"]
    refused = tables.call("POST", TABLES, {"name": "orders", "schema": SCHEMA}, expect=409)
    assert refused.type == "AlreadyExistsException"


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


@pytest.mark.parametrize("snapshots", ["all", "refs"])
def test_loading(tables, snapshots):
    created = tables.table().body
    assert tables.call("GET", f"{TABLES}/orders?snapshots={snapshots}").body["metadata"] == created["metadata"]
    assert tables.call("GET", f"{TABLES}/missing?snapshots={snapshots}", expect=404).type == "NoSuchTableException"


def test_the_test_for_a_table_says_200(tables):
    tables.call("HEAD", f"{TABLES}/orders", expect=404)
    tables.table()
    tables.call("HEAD", f"{TABLES}/orders", expect=200)


def test_committing(tables):
    before = tables.table().body["metadata"]
    wider = [*COLUMNS, {"id": 4, "name": "shipped_at", "required": False, "type": "timestamptz"}]
    answer = tables.commit(
        [
            {"action": "add-schema", "schema": {**SCHEMA, "schema-id": 1, "fields": wider}},
            {"action": "set-current-schema", "schema-id": 1},
            {"action": "set-properties", "updates": {"owner": "sales"}},
        ],
        [
            {"type": "assert-current-schema-id", "current-schema-id": before["current-schema-id"]},
            {"type": "assert-table-uuid", "uuid": before["table-uuid"]},
        ],
    ).body
    assert answer["metadata"]["current-schema-id"] == 1
    assert answer["metadata"]["properties"]["owner"] == "sales"
    assert "/metadata/00001-" in answer["metadata-location"]


SNAPSHOT = {
    "snapshot-id": 7,
    "sequence-number": 1,
    "timestamp-ms": 4_102_444_800_000,
    "manifest-list": "file:///tmp/none.avro",
    "summary": {"operation": "append"},
}
SPEC = {"spec-id": 1, "fields": [{"source-id": 3, "name": "ordered_day", "transform": "day"}]}
# The ten updates, each with what it brings about.
UPDATES = [
    ({"action": "upgrade-format-version", "format-version": 2}, lambda table: table["format-version"] == 2),
    ({"action": "add-schema", "schema": {**SCHEMA, "fields": COLUMNS[:2]}}, lambda table: len(table["schemas"]) == 2),
    ({"action": "set-current-schema", "schema-id": -1}, lambda table: table["current-schema-id"] == 1),
    ({"action": "add-partition-spec", "spec": SPEC}, lambda table: len(table["partition-specs"]) == 2),
    ({"action": "set-default-spec", "spec-id": 0}, lambda table: table["default-spec-id"] == 0),
    ({"action": "add-snapshot", "snapshot": SNAPSHOT}, lambda table: len(table["snapshots"]) == 1),
    (
        {"action": "set-snapshot-ref", "ref-name": "v1", "type": "tag", "snapshot-id": 7},
        lambda table: table["refs"]["v1"]["snapshot-id"] == 7,
    ),
    ({"action": "remove-snapshots", "snapshot-ids": [7]}, lambda table: table["snapshots"] == []),
    ({"action": "set-properties", "updates": {"k": "v"}}, lambda table: table["properties"]["k"] == "v"),
    ({"action": "remove-properties", "removals": ["k"]}, lambda table: "k" not in table["properties"]),
]


@pytest.mark.parametrize("number", range(len(UPDATES)), ids=lambda number: UPDATES[number][0]["action"])
def test_every_update(tables, number):
    tables.table(properties={"format-version": "2", "k": "old"})
    needed = {2: [1], 6: [5], 7: [5]}.get(number, [])
    update, holds = UPDATES[number]
    updates = [*(UPDATES[other][0] for other in needed), update]
    assert holds(tables.commit(updates).body["metadata"])


@pytest.mark.parametrize(
    ("wanted", "otherwise"),
    [
        ({"type": "assert-table-uuid"}, {"uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1"}),
        ({"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": None}, {"snapshot-id": 1}),
        ({"type": "assert-current-schema-id", "current-schema-id": 0}, {"current-schema-id": 1}),
        ({"type": "assert-default-spec-id", "default-spec-id": 0}, {"default-spec-id": 1}),
    ],
)
def test_every_requirement(tables, wanted, otherwise):
    uuid = tables.table().body["metadata"]["table-uuid"]
    holds = {**wanted, "uuid": uuid} if wanted["type"] == "assert-table-uuid" else wanted
    change = [{"action": "set-properties", "updates": {"k": "v"}}]
    refused = tables.commit(change, [{**holds, **otherwise}], expect=409)
    assert refused.type == "CommitFailedException"
    tables.commit(change, [holds])


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


def test_dropping(tables):
    tables.table()
    tables.call("DELETE", f"{TABLES}/orders", expect=204)
    assert tables.call("DELETE", f"{TABLES}/orders", expect=404).type == "NoSuchTableException"
    tables.table()
    tables.call("DELETE", f"{TABLES}/orders?purgeRequested=true", expect=204)
    assert names(tables.call("GET", TABLES)) == []


def test_registering(tables):
    created = tables.table().body
    tables.call("DELETE", f"{TABLES}/orders?purgeRequested=false", expect=204)
    body = {"name": "imported", "metadata-location": created["metadata-location"]}
    registered = tables.call("POST", "namespaces/shop/register", body).body
    assert registered["metadata"] == created["metadata"]
    assert tables.call("POST", "namespaces/shop/register", body, expect=409).type == "AlreadyExistsException"


def test_renaming(tables):
    created = tables.table().body
    old, new = {"namespace": ["shop"], "name": "orders"}, {"namespace": ["far", "away"], "name": "sales"}
    tables.call("POST", "tables/rename", {"source": old, "destination": new}, expect=204)
    assert tables.call("GET", "namespaces/far%1Faway/tables/sales").body["metadata"] == created["metadata"]
    tables.call("HEAD", f"{TABLES}/orders", expect=404)
    refused = tables.call("POST", "tables/rename", {"source": old, "destination": new}, expect=404)
    assert refused.type == "NoSuchTableException"


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
