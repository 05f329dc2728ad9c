"""Lance's worlds: forms follow the document, extra data are checked, and tables of every state have the same rows."""

import pyarrow as pa
import pytest

from conformance.apis import dimensions_of, suite_part
from conformance.author.strategies import tables
from conformance.lance.catalog import LanceCatalog
from conformance.lance.operations import OPERATIONS
from conformance.lance.support.arrow import read_rows, stream
from conformance.lance.support.columns import schema_of
from conformance.lance.support.extra_column import EXTRA, KINDS_OF_DATA, narrowed, widened
from conformance.lance.support.forms import FORMS
from conformance.lance.support.listing import collect_namespaces, collect_tables
from conformance.lance.worlds import (
    DATA,
    DIMENSIONS,
    FORM,
    FORMS_OF_NAMES,
    NAMES,
    PLACE,
    STATES,
    all_but,
)
from conformance.run.session import handshake
from conformance.target.minimal import minimal_value
from conformance.target.target import connect
from conformance.values.outcomes import Violation
from conformance.values.settings import Settings
from lakeproof import serve
from specs.lance.identifiers import DELIMITER
from specs.openapi import JSON_TYPE
from specs.profiles import find_profile, newest_operations
from specs.validation import Validators

VALUES = {dimension.name: dimension.others for dimension in DIMENSIONS}


@pytest.fixture(scope="module")
def target():
    with serve("lance/0.11") as server:
        target = connect(Settings(server=server.url, api="lance", profile="lance/0.11"))
        handshake(target)
        yield target


@pytest.fixture
def catalog(target):
    catalog = LanceCatalog(target)
    catalog.begin_example()
    yield catalog
    target.sandbox.clean_up()
    assert target.sandbox.left_behind == []


def test_every_value_is_applied():
    assert VALUES["state"] == list(STATES)
    assert VALUES[NAMES] == list(FORMS_OF_NAMES)
    assert VALUES[FORM] == list(FORMS)
    assert all_but(place=("root", "nested"))[PLACE] == ("child", "beside", "crowd", "prefix")


@pytest.mark.parametrize("form", FORMS)
def test_forms_follow_the_document(form):
    for profile, operation in newest_operations("lance").values():
        document = profile.document()
        schema = operation.request.content.get(JSON_TYPE) if operation.request else None
        given = minimal_value(document, schema, "x") if schema else None
        body, options = FORMS[form].apply(operation, ("a", "t"), given, {"query": {"limit": 1}})
        known = {parameter.name for parameter in operation.query_parameters()}
        assert options["query"].pop("limit") == 1
        assert set(options["query"]) <= known
        if schema:
            assert {**body, **given} == body
            assert Validators(document).first_request_mismatch(operation.id, body) is None
        else:
            assert body is None
        assert options.get("delimiter", DELIMITER) in (DELIMITER, "::")


def test_a_form_leaves_what_a_request_has():
    describe = next(operation for operation in OPERATIONS.values() if operation.id == "DescribeTable")
    body, options = FORMS["spelled"].apply(describe, ("t",), {"with_table_uri": True}, {})
    assert body == {"with_table_uri": True}
    assert "with_table_uri" not in options["query"]
    body, options = FORMS["spelled"].apply(describe, ("t",), {}, {"query": {"with_table_uri": True}})
    assert (body, options["query"]["with_table_uri"]) == ({}, True)
    body, _ = FORMS["id"].apply(describe, ("t",), {"id": ["other"]}, {})
    assert body == {"id": ["other"]}
    assert FORMS["id"].apply(describe, "a text", {}, {}) == ({}, {})
    assert FORMS["delimiter"].apply(describe, ("a::b",), {}, {}) == ({}, {})


@pytest.mark.parametrize("name", KINDS_OF_DATA)
def test_a_column_is_added_and_checked(name):

    kind = KINDS_OF_DATA[name]
    wide = pa.ipc.open_stream(widened(stream(tables(5), batch_rows=2), kind)).read_all()
    assert wide.column_names == ["id", "name", EXTRA]
    assert narrowed(wide).equals(tables(5))
    assert widened(b"no stream", kind) == b"no stream"
    assert narrowed(tables(2)).equals(tables(2))
    strange = pa.array([repr(value) for value in range(5)], pa.string())
    with pytest.raises(Violation, match="was not inserted"):
        narrowed(tables(5).append_column(EXTRA, strange))


@pytest.mark.parametrize("state", STATES)
def test_tables_of_every_state_have_the_same_rows(catalog, state):
    with catalog.target.surroundings.within({"state": state, DATA: "lists"}):
        id = catalog.new_table()
        assert sorted(catalog.rows(id), key=lambda row: row["id"]) == tables(3).to_pylist()
        assert [field["name"] for field in schema_of(catalog, id)["fields"]] == ["id", "name"]
    fields = catalog.describe_table(id, _query={"load_detailed_metadata": True})["schema"]["fields"]
    assert [field["name"] for field in fields] == ["id", "name", EXTRA]


@pytest.mark.parametrize("place", VALUES[PLACE])
def test_listings_leave_out_the_companions_of_a_place(catalog, place):
    with catalog.target.surroundings.within({PLACE: place, NAMES: "case"}):
        table, namespace = catalog.new_table(), catalog.new_namespace()
        listed = collect_tables(catalog, catalog.home, include_declared=True)
        assert listed.count(table[-1]) == 1
        assert namespace[-1] in collect_namespaces(catalog, namespace[:-1])
        if place != "root":
            assert listed == [table[-1]]
        assert catalog.target.surroundings.entered == {PLACE, NAMES}


@pytest.mark.parametrize("names", FORMS_OF_NAMES)
def test_names_are_names_of_the_run(catalog, names):
    with catalog.target.surroundings.within({PLACE: "root", NAMES: names}):
        assert catalog.table_id()[0].startswith(catalog.target.prefix)
        assert catalog.namespace_id()[0].startswith(catalog.target.prefix)
    catalog.begin_example()
    with catalog.target.surroundings.within({NAMES: names}):
        id = catalog.new_table()
        assert id[0].startswith(catalog.target.prefix)
        assert collect_tables(catalog, catalog.home) == [id[-1]]


def test_a_request_may_have_its_own_connection(catalog, monkeypatch):
    read_rows(catalog.query_table(catalog.new_table(), vector={}, k=1).body)
    reconnected, reconnect = [], catalog.client.reconnect
    monkeypatch.setattr(catalog.client, "reconnect", lambda: reconnected.append(1) or reconnect())
    with catalog.target.surroundings.within({"connection": "new"}):
        before = catalog.client.requests
        assert len(catalog.rows(catalog.new_table("other"))) == 3
        assert "connection" in catalog.target.surroundings.entered
        assert len(reconnected) == catalog.client.requests - before


def test_requests_on_a_table_go_to_its_branch(catalog):
    surroundings = catalog.target.surroundings
    with surroundings.within({"branch": "own"}):
        id = catalog.new_table()
        catalog.insert_into_table(id, stream(tables(1, first=9)))
        assert catalog.count_table_rows(id).json == 4
        assert catalog.count_table_rows(id, branch="main").json == 0
        catalog.rename_table(id, new_table_name=f"{id[-1]}_new")
        renamed = (*id[:-1], f"{id[-1]}_new")
        assert len(catalog.rows(renamed)) == 4
        catalog.drop_table(renamed)
        catalog.create_table(renamed, stream(tables(2)))
        assert catalog.count_table_rows(renamed).json == 2
        assert surroundings.entered == {"branch"}
    assert catalog.count_table_rows(catalog.new_table("other")).json == 3


def test_a_table_has_another_branch(catalog):
    with catalog.target.surroundings.within({"branch": "beside"}):
        id = catalog.new_table()
        assert catalog.count_table_rows(id).json == 3
        (branch,) = catalog.list_table_branches(id)["branches"]
        assert catalog.count_table_rows(id, branch=branch).json == 0


def test_a_revision_without_branches_has_no_such_worlds():
    parts = [suite_part("lance")]
    old, new = (find_profile(f"lance/{name}").document() for name in ("2026-03", "0.11"))
    assert {entry.name for entry in dimensions_of(parts, new)} - {
        entry.name for entry in dimensions_of(parts, old)
    } == {"branch"}


@pytest.mark.parametrize(
    ("subject", "counts"), [("InsertIntoTable", False), ("UpdateTable", False), ("CreateTable", True)]
)
@pytest.mark.parametrize("state", ["fragments", "updated"])
def test_requests_of_a_state_call_no_subject_but_the_plain_creation(catalog, state, subject, counts):
    """A defect that a requirement reads before it calls a subject blocks it in a state as in the plain world."""
    client = catalog.client
    before, client.recording.subjects = client.recording.subjects, frozenset({subject})
    try:
        with catalog.target.surroundings.within({"state": state}):
            catalog.begin_example()
            catalog.new_table_of(tables(3))
        only_prepared, called = client.recording.only_prepared, [step.operation for step in client.recording.steps]
        assert only_prepared is not counts, f"{subject} counts as prepared only: {only_prepared}; called: {called}"
    finally:
        client.recording.subjects = before
