"""Read-only runs: nothing that they send could change anything, and what they say about existing objects is true."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pytest

from conformance.http.client import Client
from conformance.http.gate import Gate
from conformance.http.transport import Connection, Traffic
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.client import in_prefix
from conformance.iceberg.support.scans.samples import new_events
from conformance.lance.support.arrow import stream
from conformance.lance.support.versions import MISSING_VERSION
from conformance.replay.replaying import Finding, replay
from conformance.target.target import connect
from conformance.values.exchange import Exchange
from conformance.values.outcomes import Skipped
from conformance.values.settings import load_settings
from lakeproof import check, serve
from specs.apis import apis
from specs.problems import Problem
from specs.profiles import every_operation, find_profile
from tests.conformance.harmless import foreign_names
from tests.conformance.proxy import Answer, Proxy
from tests.conformance.somebody import SOMEBODY, fill
from tests.conformance.whole_runs import not_met

NOWHERE = "http://127.0.0.1:9"  # a request that were sent there would fail in another way
PROFILES = [f"{api}/{profile}" for api, facts in apis().items() for profile in facts.profiles]
# Written by hand, apart from api.toml: the ends of the paths to which a POST reads.
READING_POSTS = {
    "lance": (
        "/describe",
        "/exists",
        "/version/list",
        "/stats",
        "/query",
        "/count_rows",
        "/explain_plan",
        "/analyze_plan",
        "/index/list",
        "/tags/list",
        "/tags/version",
        "/branches/list",
    ),
    "iceberg": ("/plan", "/tasks"),
    "polaris": ("/oauth/tokens",),  # to log in
}
LEAST_TESTED = {"lance": 420, "iceberg": 250, "polaris": 300}
SECRET = "secret"
SERVED: dict[str, dict[str, Any]] = {"polaris": {"bootstrap": f"root:{SECRET}"}}
CALLER = {"polaris": {"credential": f"root:{SECRET}"}}


def gated(profile):
    document = find_profile(profile).document()
    gate = Gate(document, find_profile(profile).reading())
    return Client(Connection(NOWHERE, {}, 1.0), document, Traffic(gate=gate))


def passes(client, method, path, headers=None):
    exchange = Exchange("", method, f"{NOWHERE}{path}", headers or {}, b"")
    try:
        client.traffic.gate.check(exchange)
    except Skipped:
        return False
    return True


# The gate


@pytest.mark.parametrize("profile", PROFILES)
def test_an_operation_passes_if_it_reads(profile):
    client, api = gated(profile), profile.partition("/")[0]
    client.begin_example()
    for operation in client.document.operations.values():
        path = dict.fromkeys(operation.path_names, "x")
        exchange = client.prepare(operation.id, path=path, json={})
        reads = operation.method in ("GET", "HEAD") or (
            operation.method == "POST" and operation.path.endswith(READING_POSTS[api]) and operation.id != "getToken"
        )
        assert passes(client, exchange.method, urlsplit(exchange.url).path) == reads, operation.id
        assert (operation.id in client.traffic.gate.reads) == reads, operation.id
        if not reads:
            with pytest.raises(Skipped, match="--read-only sends no writes"):
                client.call(operation.id, path=path, json={}, expect=None)
    assert client.requests == 0
    assert client.steps == []


@pytest.mark.parametrize("api", apis())
def test_what_reads_is_an_operation_that_posts(api):
    posts = {operation.id for operation in every_operation(api) if operation.method == "POST"}
    facts = apis()[api].reading
    assert {*facts.posts, *facts.log_in} <= posts


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/table/t/describe/drop"),
        ("POST", "/v1/table/t/drop"),
        ("POST", "/v1/table/x%2Fdrop%3F/describe"),
        ("POST", "/v1/table/a%252F..%252Fb/describe"),
        ("POST", "/v1/table/../describe"),
        ("POST", "/v1/table/%2e%2e/describe"),
        ("POST", "/v1/table/x%5C..%5Cdrop/describe"),
        ("POST", "/v1/table/x;drop/describe"),
        ("POST", "/v1/table//describe"),
        ("PUT", "/v1/table/t/describe"),
        ("DELETE", "/v1/table/t/describe"),
        ("PATCH", "/v1/table/t/describe"),
        ("post", "/v1/table/t/drop"),
        ("OPTIONS", "/v1/table/t/describe"),
    ],
)
def test_a_request_that_belongs_to_no_reading_operation_does_not_pass(method, path):
    assert not passes(gated("lance/2026-03"), method, path)


def test_a_server_may_have_a_path_before_that_of_the_document():
    assert passes(gated("lance/2026-03"), "POST", "/somewhere/v1/table/t%24u/describe")
    assert passes(gated("iceberg"), "POST", "/v1/a/b/namespaces/n%1Fm/tables/t/plan")
    assert passes(gated("iceberg"), "POST", "/v1/namespaces/n/tables/t/plan")


@pytest.mark.parametrize("header", ["X-HTTP-Method-Override", "x-method-override"])
def test_no_header_makes_another_method_of_a_request(header):
    assert not passes(gated("lance/2026-03"), "GET", "/v1/table", {header: "DELETE"})


def test_a_token_is_got_to_log_in_and_for_nothing_else():
    client = gated("iceberg")
    assert not passes(client, "POST", "/v1/oauth/tokens")
    with client.logging_in():
        assert passes(client, "POST", "/v1/oauth/tokens")
        assert not passes(client, "POST", "/v1/namespaces")
    assert not passes(client, "POST", "/v1/oauth/tokens")


@pytest.mark.parametrize("send", ["as_", "fork", "located", "raw"])
def test_every_client_of_a_run_has_its_gate(send):
    client = gated("lance/2026-03")
    made = {
        "as_": lambda: client.as_({"Authorization": None}),
        "fork": lambda: client.fork(1.0),
        "located": lambda: client.located(str),
        "raw": lambda: client,
    }[send]()
    with pytest.raises(Skipped):
        made.send(Exchange("DescribeTable", "POST", f"{NOWHERE}/v1/table/t/drop", {}, b""))


def test_steps_that_would_write_are_not_replayed():
    made = Exchange("createNamespace", "POST", f"{NOWHERE}/v1/namespaces", {}, b"{}", 200, {}).to_step()
    finding = Finding("iceberg.x", "behaviour", "", [made], NOWHERE, "lpabcdef")
    target = connect(load_settings({"server": NOWHERE, "api": "iceberg", "read_only": True}, {}))
    replayed = replay(finding, target)
    assert (replayed.state, replayed.why) == ("impossible", "--read-only sends no writes")
    assert target.client.requests == 0


# Runs


class Counting(Proxy):
    """A proxy that keeps method and path of every request."""

    def __init__(self, server: str) -> None:
        super().__init__(server)
        self.requests: list[tuple[str, str]] = []

    def ask(self, method: str, path: str, headers: dict[str, str] | None = None, body: bytes = b"") -> Answer:
        self.requests.append((method, urlsplit(path).path))
        return super().ask(method, path, headers, body)


def reads(api, method, path):
    return method in ("GET", "HEAD") or (method == "POST" and path.endswith(READING_POSTS[api]))


def stock_lance(somebody, _url):
    """Tables with other columns than those of the suite, of several versions and with tags."""
    for name in ("prices", "q", "r", "s"):
        data = stream(pa.table({"k": ["a", "b"], "price": [1.5, 2.5]}))
        somebody.client.create_table(("shop", name), data)
    for version in (1, 2):
        somebody.client.insert_into_table(("shop", "prices"), stream(pa.table({"k": ["c"], "price": [0.5]})))
        somebody.client.create_table_tag(("shop", "prices"), tag=f"v{version}", version=version)


def stock_iceberg(_somebody, url):
    """A namespace with a partitioned table of several files, other tables, views and namespaces."""
    target = connect(load_settings({"server": url, "api": "iceberg", "prefix": "stock"}, environ={}))
    target.client.known.locate = in_prefix("")
    catalog = IcebergCatalog(target)
    catalog.begin_example()
    new_events(catalog, "day")
    for name in ("a", "b", "c"):
        catalog.new_table(name)
        catalog.new_view(f"v{name}")
        catalog.create_namespace((*catalog.home, f"n{name}"))


STOCK = {"lance": stock_lance, "iceberg": stock_iceberg}


@contextmanager
def served(api, lake) -> Iterator[tuple[str, Any]]:
    with serve(api, storage=f"dir:{lake}", **SERVED.get(api, {})) as server:
        yield server.url, SOMEBODY[api](server.url, *([SECRET] if api in CALLER else []))


BOOKS = {"__manifest", ".lakeproof"}  # folders in which a server tidies, and notes what it has looked at


def digests(lake):
    """The files of a stopped server, without those of its own book-keeping, whose content the operations show."""
    files = [path for path in lake.rglob("*") if path.is_file() and not BOOKS & {*path.parts}]
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.parametrize("api", apis())
def test_a_run_reads_what_is_there_and_changes_nothing(api, tmp_path):
    lake, report = tmp_path / "lake", tmp_path / "report"
    with served(api, lake) as (url, somebody):
        fill(somebody, "shop")
        STOCK.get(api, lambda *_: None)(somebody, url)
        content = somebody.content()
    before = digests(lake)
    with served(api, lake) as (url, somebody):
        with Counting(url) as proxy:
            # The proxy takes no body in chunks.
            given: dict[str, Any] = {
                "read_only": True,
                "depth": "smoke",
                "select": "not chunked",
                "report": str(report),
                **CALLER.get(api, {}),
            }
            results, code = check(proxy.url, api=api, **given)
        assert somebody.content() == content
    assert digests(lake) == before
    assert [request for request in proxy.requests if not reads(api, *request)] == []
    exchanges = (report / "exchanges.jsonl").read_bytes().splitlines()
    assert len(proxy.requests) == len(exchanges) == results.run.requests
    assert {entry.verdict for entry in results.requirements} <= {"pass", "skipped", "unoffered"}
    assert code == 0, not_met(results)
    assert results.totals["pass"] >= LEAST_TESTED[api]
    first = (report / "summary.md").read_text().partition("\n")[0]
    tested = f"{results.totals['pass']:,} of {results.run.available:,} requirements"
    assert first.startswith(f"## Read-only: nothing was written. {tested}")
    assert "Read-only: nothing was written." in (report / "report.html").read_text()


def test_queries_and_counts_of_an_existing_table_are_compared(tmp_path):
    plain = [f"lance.query.{name}" for name in ("offset", "arrow_file", "explain.text", "analyze.text")]
    count = "lance.rows.count.all"
    with serve("lance", storage="memory:pure", faults=["count-plus-one"]) as server:
        somebody = SOMEBODY["lance"](server.url)
        fill(somebody, "shop")
        stock_lance(somebody, server.url)
        given: dict[str, Any] = {"read_only": True, "select": " or ".join([count, *plain]), "report": str(tmp_path)}
        results, code = check(server.url, api="lance", table="shop.prices", **given)
    verdicts = {entry.id: entry.verdict for entry in results.requirements}
    assert {name: verdicts[name] for name in (count, *plain)} == {count: "fail", **dict.fromkeys(plain, "pass")}
    assert code == 1


@pytest.mark.parametrize(
    ("api", "given", "said"),
    [
        ("iceberg", {"table": "shop.nothing"}, "--table: there is no table shop.nothing"),
        ("iceberg", {"view": "shop.t"}, "--view: there is no view shop.t"),
        ("lance", {"table": "shop.nothing"}, "--table: there is no table shop.nothing"),
        ("lance", {"view": "shop.t"}, "--view: there is no view shop.t"),
    ],
)
def test_an_object_that_is_named_exists(api, given, said, tmp_path):
    with serve(api) as server:
        fill(SOMEBODY[api](server.url), "shop")
        with pytest.raises(Problem, match=said):
            check(server.url, api=api, read_only=True, report=str(tmp_path), **given)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_reads_the_objects_that_it_is_given(jobs, tmp_path):
    with serve("iceberg") as server:
        somebody = SOMEBODY["iceberg"](server.url)
        fill(somebody, "shop")
        fill(somebody, "other")
        with Counting(server.url) as proxy:
            given: dict[str, Any] = {
                "table": "shop.inner.t",
                "view": "shop.inner.v",
                "report": str(tmp_path),
                "jobs": jobs,
            }
            results, code = check(proxy.url, api="iceberg", read_only=True, select="iceberg.request", **given)
    assert (code, results.totals["fail"], results.totals["warn"]) == (0, 0, 0)
    named = {path for _, path in proxy.requests if "/namespaces/" in path}
    assert [path for path in named if "other" in path] == []
    assert [request for request in proxy.requests if not reads("iceberg", *request)] == []
    assert {path for path in named if "/namespaces/shop%1Finner/tables/t" in path}


@pytest.mark.parametrize("api", ["iceberg", "lance"])
def test_an_empty_catalog_is_no_error(api, tmp_path):
    given: dict[str, Any] = {"select": "page or listing or missing or below", "report": str(tmp_path)}
    with serve(api) as server:
        results, code = check(server.url, api=api, read_only=True, **given)
    assert {entry.verdict for entry in results.requirements} <= {"pass", "skipped", "unoffered"}
    assert code == 0, not_met(results)


MISSING = ("exists.missing", "request.below.load_", "request.other_method.plan_table_scan")


def test_an_empty_catalog_is_asked_for_names_that_cannot_exist(tmp_path):
    """Paths, methods and existence need no object: their requests name one that the run made up."""
    with serve("iceberg") as server:
        select = " or ".join(f"iceberg.{words}" if words.startswith("request") else words for words in MISSING)
        results, code = check(server.url, api="iceberg", read_only=True, select=select, report=str(tmp_path))
    passed = {entry.id for entry in results.requirements if entry.verdict == "pass"}
    assert code == 0
    for words in ("below.load_table", "below.load_view", "other_method.plan_table_scan"):
        assert f"iceberg.request.{words}" in passed
    assert {"iceberg.namespace.exists.missing", "iceberg.table.exists.missing"} <= passed
    assert foreign_names(tmp_path, find_profile("iceberg").document()) == []


WITHOUT_OBJECTS = {
    "iceberg": (
        "iceberg.request.path_no_text.load_table",
        "iceberg.request.broken_json.plan_table_scan",
        "iceberg.credentials.no_success.load_table",
        "iceberg.credentials.status.list_namespaces",
    ),
    "lance": (
        "lance.auth.required.describe_table",
        "lance.auth.required.list_namespaces",
        "lance.body.malformed.table_exists",
        "lance.body.field_types.query_table",
        "lance.identifier.body_other.describe_namespace",
        "lance.identifier.root.list_table_versions",
        "lance.invalid.page_token.list_namespaces",
        "lance.pagination.complete.list_tables",
        "lance.parent.table.get_table_stats",
        "lance.place.namespace_missing.list_table_tags",
    ),
    "polaris": (
        "polaris.missing.prefix.load_policy",
        "polaris.names.path.get_principal",
        "iceberg.request.path_no_text.load_table",
        "iceberg.credentials.no_success.load_table",
    ),
}


@pytest.mark.parametrize("api", apis())
def test_names_tokens_and_bodies_need_no_object(api, tmp_path):
    """On an empty server that wants a token, what is refused whether an object exists or not is tested."""
    names = WITHOUT_OBJECTS[api]
    access = CALLER.get(api, {"token": SECRET})
    served_by = SERVED.get(api, {"auth": f"token:{SECRET}"})
    with serve(api, **served_by) as server:
        given: dict[str, Any] = {"select": " or ".join(names), "report": str(tmp_path), "depth": "smoke", **access}
        results, code = check(server.url, api=api, read_only=True, **given)
    assert {entry.id: entry.verdict for entry in results.requirements} == dict.fromkeys(names, "pass")
    assert code == 0


class LooksFirst(Proxy):
    """A server that looks for the object of a request before it reads the body; `broken` is its status for one."""

    def __init__(self, server: str, broken: int) -> None:
        super().__init__(server)
        self.broken = broken

    def ask(self, method: str, path: str, headers: dict[str, str] | None = None, body: bytes = b"") -> Answer:
        if body and not body.startswith(b"{}") and self.broken:
            return Answer(self.broken, {"Content-Type": "application/json"}, b'{"error": "broken", "code": 18}')
        return super().ask(method, path, headers, b"{}" if body else body)


@pytest.mark.parametrize(("broken", "verdict"), [(0, "skipped"), (500, "fail")])
def test_a_missing_object_shows_a_defect_unless_the_server_looks_for_it_first(broken, verdict, tmp_path):
    """A 404 for an invalid request on a missing object is no evidence; a server error for it is a finding."""
    names = ["lance.body.malformed.table_exists", "lance.body.not_object.count_table_rows"]
    with serve("lance") as server, LooksFirst(server.url, broken) as proxy:
        given: dict[str, Any] = {"select": " or ".join(names), "report": str(tmp_path), "depth": "smoke"}
        results, _ = check(proxy.url, api="lance", read_only=True, **given)
    assert {entry.id: entry.verdict for entry in results.requirements} == dict.fromkeys(names, verdict)


def test_what_a_read_only_run_did_not_see_is_not_called_missing(tmp_path):
    """On an empty server nothing shows whether namespaces nest: no requirement is unoffered for that."""
    with serve("lance") as server:
        given: dict[str, Any] = {"select": "parent or place or root_delimiter", "report": str(tmp_path)}
        results, code = check(server.url, api="lance", read_only=True, **given)
    assert ({entry.verdict for entry in results.requirements}, code) == ({"pass", "skipped"}, 0)


def test_the_root_may_be_the_home_of_a_read_only_run(tmp_path):
    with serve("lance") as server:
        somebody = SOMEBODY["lance"](server.url)
        somebody.namespace("shop")
        somebody.table("t")
        given: dict[str, Any] = {"select": "identifier.root_delimiter", "report": str(tmp_path)}
        results, code = check(server.url, api="lance", read_only=True, **given)
    assert ([entry.verdict for entry in results.requirements], code) == (["pass"], 0)


def test_a_missing_version_is_one_that_no_table_has(tmp_path):
    """An existing table may have thousands of versions."""
    with serve("lance", storage="memory:pure") as server:
        SOMEBODY["lance"](server.url).table("t")
        given: dict[str, Any] = {"select": "version_missing or past.missing", "report": str(tmp_path)}
        results, code = check(server.url, api="lance", read_only=True, **given)
    sent = (tmp_path / "exchanges.jsonl").read_text()
    versions = {int(number) for number in re.findall(r'\\"version\\":\s*(\d+)', sent)}
    assert (results.totals["pass"] >= 10, code) == (True, 0)
    assert versions == {MISSING_VERSION}
    assert MISSING_VERSION > 10**9


def test_a_server_without_catalogs_has_no_findings_for_that(tmp_path):
    """Operations on a catalog are skipped where none exists, and the path parameter is never sent as it is."""
    select = "iceberg.request.unknown_path or iceberg.parameter.unusual.list_namespaces or polaris.missing.prefix"
    with serve("polaris", **SERVED["polaris"]) as server, Counting(server.url) as proxy:
        given: dict[str, Any] = {"select": select, "report": str(tmp_path), "depth": "smoke", **CALLER["polaris"]}
        results, code = check(proxy.url, api="polaris", read_only=True, **given)
    verdicts = {entry.id: entry.verdict for entry in results.requirements}
    assert (verdicts.pop("iceberg.request.unknown_path"), code) == ("skipped", 0)
    assert {*verdicts.values()} == {"pass", "skipped"}
    assert [path for _, path in proxy.requests if "{" in unquote(path)] == []


@pytest.mark.parametrize(
    ("api", "select", "least"), [("iceberg", "iceberg.levels.missing", 9), ("lance", "lance.parent", 18)]
)
def test_missing_namespaces_below_existing_ones_are_read(api, select, least, tmp_path):
    with serve(api) as server:
        fill(SOMEBODY[api](server.url), "shop")
        results, code = check(server.url, api=api, read_only=True, select=select, report=str(tmp_path))
    assert {entry.verdict for entry in results.requirements} == {"pass", "skipped"}
    assert (code, results.totals["pass"] >= least) == (0, True)
    assert foreign_names(tmp_path, find_profile(api).document(), "shop") == []


def test_a_table_needs_a_read_only_run():
    with pytest.raises(Problem, match="--table names an object for a read-only run"):
        load_settings({"table": "a.b"}, {})
