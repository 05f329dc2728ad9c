"""Clean-up of a run: drops all that it made, leaves the objects of others, reports what it cannot drop."""

from __future__ import annotations

import json
import re
from collections import Counter
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock
from urllib.parse import urlsplit

import msgspec
import pytest

from conformance.apis import requirements
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.inventory import IcebergInventory
from conformance.lance.catalog import LanceCatalog
from conformance.lance.inventory import LanceInventory
from conformance.polaris.inventory import PolarisInventory
from conformance.run.selection import Scope
from conformance.run.session import Session
from conformance.target.findable import ordered
from conformance.target.standing import Standing
from conformance.values.exchange import Exchange
from conformance.values.outcomes import Blocked, Violation
from conformance.values.resources import (
    NAMESPACE,
    REGISTRATION,
    TABLE,
    VIEW,
    Leftovers,
    Resource,
    names_of,
    summary,
)
from conformance.values.settings import load_settings
from lakeproof import check, serve
from reference_server.faults import HEADER
from specs.problems import Problem
from specs.profiles import find_profile
from tests.conformance.proxy import Answer as ProxyAnswer
from tests.conformance.proxy import Proxy
from tests.conformance.small_servers import Meddler, say, turn_away
from tests.conformance.somebody import SOMEBODY, fill
from tests.conformance.strange_server import Habits, StrangeServer

APIS = ("lance", "iceberg")
CATALOGS: dict[str, Any] = {"lance": LanceCatalog, "iceberg": IcebergCatalog}
INVENTORIES: dict[str, Any] = {"lance": LanceInventory, "iceberg": IcebergInventory}


@contextmanager
def session_with(url, api, folder, **settings):
    given = {"server": url, "api": api, "report": str(folder), "timeout": 5.0, **settings}
    session = Session(load_settings(given, environ={}))
    try:
        session.client.begin([])
        yield session
    finally:
        session.finish()


@pytest.fixture(params=APIS)
def api(request):
    return request.param


@pytest.fixture
def server(api):
    own: dict[str, Any] = {"namespaces": ("given",)} if api == "iceberg" else {}
    with serve(api, **own) as server:
        if api == "lance":
            SOMEBODY[api](server.url).namespace("given")
        yield server


@pytest.fixture
def session(server, api, tmp_path):
    with session_with(server.url, api, tmp_path) as session:
        yield session


@pytest.fixture
def somebody(server, api):
    return SOMEBODY[api](server.url)


# What is there at the end of a run


PAIR = {"source": {"namespace": ["lp1"], "name": "t"}, "destination": {"namespace": ["lp2"], "name": "u"}}
MADE = [
    (LanceInventory, "CreateTable", "/v1/table/lp1%24t/create", {}, Resource(TABLE, ("lp1", "t"))),
    (LanceInventory, "DescribeTable", "/v1/table/lp1$t/describe", {}, None),
    (LanceInventory, "RenameTable", "/v1/table/lp1$t/rename", {"new_table_name": "u"}, Resource(TABLE, ("lp1", "u"))),
    (
        IcebergInventory,
        "createNamespace",
        "/v1/p/namespaces",
        {"namespace": ["lp1", "a"]},
        Resource(NAMESPACE, ("lp1", "a")),
    ),
    (
        IcebergInventory,
        "createTable",
        "/v1/namespaces/lp1%1Fa/tables",
        {"name": "t"},
        Resource(TABLE, ("lp1", "a", "t")),
    ),
    (IcebergInventory, "createTable", "/v1/namespaces/lp1/tables", {"name": 5}, None),
    (IcebergInventory, "updateTable", "/v1/p/namespaces/lp1/tables/t", {}, Resource(TABLE, ("lp1", "t"))),
    (IcebergInventory, "renameView", "/v1/views/rename", PAIR, Resource(VIEW, ("lp2", "u"))),
    (IcebergInventory, "renameView", "/v1/views/rename", {}, None),
    (PolarisInventory, "createPolicy", "/lpc/namespaces/lp1/policies", {"name": "p"}, Resource("policy", ("lp1", "p"))),
    (PolarisInventory, "createCatalog", "/v1/catalogs", {"catalog": {"name": "lpc"}}, Resource("catalog", ("lpc",))),
    (PolarisInventory, "createPrincipalRole", "/v1/principal-roles", {"name": "r"}, Resource("principal role", ("r",))),
    (
        PolarisInventory,
        "createCatalogRole",
        "/lpc/catalog-roles",
        {"name": "r"},
        Resource("catalog role", ("lpc", "r")),
    ),
]


@pytest.mark.parametrize(("kind", "operation", "path", "body", "thing"), MADE)
def test_what_a_recorded_request_may_make_is_known(kind, operation, path, body, thing):
    api = kind.__module__.split(".")[1]
    inventory = kind(MagicMock(document=find_profile(api).document(), capabilities={}))
    request = Exchange(operation, "POST", f"http://127.0.0.1{path}", {}, json.dumps(body).encode())
    assert inventory.made_by(request) == thing


@pytest.mark.parametrize(("api", "fault"), [("lance", "list-empty"), ("iceberg", "lists-empty")])
def test_what_findings_make_again_is_dropped_where_no_list_shows_it(api, fault, tmp_path):
    with serve(api, allow_faults=True) as server:
        given: dict[str, Any] = {"header": [f"{HEADER}: {fault}"], "select": f"{api}.listing", "leave_behind": True}
        results, _ = check(server.url, api=api, report=str(tmp_path), **given)
        assert results.totals["fail"]
        assert SOMEBODY[api](server.url).there() == set()


@pytest.mark.parametrize(("api", "drop"), [("lance", "DropNamespace"), ("iceberg", "dropNamespace")])
def test_what_is_there_after_its_drop_is_not_dropped_after_each_finding(api, drop, tmp_path):
    """Else a run that finds a hundred things asks ten thousand times."""

    def dropped(server, session, name, **kind):
        SOMEBODY[api](server.url).namespace(f"{session.target.prefix}_{name}")
        session.client.begin_example()
        session.target.sandbox.sweep(**kind)
        asked = [step.url for step in session.client.steps if step.operation == drop]
        return sorted(name for name in "abc" if any(f"_{name}" in url for url in asked))

    with (
        serve(api, faults=[f"said-only:{drop}"]) as server,
        session_with(server.url, api, tmp_path, leave_behind=True) as session,
    ):
        assert dropped(server, session, "a", end=False) == ["a"]
        assert dropped(server, session, "b", end=False) == ["b"]
        assert dropped(server, session, "c") == ["a", "b", "c"]
        assert {left.name[-2:] for left in session.target.sandbox.left_behind} >= {"_a", "_b", "_c"}


def test_what_a_server_made_by_itself_is_dropped(server, session, somebody):
    before = somebody.there()
    fill(somebody, f"{session.target.prefix}_stray")
    somebody.namespace(f"{session.target.prefix}_other")
    session.target.sandbox.sweep()
    assert somebody.there() == before
    assert session.target.sandbox.left_behind == []


def test_things_of_others_stay(session, somebody):
    for name in ("theirs", f"the_{session.target.prefix}", "lp000000_1"):
        fill(somebody, name)
    before = somebody.there()
    fill(somebody, f"{session.target.prefix}_stray")
    session.target.sandbox.sweep()
    assert somebody.there() == before


def test_what_was_noted_is_dropped_whatever_is_in_it(session, somebody, api):
    before = somebody.there()
    catalog = CATALOGS[api](session.target)
    catalog.begin_example()
    home = catalog.home
    fill(somebody, *home, "n")
    session.target.sandbox.clean_up()
    assert somebody.there() == before
    session.target.sandbox.sweep()
    assert session.target.sandbox.left_behind == []


def test_in_a_given_namespace_only_what_has_the_prefix_is_dropped(server, api, tmp_path):
    with session_with(server.url, api, tmp_path, namespace="given") as session:
        somebody, prefix = SOMEBODY[api](server.url), session.target.prefix
        fill(somebody, "given", "theirs")
        somebody.table("given", "their_table")
        before = somebody.there()
        fill(somebody, "given", f"{prefix}_stray")
        somebody.table("given", f"{prefix}_t")
        somebody.view("given", f"{prefix}_v")
        session.target.sandbox.sweep()
        assert somebody.there() == before
        assert session.target.sandbox.left_behind == []


def test_nothing_that_is_of_others_can_be_dropped_by_name(session, somebody):
    fill(somebody, "theirs")
    before, asked = somebody.there(), len(session.client.steps)
    for thing in (
        Resource(NAMESPACE, ("theirs",)),
        Resource(NAMESPACE, ()),
        Resource(TABLE, ("theirs", "t")),
        Resource(REGISTRATION, ("theirs", "t")),
    ):
        assert session.target.sandbox.inventory.drop(thing) is None
    assert len(session.client.steps) == asked
    assert somebody.there() == before


def test_names_that_were_refused_are_not_told_as_left_behind(session, somebody, api):
    prefix = session.target.prefix
    catalog = CATALOGS[api](session.target)
    catalog.begin_example()
    with suppress(Blocked, Violation):
        catalog.create_namespace((f"{prefix}_n", "no", "parents"))
    for name in ("..", "a/b", "", "x" * 1000):
        catalog.sandbox.note(TABLE, [(*catalog.home, name)])
        catalog.sandbox.note(NAMESPACE, [(*catalog.home, name)])
    session.target.sandbox.sweep()
    assert session.target.sandbox.left_behind == []


# Registrations


@contextmanager
def registered(api, folder, meddle=lambda *_: False):
    """A session with a registration of the files of a table of others."""
    with ExitStack() as stack:
        server = stack.enter_context(serve(api, storage=f"dir:{folder / 'lake'}"))
        proxy = stack.enter_context(Meddler(server.url, meddle))
        session = stack.enter_context(session_with(proxy.url, api, folder / "report"))
        somebody = SOMEBODY[api](server.url)
        somebody.namespace("theirs")
        somebody.table("theirs", "t")
        catalog = CATALOGS[api](session.target)
        catalog.begin_example()
        id = (*catalog.home, "foreign")
        if api == "iceberg":
            location = somebody.client.load_table(("theirs", "t"))["metadata-location"]
            somebody.client.drop_table(("theirs", "t"))
            catalog.register_foreign(id, location, expect=200)
        else:
            location = somebody.client.deregister_table(("theirs", "t"))["location"]
            catalog.register_foreign(id, location.rstrip("/").rsplit("/", 1)[-1], expect=200)
        session.client.begin_example()
        yield session, Path(urlsplit(location).path), somebody


def drops(session):
    """Return the requests to drop the registration, as operations and their queries."""
    asked = [step for step in session.client.steps if step.operation in DROPS and "foreign" in step.url]
    return [(step.operation, urlsplit(step.url).query) for step in asked]


DROPS = ("dropTable", "DropTable", "DeregisterTable")


def harmless(dropped):
    return [drop for drop in dropped if drop[0] == "DropTable" or "purge" in drop[1]] == []


@pytest.mark.parametrize("look", [False, True])
def test_a_registration_is_taken_out_and_its_files_stay(api, look, tmp_path):
    with registered(api, tmp_path) as (session, place, somebody):
        session.target.sandbox.clean_up(look=look)
        assert drops(session)
        assert harmless(drops(session))
        assert place.exists()
        session.target.sandbox.sweep()
        assert session.target.sandbox.left_behind == []
        assert somebody.there() == {("theirs",)}
        assert place.exists()


@pytest.mark.parametrize("look", [False, True])
def test_a_registration_that_is_not_dropped_at_once_keeps_its_files_too(api, look, tmp_path):
    """The server refuses each drop once: what is listed later is a table to see, and still no table to purge."""
    refused = set()

    def meddle(_, handler, __):
        is_drop = handler.command == "DELETE" or handler.path.partition("?")[0].endswith(("/drop", "/deregister"))
        if "foreign" not in handler.path or not is_drop or handler.path in refused:
            return False
        refused.add(handler.path)
        return turn_away(handler, 500)

    with registered(api, tmp_path, meddle) as (session, place, somebody):
        session.target.sandbox.clean_up(look=look)
        session.target.sandbox.sweep()
        assert refused
        assert session.target.sandbox.left_behind == []
        assert somebody.there() == {("theirs",)}
        assert place.exists()
        assert harmless(drops(session))


# Servers that cannot drop


def strange(url, api, seed=1):
    return StrangeServer(url, Habits(seed, {"no_drops": 1.0}, 0))


def test_how_much_would_stay_follows_from_the_selection(server, api, tmp_path):
    with strange(server.url, api) as proxy, pytest.raises(Problem) as caught:
        check(proxy.url, api=api, report=str(tmp_path), select=f"{api}.namespace.create.conflict")
    assert "Up to 1 of each would stay" in str(caught.value)


@pytest.mark.parametrize("seed", range(4))
def test_a_server_that_cannot_drop_is_told_before_the_run(server, api, seed, tmp_path):
    """The message has the request and the answer that show it, and what was made to find out: one thing at most."""
    with strange(server.url, api, seed) as proxy, pytest.raises(Problem) as caught:
        check(proxy.url, api=api, report=str(tmp_path))
    assert "cannot drop" in str(caught.value)
    assert re.search(r"(DELETE|POST) http\S+ returns (404|405|501) \(no such route\)", str(caught.value))
    profile = find_profile(api)
    count = sum(map(Scope.of(profile, profile.document()).has, requirements(api).values()))
    assert f"Up to {count:,} of each would stay" in str(caught.value)
    assert "--leave-behind" in caught.value.hint
    assert "--namespace" in caught.value.hint
    left = SOMEBODY[api](server.url).there() - {("given",)}
    assert len(left) <= 1
    assert [id for id in left if f"still there: namespace {'.'.join(id)}" not in str(caught.value)] == []


@pytest.mark.parametrize("status", [404, 405])
def test_without_a_word_of_the_server_it_is_asked_to_drop_something_that_is_there(server, api, status, tmp_path):
    def meddle(_server, handler, _number):
        path = handler.path.partition("?")[0]
        drops = handler.command == "DELETE" or path.endswith("/drop")
        return drops and say(handler, status, "no such route")

    with Meddler(server.url, meddle) as proxy, pytest.raises(Problem, match="cannot drop namespaces") as caught:
        check(proxy.url, api=api, report=str(tmp_path))
    (left,) = SOMEBODY[api](server.url).there() - {("given",)}
    assert f"still there: namespace {left[0]}." in str(caught.value)
    assert re.search(rf"{left[0]}\S* returns {status} ", str(caught.value))


def test_what_a_server_could_not_drop_is_listed(server, api, tmp_path):
    with strange(server.url, api) as proxy:
        results, _ = check(
            proxy.url, api=api, report=str(tmp_path), leave_behind=True, select=f"{api}.table.create", depth="smoke"
        )
    left: Any = results.run.left_behind
    there = SOMEBODY[api](server.url).there() - {("given",)}
    assert there
    assert sorted(names_of(left)) == sorted(".".join(id) for id in there)
    assert {group.kind for group in left} >= {"table", "namespace"}
    assert [group for group in left if not group.reason] == []
    lines = summary(left)
    assert len(lines) == len(left) == len({(group.kind, group.reason) for group in left}) < len(there)
    assert sum(int(line.split(maxsplit=1)[0].replace(",", "")) for line in lines) == len(there)
    written = json.loads((tmp_path / "results.json").read_text())
    assert msgspec.convert(written["run"]["left_behind"], list[Leftovers]) == left
    page = (tmp_path / "report.html").read_text()
    assert [line for line in lines if f"left behind: {line.split(' (')[0]}" not in page] == []
    assert "&#39;kind&#39;" not in page
    assert "'kind'" not in page


def test_a_given_namespace_that_is_not_there_is_a_problem(server, api, tmp_path):
    with pytest.raises(Problem, match=r"the namespace given\.nothing does not exist") as caught:
        check(server.url, api=api, report=str(tmp_path), namespace="given.nothing")
    assert "--namespace" in caught.value.hint
    assert SOMEBODY[api](server.url).there() == {("given",)}


def test_a_server_that_cannot_drop_is_judged_in_one_namespace(server, api, tmp_path):
    with strange(server.url, api) as proxy:
        given: dict[str, Any] = {
            "namespace": "given",
            "select": f"{api}.table.create",
            "depth": "smoke",
            "report": str(tmp_path),
        }
        results, _ = check(proxy.url, api=api, **given)
    assert results.run.left_behind
    assert {id[0] for id in SOMEBODY[api](server.url).there()} == {"given"}


# Servers that create nothing


CREATING = re.compile(r"/(namespaces|tables|views|register|register-view|create|create-empty|declare)$")
DROPPING = re.compile(r"/(drop|deregister)$")


def without_creations(status, *, drops=False):
    """A server that refuses every creation with this status, and where asked every drop."""

    def meddle(_server, handler, _number):
        path = urlsplit(handler.path).path
        creates = handler.command == "POST" and CREATING.search(path)
        dropped = handler.command == "DELETE" or DROPPING.search(path)
        return bool(creates or (drops and dropped)) and turn_away(handler, status)

    return meddle


@pytest.mark.parametrize(("status", "drops", "verdict"), [(403, False, "blocked"), (406, True, "unoffered")])
def test_a_server_that_refuses_all_creations_gets_few_and_keeps_nothing(server, api, status, drops, verdict, tmp_path):
    given: dict[str, Any] = {
        "select": {"lance": "lance.tag.", "iceberg": "iceberg.commit."}[api],
        "depth": "smoke",
        "report": str(tmp_path),
        "leave_behind": True,
    }
    with Meddler(server.url, without_creations(status, drops=drops)) as proxy:
        results, _ = check(proxy.url, api=api, **given)
    assert results.run.left_behind == []
    assert results.totals[verdict] > 40
    lines = [json.loads(line) for line in (tmp_path / "exchanges.jsonl").read_text().splitlines()]
    inventory, sent = INVENTORIES[api], Counter(line["operation"] for line in lines)
    makers = [maker for kind in inventory.makers.values() for maker in kind]
    assert sum(sent[maker] for maker in makers) < 40
    assert sum(sent[drop] for drop in {*inventory.drops.values()}) < 10


def test_a_server_that_shows_everything_shows_nothing(server, api, tmp_path):
    """Its loads succeed for names that never existed: they prove no object, while its listings do."""
    showing = False

    def meddle(_server, handler, _number):
        path = urlsplit(handler.path).path
        shows = (
            handler.command in ("GET", "HEAD") and "/namespaces/" in path and not path.endswith(("/tables", "/views"))
        )
        drops = handler.command == "DELETE" or DROPPING.search(path)
        if showing and (shows or path.endswith(("/exists", "/describe"))):
            return say(handler, 200, {})
        return showing and bool(drops) and turn_away(handler, 403)

    with Meddler(server.url, meddle) as proxy, session_with(proxy.url, api, tmp_path) as session:
        somebody, sandbox = SOMEBODY[api](server.url), session.target.sandbox
        there, absent = (f"{session.target.prefix}{name}" for name in ("there", "absent"))
        somebody.namespace(there)
        showing = True
        sandbox.noted = {Resource(NAMESPACE, (name,)): Standing.OPEN for name in (there, absent)}
        sandbox.sweep()
        assert [left.name for left in sandbox.left_behind] == [there]


class LosingProxy(Proxy):
    """A proxy to a server that creates objects and answers 500, once it is `losing` answers."""

    losing = False

    def answer(self, handler, body):
        creates = handler.command == "POST" and re.search(r"/(namespaces|create)$", urlsplit(handler.path).path)
        answer = self.ask(handler.command, handler.path, dict(handler.headers.items()), body)
        self.send(handler, ProxyAnswer(500, {}, b"") if creates and self.losing else answer)


def test_what_was_made_and_answered_with_500_is_dropped(server, api, tmp_path):
    with LosingProxy(server.url) as proxy, session_with(proxy.url, api, tmp_path) as session:
        catalog = CATALOGS[api](session.target)
        catalog.begin_example()
        proxy.losing = True
        with suppress(Blocked, Violation):
            assert catalog.home
        somebody = SOMEBODY[api](server.url)
        assert somebody.there() > {("given",)}
        session.target.sandbox.clean_up()
        assert somebody.there() == {("given",)}
        assert session.target.sandbox.doubtful == {}


# Small things


def test_contents_come_before_namespaces_and_those_from_the_deepest_up():
    a, ab, abc = (Resource(NAMESPACE, tuple("abc")[:length]) for length in (1, 2, 3))
    table, view = Resource(TABLE, ("a", "t")), Resource(VIEW, ("a", "v"))
    assert ordered([a, abc, table, ab, view]) == [table, view, abc, ab, a]


def test_registrations_come_before_tables_whose_files_they_may_share():
    table, registration = Resource(TABLE, ("a", "t")), Resource(REGISTRATION, ("a", "again"))
    assert ordered([table, registration]) == [registration, table]
