"""Seeds: content of catalogs by one value, and one clear error for a mistake in it."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import lance
import pytest
import yaml
from pyiceberg.catalog import load_catalog

from lakeproof import serve
from specs.problems import Problem

ROOT = "root:s3cret"
SEED = yaml.safe_load(
    """
    iceberg:
      namespaces:
        analytics: {owner: me}
        deep.below: {}
      tables:
        analytics.orders:
          schema:
            id: long not null
            name: string
            day: date
            price: decimal(9, 2)
            at: timestamptz
            tags: {type: list, element-id: 100, element: string, element-required: false}
            place: {type: struct, fields: [{id: 101, name: city, type: string, required: false}]}
            counts: {type: map, key-id: 102, key: string, value-id: 103, value: int, value-required: true}
          partition-by: [day, "bucket(4, id)", "truncate(1, name)"]
          commits:
            - - {id: 1, name: abc, day: 2024-01-01, price: 1.5, at: 2024-01-01T00:00:00+00:00, tags: [x, null]}
              - {id: 2, place: {city: Rome}, counts: {a: 1}}
          rows:
            - {id: 3, day: 2024-01-02}
        "[\\"dotted.name\\", \\"t\\"]":
          schema: {id: int, raw: binary, flag: boolean, unique: uuid, at: timestamp, share: double}
          properties: {format-version: "3"}
          rows: [{id: 1, raw: 00ff, flag: true, unique: 6f1c2a9e-7b7f-4a52-9d2e-0d5f2b0c3a11, share: 0.5}]
        empty.t: {schema: {id: int}}
      views:
        analytics.totals: {sql: select 1 as id, schema: {id: int}}
    lance:
      namespaces: [n]
      tables:
        n.t:
          schema: {id: int64, embedding: "vector[2]", day: date32, words: list<string>}
          properties: {owner: me}
          commits:
            - [{id: 1, embedding: [1, 2], day: "2024-01-01", words: [a]}]
            - [{id: 2}]
        inferred: {rows: [{a: 1, b: x}]}
        n.declared: {}
    polaris:
      catalogs:
        prod:
          properties: {polaris.config.drop-with-purge.enabled: "true"}
          tables:
            sales.t: {schema: {id: long}, rows: [{id: 1}, {id: 2}]}
          roles:
            reader:
              grants: [CATALOG_READ_PROPERTIES, {privilege: TABLE_READ_DATA, namespace: sales, table: t}]
      principal-roles:
        analyst: {catalog-roles: {prod: [reader]}}
      principals:
        alice: {roles: [analyst], client-id: alice, client-secret: s3cr3t}
        bob: {}
    """
)


@pytest.fixture(scope="module")
def server():
    with serve(bootstrap=ROOT) as server:
        yield server


@pytest.fixture(scope="module")
def seeded(server):
    with server.tenant(seed=SEED) as tenant:
        yield tenant


@pytest.fixture(scope="module")
def catalog(seeded):
    return load_catalog("seeded", type="rest", uri=seeded.urls["iceberg"])


def test_rows_are_in_snapshots_with_data_files(catalog):
    table = catalog.load_table("analytics.orders")
    rows = {row["id"]: row for row in table.scan().to_arrow().to_pylist()}
    assert rows[1] == {
        "id": 1,
        "name": "abc",
        "day": date(2024, 1, 1),
        "price": Decimal("1.50"),
        "at": datetime(2024, 1, 1, tzinfo=UTC),
        "tags": ["x", None],
        "place": None,
        "counts": None,
    }
    assert (rows[2]["place"], dict(rows[2]["counts"]), rows[3]["name"]) == ({"city": "Rome"}, {"a": 1}, None)
    assert len(table.snapshots()) == 2
    assert table.snapshots()[0].summary["added-records"] == "2"
    assert table.snapshots()[1].parent_snapshot_id == table.snapshots()[0].snapshot_id


@pytest.mark.parametrize(
    ("row_filter", "ids"),
    [("day = '2024-01-02'", [3]), ("id = 2", [2]), ("name = 'abc'", [1]), ("day is null", [2]), ("id > 3", [])],
)
def test_partitions_are_pruned_and_nothing_is_lost(catalog, row_filter, ids):
    scan = catalog.load_table("analytics.orders").scan(row_filter=row_filter)
    assert sorted(scan.to_arrow()["id"].to_pylist()) == ids
    if "day" in row_filter:
        assert len(list(scan.plan_files())) == 1


def test_names_with_dots_and_other_types_and_format_versions(catalog):
    table = catalog.load_table(("dotted.name", "t"))
    (row,) = table.scan().to_arrow().to_pylist()
    assert (table.format_version, row["raw"], row["flag"], row["share"]) == (3, b"\x00\xff", True, 0.5)
    assert row["at"] is None
    assert str(row["unique"]) == "6f1c2a9e-7b7f-4a52-9d2e-0d5f2b0c3a11" or row["unique"].hex().startswith("6f1c2a9e")


def test_namespaces_views_and_empty_tables_are_there(catalog):
    assert catalog.load_namespace_properties("analytics")["owner"] == "me"
    assert catalog.list_namespaces("deep") == [("deep", "below")]
    assert catalog.list_views("analytics") == [("analytics", "totals")]
    assert catalog.load_table("empty.t").current_snapshot() is None


def test_a_seeded_table_takes_further_commits(catalog):
    table = catalog.load_table("empty.t")
    with table.update_schema() as update:
        update.add_column("more", update._schema.find_field("id").field_type)
    assert [field.name for field in catalog.load_table("empty.t").schema().fields] == ["id", "more"]


def test_lance_tables_have_rows_and_versions(seeded, http):
    described = http("POST", f"{seeded.urls['lance']}/v1/table/n$t/describe", json={}).json()
    dataset = lance.dataset(described["location"])
    assert (dataset.count_rows(), dataset.version, dataset.schema.names) == (2, 2, ["id", "embedding", "day", "words"])
    first = dataset.to_table().to_pylist()[0]
    assert first == {"id": 1, "embedding": [1.0, 2.0], "day": date(2024, 1, 1), "words": ["a"]}
    listed = http("GET", f"{seeded.urls['lance']}/v1/namespace/n/table/list?include_declared=true").json()["tables"]
    assert sorted(listed) == ["declared", "t"]
    assert http("POST", f"{seeded.urls['lance']}/v1/table/inferred/count_rows", json={}).json() == 1


def test_principals_have_the_rights_of_their_roles(seeded):
    url = f"{seeded.urls['polaris']}/api/catalog"
    access = {"credential": "alice:s3cr3t", "scope": "PRINCIPAL_ROLE:ALL", "warehouse": "prod"}
    alice = load_catalog("alice", type="rest", uri=url, **access)
    assert alice.load_table("sales.t").scan().to_arrow()["id"].to_pylist() == [1, 2]
    with pytest.raises(Exception, match="not authorized"):
        alice.create_namespace("mine")


def test_credentials_are_returned(seeded):
    created = seeded.credentials["polaris"]
    assert created["alice"] == {"clientId": "alice", "clientSecret": "s3cr3t"}
    assert all(created["bob"].values())


def test_a_single_api_needs_no_name_and_a_file_is_a_seed(http, tmp_path):
    path = tmp_path / "seed.yaml"
    path.write_text("tables:\n  a.t: {schema: {id: long}, rows: [{id: 1}]}\n")
    with serve("iceberg", seed=str(path)) as server, server.tenant() as tenant:
        for url in (server.url, tenant.url):
            loaded = http("GET", f"{url}/v1/namespaces/a/tables/t").json()["metadata"]
            assert loaded["snapshots"][0]["summary"]["added-records"] == "1"
        server.seed({"namespaces": ["b"]})
        assert http("GET", f"{server.url}/v1/namespaces").json()["namespaces"] == [["a"], ["b"]]


def test_a_seed_is_one_request(server, http):
    with server.tenant() as tenant:
        url = f"{tenant.control_address}/_lakeproof/seed"
        text = "iceberg:\n  namespaces: [a]\n"
        assert http("POST", url, body=text, headers={"Content-Type": "application/yaml"}).status == 200
        assert http("POST", url, json={"iceberg": {"namespaces": ["b"]}}).json() == {"credentials": {}}
        assert len(http("GET", f"{tenant.urls['iceberg']}/v1/namespaces").json()["namespaces"]) == 2
        refused = http("POST", url, body="a: [", headers={"Content-Type": "application/yaml"})
        assert (refused.status, "not YAML in line" in refused.json()["error"]["message"]) == (400, True)


ID = {"id": "long"}
BAD = [
    ({"icberg": {}}, "its top: there is no API 'icberg' here. Did you mean iceberg?"),
    (["a"], "its top: expected a mapping of names, got ['a']."),
    ({"iceberg": {"tabels": {}}}, "/iceberg: there is no field 'tabels'. Did you mean tables?"),
    ({"iceberg": {"namespaces": ["a..b"]}}, "/iceberg/namespaces/0: the name 'a..b' has an empty part."),
    ({"iceberg": {"namespaces": {"a": {"x": 1}}}}, "/iceberg/namespaces/a/x: expected text, got 1."),
    ({"iceberg": {"tables": {"t": {"schema": ID}}}}, "/iceberg/tables/t: the name 't' has no namespace."),
    ({"iceberg": {"tables": {"a.t": {}}}}, "/iceberg/tables/a.t: the table has no schema."),
    ({"iceberg": {"tables": {"a.t": {"schema": {"id": "lon"}}}}}, "schema/id: 'lon' is not a type. Did you mean long?"),
    (
        {"iceberg": {"tables": {"a.t": {"schema": ID, "rows": [{"id": 1}, {"id": "x"}]}}}},
        "/iceberg/tables/a.t/rows/1/id: 'x' is not an integer.",
    ),
    (
        {"iceberg": {"tables": {"a.t": {"schema": ID, "rows": [{"di": 1}]}}}},
        "/iceberg/tables/a.t/rows/0/di: there is no column 'di'. Known: id.",
    ),
    (
        {"iceberg": {"tables": {"a.t": {"schema": {"id": "int not null"}, "rows": [{}]}}}},
        "/iceberg/tables/a.t/rows/0/id: the column is required.",
    ),
    (
        {"iceberg": {"tables": {"a.t": {"schema": ID, "partition-by": ["day(di)"]}}}},
        "/iceberg/tables/a.t/partition-by/0: 'day(di)' is no partition field. Known: id.",
    ),
    ({"iceberg": {"warehouses": {"x": {}}}}, "/iceberg/warehouses/x: there is no warehouse 'x'. Known: default."),
    ({"iceberg": {"views": {"a.v": {"sql": "x"}}}}, "/iceberg/views/a.v: a view needs sql and schema."),
    (
        {"iceberg": {"tables": {"a.t": {"schema": ID, "properties": {"format-version": "9"}}}}},
        "/iceberg/tables/a.t: ",
    ),
    ({"lance": {"tables": {"t": {"schema": {"id": "itn"}}}}}, "/lance/tables/t/schema/id: 'itn' is no type."),
    ({"lance": {"tables": {"t": {"schema": {"id": "int8"}, "rows": [{"id": 300}]}}}}, "/lance/tables/t/rows: "),
    ({"lance": {"tables": {"t": {"schema": {"id": "int8"}, "rows": [{"x": 1}]}}}}, "rows/0/x: there is no column"),
    ({"polaris": {"catalogs": {"c": {"roles": {"r": {"grants": ["NO"]}}}}}}, "/polaris/catalogs/c/roles/r/grants/0: "),
    ({"polaris": {"catalogs": {"c": {"roles": {"r": {"grants": [{}]}}}}}}, "grants/0: a grant needs a privilege"),
    ({"polaris": {"principals": {"p": {"roles": ["none"]}}}}, "/polaris/principals/p/roles/0: "),
    ({"polaris": {"principals": {"p": {"client-id": "x"}}}}, "/polaris/principals/p: credentials need both"),
]


@pytest.mark.parametrize(("seed", "message"), BAD, ids=[message.partition(":")[0] for _, message in BAD])
def test_a_mistake_is_one_error_with_its_place(server, seed, message):
    before = server.control("GET", "/tenants")["tenants"]
    with pytest.raises(Problem) as refused:
        server.tenant(seed=seed)
    assert str(refused.value).startswith("The seed is invalid at ")
    assert message in str(refused.value)
    assert server.control("GET", "/tenants")["tenants"] == before


def test_a_mistake_changes_nothing(server, http):
    seed = {"iceberg": {"namespaces": ["kept-out"], "tables": {"a.t": {"schema": ID, "rows": [{"id": "x"}]}}}}
    with server.tenant() as tenant:
        with pytest.raises(Problem):
            tenant.seed(seed)
        assert http("GET", f"{tenant.urls['iceberg']}/v1/namespaces").json()["namespaces"] == []


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "cannot be read"), ("a: [", "not YAML in line 1"), ("tabels: {}", "there is no field 'tabels'")],
)
def test_a_server_with_a_bad_seed_does_not_start(tmp_path, content, message):
    path = tmp_path / "seed.yaml"
    if content is not None:
        path.write_text(content)
    with pytest.raises(Problem, match=message), serve("iceberg", seed=str(path)):
        pass


def test_values_of_python_that_json_lacks(server, http):
    rows = [{"id": Decimal("1.5"), "raw": b"\x01", "day": date(2024, 1, 1)}]
    table = {"schema": {"id": "decimal(3, 1)", "raw": "binary", "day": "date"}, "rows": rows}
    with server.tenant(seed={"iceberg": {"tables": {"a.t": table}}}) as tenant:
        catalog = load_catalog("values", type="rest", uri=tenant.urls["iceberg"])
        assert catalog.load_table("a.t").scan().to_arrow().to_pylist() == rows


def test_a_seed_is_no_request_of_the_journal(server):
    with server.tenant(seed={"iceberg": {"namespaces": ["a"]}}) as tenant:
        assert tenant.requests() == []
        assert json.dumps(tenant.credentials) == "{}"


def test_the_seed_of_the_guide_can_be_planted(server):
    guide = (Path(__file__).parents[3] / "docs" / "mock-server.md").read_text()
    text = guide.partition("# seed.yaml\n")[2].partition("```")[0]
    with server.tenant(seed=yaml.safe_load(text)) as tenant:
        assert tenant.credentials["polaris"]["alice"]["clientId"] == "alice"


def test_a_dialect_without_namespaces_takes_tables(http):
    seed = {"tables": {"analytics.t": {"schema": ID, "rows": [{"id": 1}]}}}
    with serve("iceberg/tables-api", namespaces=("analytics",), seed=seed) as server:
        assert http("GET", f"{server.url}/v1/namespaces/analytics/tables/t").status == 200
