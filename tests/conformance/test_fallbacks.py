"""Fixtures are made in the first of several ways that the server accepts; a refused way is reported once."""

from __future__ import annotations

import contextlib
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.operations import endpoint
from conformance.lance import making
from conformance.run.session import Session
from conformance.target.fallbacks import Fallbacks, Ways
from conformance.values.outcomes import Blocked, Unoffered, Violation
from conformance.values.settings import load_settings
from conformance.values.verdict import GOOD
from lakeproof import check, serve
from reference_server.faults import HEADER
from specs.profiles import find_profile
from tests.conformance import different_decisions  # noqa: F401 - registers its freedoms
from tests.conformance.different_iceberg import changes, refusal
from tests.conformance.different_server import FREEDOMS, Call, DifferentServer, Freedom
from tests.conformance.proxy import Answer
from tests.conformance.small_servers import Meddler, say, turn_away


@contextlib.contextmanager
def met(url, api, folder, **given):
    """A session that has met a server; all that it made is dropped afterwards."""
    session = Session(load_settings({"server": url, "api": api, "report": str(folder), **given}, environ={}))
    try:
        yield session
    finally:
        session.target.sandbox.sweep()
        session.finish()
        assert session.target.sandbox.left_behind == []


def refusing(*ends, status=406):
    """Meddle with requests whose path ends like this: what POST asks for there is refused."""

    def meddle(_server, handler, _number):
        refused = bool(ends) and handler.command == "POST" and handler.path.partition("?")[0].endswith(ends)
        return refused and turn_away(handler, status)

    return meddle


# Fallbacks


class Catalog:
    """A catalog that has every operation and makes what it is told to."""

    inventory = SimpleNamespace(may_offer=lambda operation: operation != "missing")

    def begin_example(self):
        """Nothing to do."""


def find(*outcomes, operations=("make",), rests_on=()):
    """The ways that are found when making a thing ends like this, one outcome for each way."""
    left = list(outcomes)

    def make(_catalog):
        outcome = left.pop(0)
        if outcome:
            raise outcome

    ways = Ways(refused={"below": {}}, chosen={})
    ways.find([Fallbacks("thing", operations, ("a", "b", "c"), make, rests_on)], Catalog())
    return ways


def test_the_first_way_that_works_is_used():
    ways = find(Blocked("make: expected 200, got 400", "make"), Unoffered("not here"), None)
    assert ways.chosen == {"thing": "c"}
    assert ways.refused["thing"] == {"a": "make: expected 200, got 400", "b": "not here"}


def test_no_way_works():
    ways = find(Violation("no"), KeyError("x"), Violation("no"))
    assert ways.chosen == {}
    assert ways.impossible("thing")
    assert ways.refused["thing"]["b"] == "the answers to it cannot be used"


@pytest.mark.parametrize("more", [{"operations": ("missing",)}, {"rests_on": ("below",)}])
def test_nothing_is_tried_without_what_it_takes(more):
    assert "thing" not in find(**more).refused


# Lance


@pytest.mark.parametrize(
    ("refused", "way"),
    [
        ((), "CreateTable"),
        (("/create",), "DeclareTable, then InsertIntoTable"),
        (("/create", "/insert"), "DeclareTable, then files at its location"),
        (("/create", "/declare"), "RegisterTable of files that the run wrote"),
    ],
)
def test_tables_of_lance(refused, way, tmp_path):
    tables = tuple(f"t{end}" for end in refused)  # the home is a namespace, and its table is called t
    with (
        serve("lance", storage=f"dir:{tmp_path / 'lake'}") as server,
        Meddler(server.url, refusing(*tables)) as meddler,
        met(meddler.url, "lance", tmp_path, location=str(tmp_path / "lake" / "lance")) as session,
    ):
        assert session.target.ways.chosen.get("table") == way, session.target.ways.refused


def rows_wanted(call: Call) -> Answer | None:
    """Refuse to create a table without rows, as pylance's RestAdapter does."""
    if call.operation != "CreateTable" or pa.ipc.open_stream(call.body).read_all().num_rows:
        return None
    body = b'{"error": "No data provided for table creation", "code": 18}'
    return Answer(500, {"Content-Type": "application/json"}, body)


def test_rows_are_deleted_where_no_table_without_rows_is_created(tmp_path):
    select = "lance.empty or lance.query.empty_table or lance.index.create.empty_table or create.empty_stream"
    freedom = Freedom("rows_wanted", "lance", before=rows_wanted)
    with serve("lance", storage="memory") as server, DifferentServer(server.url, "lance", [freedom]) as different:
        results, _ = check(different.url, api="lance", select=select, report=str(tmp_path))
    bad = {result.id for result in results.requirements if result.verdict not in GOOD}
    assert bad == {"lance.table.create.empty_stream"}
    traits = {trait.name: trait.value for trait in results.target.traits}
    assert traits["table without rows"] == "created with rows, which are then deleted"


def root_alone(_server, handler, _number):
    """Refuse whatever is not the root, or a table of it."""
    path = handler.path.replace("/namespace/%24/", "/")
    return ("/namespace/" in path or "%24" in path) and turn_away(handler, 406)


def test_what_is_refused_below_a_namespace_is_asked_of_the_root(tmp_path):
    """A run of one requirement would say else that a server of the root alone has no operation on tables."""
    with (
        serve("lance", storage="memory") as server,
        Meddler(server.url, root_alone) as meddler,
        met(meddler.url, "lance", tmp_path) as session,
    ):
        operations = session.target.document.operations.values()
        refused = set(session.target.names("refused"))
        assert all(map(session.target.client.lacks, refused))
        assert refused == {op.id for op in operations if "/namespace/{id}/" in op.path} - {"ListNamespaces"}


def test_a_transaction_that_cannot_be_described_is_a_finding(tmp_path):
    """Its id has the delimiter, so it cannot be asked for as a name after that of the table."""
    with (
        serve("lance", storage="memory") as server,
        Meddler(server.url, refusing("/describe", status=404)) as meddler,
    ):
        results, _ = check(meddler.url, report=str(tmp_path), select="lance.index.create.transaction")
    (result,) = results.requirements
    assert result.verdict == "warn"
    assert "DescribeTransaction knows the transaction_id" in result.message


# Iceberg


@pytest.fixture
def iceberg():
    with serve("iceberg", allow_faults=True) as server:
        yield server


def test_bodies_of_iceberg(iceberg, tmp_path):
    with met(iceberg.url, "iceberg", tmp_path, header=(f"{HEADER}: optional-fields-wanted",)) as session:
        assert session.target.ways.chosen == {
            "places of tables": "where the server puts them",
            "namespace": "properties spelled out",
            "table": "all but a location spelled out",
            "view": "a location",
            "schemas in commits": "without ids that the server gives",
            "specs in commits": "without ids that the server gives",
            "sort orders in commits": "without ids that the server gives",
            "snapshots": "files on this machine",
        }


def test_ids_that_a_server_wants_in_commits_are_one_finding(iceberg, tmp_path):
    select = "iceberg.update.without_ids or iceberg.update.schema or iceberg.update.spec or iceberg.transaction"
    given: dict[str, Any] = {"header": (f"{HEADER}: ids-wanted",), "select": select, "report": str(tmp_path)}
    results, _ = check(iceberg.url, api="iceberg", **given)
    bad = {result.id for result in results.requirements if result.verdict not in GOOD}
    assert bad == {"iceberg.update.without_ids.schema", "iceberg.update.without_ids.spec"}
    traits = {trait.name: trait.value for trait in results.target.traits}
    assert {traits[f"{things} in commits"] for things in ("schemas", "specs", "sort orders")} == {"ids spelled out"}


def test_only_the_ids_that_a_server_wants_are_spelled_out(tmp_path):
    """A parser that reads the id of a sort order alone: specs and schemas keep the ids that the server gives."""
    select = "iceberg.update.order or iceberg.update.spec or iceberg.update.without_ids"
    freedoms = [FREEDOMS["order_ids_wanted"]]
    with serve("iceberg") as server, DifferentServer(server.url, "iceberg", freedoms) as different:
        results, _ = check(different.url, api="iceberg", select=select, report=str(tmp_path))
    assert {result.verdict for result in results.requirements} == {"pass"}
    traits = {trait.name: trait.value for trait in results.target.traits}
    assert (traits["sort orders in commits"], traits["specs in commits"]) == (
        "ids spelled out",
        "without ids that the server gives",
    )


def stated_ids_alone(call: Call) -> Answer | None:
    """Reject a commit without the id of its spec, and one in which -1 selects a spec under an id that is not the next.

    Nessie requires the id, gives another one, and looks for the stated one.
    """
    updates = {entry.get("action"): entry for _, entry in changes(call)}
    if "add-spec" not in updates:
        return None
    id = updates["add-spec"]["spec"].get("spec-id", 0)
    known = id == 1 or (id and "set-default-spec" not in updates)
    return None if known else refusal(400, "IllegalArgumentException", f"No partition-spec with ID {id}")


def test_the_next_ids_are_stated_where_a_server_confuses_others_with_its_own(tmp_path):
    freedom = Freedom("stated_ids_alone", "iceberg", before=stated_ids_alone)
    with serve("iceberg") as server, DifferentServer(server.url, "iceberg", [freedom]) as different:
        results, _ = check(different.url, api="iceberg", select="iceberg.update.stored.spec", report=str(tmp_path))
    assert [result.verdict for result in results.requirements] == ["pass"]
    traits = {trait.name: trait.value for trait in results.target.traits}
    assert traits["specs in commits"] == "the next ids spelled out"


def test_ids_that_a_server_wants_stand_in_the_bodies_of_new_tables_too(iceberg, tmp_path):
    fields = [{"source-id": 1, "transform": "identity"}]
    given = {"partition_spec": {"fields": fields}, "write_order": {"fields": fields}}
    with met(iceberg.url, "iceberg", tmp_path, header=(f"{HEADER}: ids-wanted",)) as session:
        body = IcebergCatalog(session.target).body("createTable", ("n", "t"), **given)
    assert body["partition-spec"] == {"spec-id": 0, "fields": [{"field-id": 1000, **fields[0]}]}
    assert body["write-order"] == {"order-id": 1, "fields": fields}


def test_an_endpoint_without_its_first_slash_is_offered(tmp_path):
    table = "v1/{prefix}/namespaces/{namespace}/tables"
    entries = [f"POST {table}", f"GET /{table}", f"DELETE /{table}/{{table}}", "GET /v1/{prefix}/namespaces"]
    entries += ["POST /v1/{prefix}/namespaces", "DELETE /v1/{prefix}/namespaces/{namespace}"]
    config = {"defaults": {}, "overrides": {}, "endpoints": entries}

    def meddle(_server, handler, _number):
        return handler.path.startswith("/v1/config") and say(handler, 200, config)

    with (
        serve("iceberg") as server,
        Meddler(server.url, meddle) as meddler,
        met(meddler.url, "iceberg", tmp_path) as session,
    ):
        assert session.target.probes["createTable"].state == "offered"
        assert session.target.probes["createView"].state == "refused"


def test_endpoints_without_their_first_slash_are_one_finding(tmp_path):
    """`getToken` is named and is not there; everything that is there is named."""
    operations = find_profile("iceberg").document().operations.values()
    config = {"defaults": {}, "overrides": {}, "endpoints": [endpoint(one).replace(" /", " ") for one in operations]}

    def meddle(_server, handler, _number):
        if handler.path.startswith("/v1/oauth"):
            return turn_away(handler, 406)
        return handler.path.startswith("/v1/config") and say(handler, 200, config)

    with serve("iceberg") as server, Meddler(server.url, meddle) as meddler:
        results, _ = check(meddler.url, api="iceberg", select="endpoints", report=str(tmp_path))
    found = {result.id: result.message for result in results.requirements if result.verdict in ("fail", "warn")}
    assert set(found) == {f"iceberg.config.endpoints_{name}" for name in ("form", "true")}
    assert "getToken" in found["iceberg.config.endpoints_true"]


def test_what_a_server_wants_spelled_out_is_one_finding(iceberg, tmp_path):
    select = "iceberg.body.smallest or iceberg.table.create or iceberg.table.load or iceberg.race.create"
    given: dict[str, Any] = {
        "header": (f"{HEADER}: optional-fields-wanted",),
        "select": select,
        "report": str(tmp_path),
    }
    results, _ = check(iceberg.url, api="iceberg", **given)
    bad = {result.id for result in results.requirements if result.verdict not in GOOD}
    assert bad == {f"iceberg.body.smallest.create_{thing}" for thing in ("namespace", "table", "view")}
    assert {trait.name: len(trait.refused) for trait in results.target.traits if trait.refused} == {
        "namespace": 1,
        "table": 3,
        "view": 1,
    }


def test_tables_lie_at_the_given_location(tmp_path):
    place = f"file://{tmp_path / 'tables'}"
    with (
        serve("iceberg", warehouses=(f"here={place}",)) as server,
        met(server.url, "iceberg", tmp_path, location=place, warehouse="here", prefix="team") as session,
    ):
        assert session.target.prefix.startswith("team")
        assert session.target.ways.chosen["table"] == "a name and a schema alone"
        assert session.target.table_folder.startswith(f"{place}/{session.target.prefix}")


class Elsewhere(Meddler):
    """A server that chooses where tables and views lie, and takes no place from clients."""

    def answer(self, handler, body):
        """Refuse a creation that names a place."""
        if handler.command == "POST" and handler.path.endswith(("/tables", "/views")) and b'"location"' in body:
            turn_away(handler, 403)
        else:
            super().answer(handler, body)


def test_tables_lie_where_the_server_puts_them_if_it_takes_no_place(iceberg, tmp_path):
    with (
        Elsewhere(iceberg.url, refusing()) as server,
        met(server.url, "iceberg", tmp_path, location=f"file://{tmp_path / 'tables'}") as session,
    ):
        assert session.target.ways.chosen["places of tables"] == "where the server puts them"
        assert set(session.target.ways.refused["places of tables"]) == {"below the given location"}
        assert session.target.ways.chosen["table"] == "a name and a schema alone"
        assert session.target.location == ""


def test_tables_of_polaris_lie_in_the_catalogs_that_the_run_makes_at_the_given_location(tmp_path):
    place = f"file://{tmp_path / 'lake'}"
    with (
        serve("polaris", bootstrap="root:s3cr3t") as server,
        met(server.url, "polaris", tmp_path, location=place, credential="root:s3cr3t") as session,
    ):
        assert session.target.ways.chosen["table"] == "a name and a schema alone"
        assert session.target.table_folder.startswith(f"{place}/{session.target.prefix}")


def test_a_given_namespace_takes_the_place_of_those_that_nobody_makes(iceberg, tmp_path, http):
    http("POST", f"{iceberg.url}/v1/namespaces", json={"namespace": ["given"]})
    with (
        Meddler(iceberg.url, refusing("/v1/namespaces", status=403)) as meddler,
        met(meddler.url, "iceberg", tmp_path, namespace="given") as session,
    ):
        assert session.target.ways.impossible("namespace")
        assert session.target.ways.chosen["table"] == "a name and a schema alone"


# Iceberg on S3


S3_OPTIONS = ("s3.access-key-id=a", "s3.secret-access-key=b")


@pytest.mark.parametrize(
    ("handed", "options", "way"),
    [
        ("dummy", (), "files on S3 with keys that the server hands out"),
        ("none", S3_OPTIONS, "files on S3 with keys of the settings"),
        ("none", (), "manifest lists that are named and not written"),
    ],
)
def test_snapshots_on_s3(s3_warehouse, handed, options, way, tmp_path):
    with serve("iceberg", warehouses=(f"{s3_warehouse}&credentials={handed}",)) as server:
        given: dict[str, Any] = {"warehouse": "s3", "storage_option": options}
        with met(server.url, "iceberg", tmp_path, **given) as session:
            assert session.target.ways.chosen["snapshots"] == way
        select = "iceberg.snapshot.add or iceberg.scan.plan_tasks"
        results, _ = check(server.url, api="iceberg", select=select, report=str(tmp_path), **given)
    verdicts = {result.id: result.verdict for result in results.requirements}
    scans = "skipped" if way.startswith("manifest") else "pass"
    assert {verdict for name, verdict in verdicts.items() if ".snapshot." in name} == {"pass"}
    assert {verdict for name, verdict in verdicts.items() if ".scan." in name} == {scans}


# What is refused in any form is not offered, and the form is one finding


FORMS = [
    (501, {}),
    (406, {"message": "not acceptable"}),
    (400, {"code": 0, "error": "x"}),
    (500, {"code": 0, "error": "x"}),
]


@pytest.mark.parametrize(("status", "body"), FORMS)
def test_refusals_of_lance_in_any_form(status, body, tmp_path):
    def meddle(_server, handler, _number):
        path = handler.path.partition("?")[0]
        return path.endswith(("/explain_plan", "/analyze_plan", "/stats")) and say(handler, status, body)

    with serve("lance") as server, Meddler(server.url, meddle) as meddler:
        select = "plan or stats or unsupported or offered"
        results, _ = check(meddler.url, select=select, depth="smoke", report=str(tmp_path))
    assert {result.id for result in results.requirements if result.verdict in ("fail", "warn")} == {
        "lance.unsupported.form"
    }
    blocked = {result.message for result in results.requirements if result.verdict == "blocked"}
    assert [message for message in blocked if not message.startswith("the server does not have")] == []


@pytest.mark.parametrize(("status", "bad"), [(501, {"iceberg.unsupported.form"}), (406, set())])
def test_refusals_of_iceberg(status, bad, tmp_path):
    error = {"error": {"message": "not now", "type": "UnsupportedOperationException", "code": status}}

    def meddle(_server, handler, _number):
        return handler.path.partition("?")[0].endswith("/plan") and say(handler, status, error)

    with serve("iceberg") as server, Meddler(server.url, meddle) as meddler:
        select = "iceberg.scan.plan_tasks or unsupported or offered"
        results, _ = check(meddler.url, api="iceberg", select=select, depth="smoke", report=str(tmp_path))
    assert {result.id for result in results.requirements if result.verdict not in GOOD} == bad


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ((), {}),
        (
            ("s3.endpoint=http://127.0.0.1:9000", "s3.access-key-id=me", "s3.region=eu"),
            {
                "aws_endpoint": "http://127.0.0.1:9000",
                "aws_access_key_id": "me",
                "aws_region": "eu",
                "allow_http": "true",
            },
        ),
        (("aws_endpoint=https://s3.example", "timeout=3s"), {"aws_endpoint": "https://s3.example", "timeout": "3s"}),
    ],
)
def test_lance_gets_the_settings_of_files_under_its_own_names(given, wanted):
    settings = load_settings({"server": "http://127.0.0.1:1", "storage_option": given}, environ={})
    target: Any = SimpleNamespace(settings=settings)
    assert making.storage_options(target) == wanted
