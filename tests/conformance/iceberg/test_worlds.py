"""The worlds of Iceberg: the reference server creates each of them, and forms of requests add only what they may."""

from __future__ import annotations

import pytest

from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.client import IcebergClient
from conformance.iceberg.forms import CONNECTIONS, FORMS_FILE, ShapedRequest, fields_of, request_forms
from conformance.iceberg.worlds import (
    BESIDE,
    DIMENSIONS,
    FORM,
    FORMS_OF_HOMES,
    FORMS_OF_NAMES,
    HOME,
    NAMES,
    PLACE,
    STATE,
    VIEW_STATE,
    all_but,
)
from conformance.run.session import handshake
from conformance.target.target import connect
from conformance.values.settings import Settings
from lakeproof import serve
from specs.files import read_toml
from specs.profiles import find_profile

DOCUMENT = find_profile("iceberg").document()
VALUES = {dimension.name: dimension.others for dimension in DIMENSIONS}
STATES = {
    "evolved": lambda table: len(table["schemas"]) == 2 and table["current-schema-id"] == 1,
    "snapshots": lambda table: len(table["snapshots"]) == 2,
    "refs": lambda table: set(table["refs"]) == {"main", "lp-branch", "lp-tag"},
    "statistics": lambda table: len(table["statistics"]) == len(table["partition-statistics"]) == 1,
    "v1": lambda table: table["format-version"] == 1,
    "v3": lambda table: table["format-version"] == 3,
    "specs": lambda table: len(table["partition-specs"]) == 2,
    "sorted": lambda table: table["default-sort-order-id"] == 1,
    "properties": lambda table: table["properties"]["lp.owner"] == "lakeproof",
}


@pytest.fixture(scope="module")
def catalog():
    with serve("iceberg") as server:
        target = connect(Settings(server=server.url, api="iceberg"))
        handshake(target)
        yield IcebergCatalog(target)


def test_every_world_is_made(catalog):
    for dimension in DIMENSIONS:
        for value in dimension.others:
            with catalog.target.surroundings.within({dimension.name: value}):
                catalog.begin_example()
                catalog.enter_world()
                assert catalog.target.surroundings.entered == {dimension.name}, value


def test_tables_are_in_the_states_of_their_worlds(catalog):
    assert STATES.keys() < set(VALUES[STATE])
    for value in VALUES[STATE]:
        with catalog.target.surroundings.within({STATE: value}):
            catalog.begin_example()
            metadata = catalog.metadata(catalog.new_table())
        assert STATES.get(value, lambda table: table["current-schema-id"] == 0)(metadata), value


def test_views_are_in_the_states_of_their_worlds(catalog):
    versions = {}
    for value in VALUES[VIEW_STATE]:
        with catalog.target.surroundings.within({VIEW_STATE: value}):
            catalog.begin_example()
            versions[value] = len(catalog.view_metadata(catalog.new_view())["version-log"])
    assert versions == {"replaced": 3, "renamed": 1, "remade": 1, "dialects": 1}


def test_a_body_of_its_own_is_in_states_that_leave_it(catalog):
    with catalog.target.surroundings.within({STATE: "specs"}):
        catalog.begin_example()
        catalog.new_table(properties={"a": "1"})
        assert catalog.target.surroundings.entered == set()
    with catalog.target.surroundings.within({STATE: "renamed"}):
        catalog.begin_example()
        assert catalog.metadata(catalog.new_table(properties={"a": "1"}))["properties"]["a"] == "1"
        assert catalog.target.surroundings.entered == {STATE}


def test_homes_lie_where_the_world_says(catalog):
    with catalog.target.surroundings.within({PLACE: "deep", HOME: "dot", BESIDE: "prefix"}):
        catalog.begin_example()
        *outer, last = catalog.home
        assert (len(outer), last) == (2, f"{catalog.mark}.b")
        assert [id[len(outer)] for id in catalog.siblings] == [f"{last}xbeside"] * 2
        assert catalog.namespace_id()[:-1] == tuple(outer)


@pytest.mark.parametrize("forms", [FORMS_OF_HOMES, FORMS_OF_NAMES])
def test_names_stay_different(forms):
    plain = ["t", "u", "t2", "tt", "a", "b", "first", "second"]
    for form in forms.values():
        assert len({form(name) for name in plain}) == len(plain)
        assert [name for name in plain if form(name) == name] == []


def test_a_long_name_has_a_hundred_letters():
    assert {len(FORMS_OF_NAMES["long"](name)) for name in ("t", "orders")} == {100}


def test_every_value_of_a_form_exists():
    assert VALUES[FORM] == list(request_forms())
    assert set(FORMS_OF_NAMES) == set(VALUES[NAMES])
    assert set(FORMS_OF_HOMES) < set(VALUES[HOME])
    assert all_but(form=("java",))[FORM] == ("smallest", *(name for name in VALUES[FORM] if name != "java"))


def test_forms_name_fields_and_parameters_of_the_document():
    for name, form in read_toml(FORMS_FILE).items():
        for operation, body in form.get("body", {}).items():
            assert body.keys() <= fields_of(DOCUMENT, DOCUMENT.operation(operation)), (name, operation)
        for operation, query in form.get("query", {}).items():
            known = {parameter.name for parameter in DOCUMENT.operation(operation).query_parameters()}
            assert query.keys() <= known, (name, operation)


def shaped(form, operation, body=None, query=None, headers=None, path=None):
    request = ShapedRequest(path or {}, body, query or {}, headers or {})
    return request_forms()[form].applied(DOCUMENT.operation(operation), DOCUMENT, request, "\x1f")


def test_a_form_changes_nothing_that_is_given():
    sent = shaped("spelled", "createTable", {"name": "t", "stage-create": True, "properties": 7})
    assert sent.body["stage-create"] is True
    assert sent.body["properties"] == 7
    assert sent.body["partition-spec"] == {"spec-id": 0, "fields": []}
    assert shaped("java", "loadTable", query={"snapshots": "refs"}).query == {"snapshots": "refs"}
    assert shaped("java", "listTables", query={"pageToken": None}).query == {"pageToken": ""}
    assert shaped("pyiceberg", "loadTable", headers={"x-client-version": "1"}).headers["x-client-version"] == "1"


@pytest.mark.parametrize("body", [b"{}", [], "text", None])
def test_a_form_adds_no_fields_to_what_is_no_object(body):
    assert shaped("spelled", "createTable", body).body == body


def test_the_type_of_a_body_stays_its_own():
    assert "Content-Type" not in shaped("pyiceberg", "createTable", b"x").headers
    assert shaped("pyiceberg", "loadTable").headers["Content-Type"] == "application/json"


def test_a_commit_names_its_table():
    client = IcebergClient.__new__(IcebergClient)
    client.separator = "\x1f"
    path = client.table_path(("a b", "c.d%62", "t"))
    sent = shaped("pyiceberg", "updateTable", {"updates": []}, path=path).body
    assert sent["identifier"] == {"namespace": ["a b", "c.d%62"], "name": "t"}
    assert "identifier" not in shaped("java", "updateTable", {"updates": []}, path=path).body


def test_connections_are_headers():
    request = ShapedRequest({}, {"name": "t"}, {}, {"X-One": "1", "Authorization": None})
    assert CONNECTIONS["chunked"](request, False)["Transfer-Encoding"] == "chunked"
    assert CONNECTIONS["chunked"](ShapedRequest({}, None, {}, {}), False) is None
    small = CONNECTIONS["small"](request, False)
    assert {name for name, value in small.items() if value is not None} == {"x-one", "accept", "content-type"}
    assert {name for name, value in small.items() if value is None} == {"Accept", "Content-Type", "Authorization"}


def test_chunked_bodies_arrive(catalog):
    with catalog.target.surroundings.within({"connection": "chunked"}), catalog.shaping.of_everything():
        catalog.begin_example()
        id = catalog.new_table()
    assert catalog.table_exists(id).status == 204
    chunked = [step for step in catalog.client.steps if step.request_headers.get("Transfer-Encoding")]
    assert [step.operation for step in chunked] == ["createTable"]
