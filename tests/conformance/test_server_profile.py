"""Each line that a run prints about its server, against small servers for which the line would be false."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from conformance.after.runner import run
from conformance.http.gate import reads_of
from conformance.run.session import Session
from conformance.target.fallbacks import Fallbacks, Ways
from conformance.target.server_profile import server_profile
from conformance.values.outcomes import Stopped
from conformance.values.settings import load_settings
from lakeproof import serve
from specs.apis import apis
from specs.profiles import find_profile
from tests.conformance.small_servers import Meddler
from tests.conformance.somebody import SOMEBODY, fill

NAMESPACES = "/v1/namespaces"
SERVED: dict[str, dict[str, Any]] = {"polaris": {"bootstrap": "root:secret"}}
CALLER: dict[str, dict[str, Any]] = {"polaris": {"credential": "root:secret"}}


def lines(url, folder, api="iceberg", **given):
    """Return the lines after the first requests, by name."""
    session = Session(load_settings({"server": url, "api": api, "report": str(folder), **given}, environ={}))
    try:
        return {trait.name: trait for trait in server_profile(session.target)}
    finally:
        session.target.sandbox.sweep()
        session.finish()


class Changing(Meddler):
    """A server whose answers `change(self, handler, body)` makes where it returns one."""

    def __init__(self, server, change):
        super().__init__(server, lambda *_: False)
        self.change = change

    def answer(self, handler, body):
        changed = self.change(self, handler, body)
        if changed is None:
            super().answer(handler, body)
        else:
            self.send(handler, changed)

    def asked_of(self, handler, body):
        return self.ask(handler.command, handler.path, dict(handler.headers.items()), body)


def inner(handler, body):
    """True for the creation of a namespace in another one."""
    create = (handler.command, handler.path) == ("POST", NAMESPACES)
    return create and len(json.loads(body or b"{}").get("namespace", ())) > 1


def as_created(server, handler, body):
    return replace(server.asked_of(handler, body), status=201) if inner(handler, body) else None


def only_acknowledged(server, handler, body):
    if not inner(handler, body):
        return None
    answer = server.ask("GET", "/v1/config")
    return replace(answer, body=json.dumps({"namespace": json.loads(body)["namespace"], "properties": {}}).encode())


def failing(server, handler, body):
    return replace(server.ask("GET", "/v1/config"), status=500, body=b"{}") if inner(handler, body) else None


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda *_: None, "nested"),
        (as_created, "nested"),
        (only_acknowledged, "nested (nothing shows the inner one)"),
        (failing, "one level (createNamespace returned 500 for a namespace in another)"),
    ],
)
def test_namespaces_nest_as_they_were_created_and_shown(change, line, tmp_path):
    with serve("iceberg") as server, Changing(server.url, change) as changed:
        assert lines(changed.url, tmp_path)["namespaces"].value == line


def test_a_server_that_creates_no_namespace_is_not_told_to_have_only_the_root(tmp_path):
    with serve("lance", rules=["CreateNamespace: 500"]) as server:
        line = lines(server.url, tmp_path, "lance")["namespaces"].value
    assert line == "only the root (CreateNamespace returned 500)"


def test_a_run_that_creates_no_namespace_says_nothing_about_levels(tmp_path):
    with serve("iceberg", namespaces=("shop",), rules=["createNamespace: 406"]) as server:
        assert lines(server.url, tmp_path, namespace="shop")["namespaces"].value == "not tried"


def page(server, handler, body):
    """Return the names and the token of the page of one namespace that is asked for, None for other requests."""
    query = parse_qs(urlsplit(handler.path).query)
    if handler.command != "GET" or not handler.path.startswith(NAMESPACES) or query.get("pageSize") != ["1"]:
        return None
    whole = json.loads(server.ask("GET", NAMESPACES).body)["namespaces"]
    return server.asked_of(handler, body), whole


def too_large(server, handler, body):
    if found := page(server, handler, body):
        answer, whole = found
        return replace(answer, body=json.dumps({"namespaces": whole, "next-page-token": "more"}).encode())
    return None


def without_the_last(server, handler, body):
    if found := page(server, handler, body):
        answer, whole = found
        names = [["somebody"], ["else"], *whole[:-1]]
        return replace(answer, body=json.dumps({"namespaces": names}).encode())
    return None


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda *_: None, "in pages"),
        (too_large, "in pages, larger than asked for"),
        (without_the_last, "cut short, without a token for the rest"),
    ],
)
def test_listings_are_told_as_the_page_of_one_was_answered(change, line, tmp_path):
    with serve("iceberg") as server, Changing(server.url, change) as changed:
        assert lines(changed.url, tmp_path)["listings"].value == line


def only_the_first(server, handler, body):
    """Refuse the namespaces beside the first one."""
    names = json.loads(body or b"{}").get("namespace", ()) if handler.path == NAMESPACES else ()
    if any(name.endswith(("nest", "other")) for name in names):
        return replace(server.ask("GET", "/v1/config"), status=400, body=b"{}")
    return None


def test_a_listing_of_one_namespace_says_nothing_about_pages(tmp_path):
    with serve("iceberg", like="no-pages") as server, Changing(server.url, only_the_first) as changed:
        assert "listings" not in lines(changed.url, tmp_path)


def test_drops_are_told_when_the_clean_up_has_ended(tmp_path):
    kept = []
    with serve("iceberg") as server:
        given = {"server": server.url, "api": "iceberg", "report": str(tmp_path), "select": "iceberg.namespace.drop"}
        results, _ = run(load_settings(given, environ={}), keep=kept.append)
    drops = [next(trait.value for trait in made.target.traits if trait.name == "drops") for made in (kept[0], results)]
    assert drops == ["not known before the clean-up ends", "all objects of the run"]


def elsewhere(server, handler, body):
    """Ignore the location of a new table."""
    if handler.command != "POST" or not handler.path.endswith("/tables"):
        return None
    asked = {name: value for name, value in json.loads(body).items() if name != "location"}
    return server.ask("POST", handler.path, dict(handler.headers.items()), json.dumps(asked).encode())


def test_tables_are_told_to_lie_where_they_were_seen(tmp_path):
    place = f"file://{tmp_path / 'lake' / 'tables'}"
    with (
        serve("iceberg", warehouses=(f"here=file://{tmp_path / 'lake'}",)) as server,
        Changing(server.url, elsewhere) as ignoring,
    ):
        given = {"location": place, "warehouse": "here"}
        kept, ignored = (lines(url, tmp_path, **given)["places of tables"] for url in (server.url, ignoring.url))
    assert (kept.value, kept.refused) == (f"below {place}", {})
    assert ignored.value == "where the server puts them"
    assert ignored.refused["below the given location"].startswith(f"the table is at file://{tmp_path}/lake")


def unplaced(server, handler, body):
    """Ignore the location of a declared table."""
    if not handler.path.endswith("/declare"):
        return None
    asked = {name: value for name, value in json.loads(body).items() if name != "location"}
    return server.ask("POST", handler.path, dict(handler.headers.items()), json.dumps(asked).encode())


def placed(server, handler, body):
    """Return the location that a request names as that of the declared table."""
    if not (answer := unplaced(server, handler, body)):
        return None
    return replace(answer, body=json.dumps({**json.loads(answer.body), **json.loads(body)}).encode())


CHOSEN = "below the given location where the request names one"


@pytest.mark.parametrize(
    ("change", "line", "why"),
    [
        (placed, "below {} where the request names one, others where the server puts them", ""),
        (unplaced, "where the server puts them", "the declared table is at"),
        (lambda *_: None, "where the server puts them", "DeclareTable: expected 200, got 400"),
    ],
)
def test_declared_tables_are_told_to_lie_where_they_were_seen(change, line, why, tmp_path):
    """CreateTable of Lance names no location: its tables lie where the server puts them, whatever --location says."""
    place = f"file://{tmp_path / 'elsewhere'}"
    with serve("lance") as server, Changing(server.url, change) as changed:
        told = lines(changed.url, tmp_path, "lance", location=place)["places of tables"]
    assert told.value == line.format(place)
    assert why in told.refused.get(CHOSEN, "") if why else not told.refused


@pytest.mark.parametrize(("api", "operation"), [("lance", "CreateNamespace"), ("iceberg", "createNamespace")])
def test_a_way_that_failed_at_first_is_not_told_to_fail_always(api, operation, tmp_path):
    """A server that is still starting refuses the first creations, and takes those of the requirements."""
    with serve(api, rules=[f"{operation}: 400 x8"]) as server:
        line = lines(server.url, tmp_path, api)["namespace"].value
    assert line == "none of the ways tried before the first requirement worked"


def test_no_table_lies_anywhere_where_none_was_created(tmp_path):
    with serve("lance", rules=["CreateTable: 500", "DeclareTable: 500", "RegisterTable: 500"]) as server:
        line = lines(server.url, tmp_path, "lance")["places of tables"].value
    assert line == "none of the ways tried before the first requirement worked"


def test_a_way_that_the_end_of_the_run_cut_off_is_not_told(tmp_path):
    catalog = SimpleNamespace(inventory=SimpleNamespace(may_offer=lambda _: True), begin_example=lambda: None)
    ways = Ways()
    with pytest.raises(Stopped):
        ways.find((Fallbacks("table", ("createTable",), ("first",), stop),), catalog)
    assert (ways.chosen, ways.refused) == ({}, {})


def stop(_):
    raise Stopped("the run is over", "createTable")


EMPTY = re.compile(r"(\[\]\}| \{\})$")  # requests of the first probes that name nothing


class Listening(Meddler):
    """A proxy that keeps path and body of each request that creates something."""

    def __init__(self, server):
        super().__init__(server, lambda *_: False)
        self.writes = []

    def answer(self, handler, body):
        if handler.command in ("POST", "PUT") and "oauth" not in handler.path:
            self.writes.append(f"{handler.path} {body.decode(errors='replace')}")
        super().answer(handler, body)


@pytest.mark.parametrize("api", apis())
def test_names_of_the_run_are_told_as_they_are_sent(api, tmp_path):
    """A prefix may have an underscore, and a table in a namespace of the run has no prefix."""
    with serve(api, **SERVED.get(api, {})) as server, Listening(server.url) as proxy:
        told = lines(proxy.url, tmp_path, api, prefix="team_", **CALLER.get(api, {}))
    prefix = re.fullmatch(r"contain (team_\w+), or lie below one that does", told["names"].value)
    assert prefix
    assert [request for request in proxy.writes if prefix[1] not in request and not EMPTY.search(request)] == []


def test_what_lies_beside_the_namespaces_of_a_run_is_told(tmp_path):
    with serve("polaris", **SERVED["polaris"]) as server:
        line = lines(server.url, tmp_path, "polaris", **CALLER["polaris"])["the run stays"].value
    assert line == "below the root, with catalog roles and catalogs and principal roles and principals beside it"


@pytest.mark.parametrize(
    ("api", "reads"),
    [
        ("iceberg", "table shop.t, view shop.v, 3 namespaces"),
        ("lance", "table shop.t, 3 namespaces"),
        ("polaris", "1 principal, 1 principal role"),
    ],
)
def test_a_read_only_run_tells_what_it_asks_and_reads(api, reads, tmp_path):
    """An operation that the configuration alone names was not asked; namespaces and roles are read, too."""
    with serve(api, **SERVED.get(api, {})) as server:
        if api != "polaris":
            fill(SOMEBODY[api](server.url), "shop")
        told = lines(server.url, tmp_path, api, read_only=True, **CALLER.get(api, {}))
    profile = find_profile(told["revision"].value.partition(":")[0])
    writing = profile.document().operations.keys() - reads_of(profile.document(), profile.reading())
    unasked = int(told["operations"].value.rpartition(", ")[2].removesuffix(" not asked"))
    assert len(writing) - 1 <= unasked <= len(writing) + 2  # to log in is a POST, and a server may lack reads
    assert told["the run reads"].value == reads


def test_operations_that_the_server_lacks_are_not_counted(tmp_path):
    views = find_profile("iceberg").groups()["views"]
    with serve("iceberg", without="views") as server:
        offered, every = map(
            int, lines(server.url, tmp_path)["operations"].value.partition(" offered")[0].split(" of ")
        )
    assert every == len(find_profile("iceberg").document().operations)
    assert every - offered >= len(views)
