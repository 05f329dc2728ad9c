"""Sweeps: the objects that they report as left behind, and the number of their requests."""

from __future__ import annotations

import json
import threading
from collections import Counter
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock
from urllib.parse import quote

import pytest

from conformance.http.transport import Traffic
from conformance.iceberg.inventory import IcebergInventory
from conformance.lance.inventory import LanceInventory
from conformance.polaris.inventory import PolarisInventory
from conformance.run.session import Session
from conformance.target.sandbox import SAMPLE, STAYED, Sandbox
from conformance.target.standing import Standing
from conformance.values.exchange import Exchange
from conformance.values.resources import NAMESPACE, REGISTRATION, TABLE, Leftover, Resource
from conformance.values.settings import load_settings
from lakeproof import serve
from specs.profiles import find_profile
from tests.conformance.shelf import Shelf, T, sandbox_with
from tests.conformance.small_servers import Meddler, say
from tests.conformance.somebody import SOMEBODY, fill

# Left behind is what any operation of the server shows


def test_a_listed_object_is_left_behind_although_its_name_returns_404():
    """The server cannot parse the name in a path: its drop and its load return 404, and the listing has it."""
    shelf = Shelf([T], [404, 404])
    shelf.is_there = lambda _: False
    sandbox = sandbox_with(shelf)
    sandbox.note(TABLE, [T.id])
    sandbox.clean_up()
    sandbox.sweep()
    assert sandbox.left_behind == [Leftover("table", "n.t", "drop returned 404, although a listing has the object")]


@contextmanager
def swept(tmp_path, meddle):
    """An Iceberg session whose server a function meddles with, and a namespace of the run on it."""
    with serve("iceberg") as server, Meddler(server.url, meddle) as meddler:
        given = {"server": meddler.url, "api": "iceberg", "report": str(tmp_path), "leave_behind": True}
        session = Session(load_settings(given, environ={}))
        try:
            session.client.begin([])
            yield session, SOMEBODY["iceberg"](server.url)
        finally:
            session.finish()


@pytest.mark.parametrize("name", ["a.b", "a b", "plain"])
def test_names_that_a_router_rejects_are_told_as_left_behind(tmp_path, name):
    strange = name if name != "plain" else "none"

    def meddle(_server, handler, _number):
        return quote(f"_{strange}") in handler.path.partition("?")[0] and say(handler, 404, {})

    with swept(tmp_path, meddle) as (session, somebody):
        somebody.namespace(f"{session.target.prefix}_{name}")
        session.target.sandbox.sweep()
        left = [f"{session.target.prefix}_{name}"] if strange == name else []
        assert [thing.name for thing in session.target.sandbox.left_behind] == left
        assert sorted(id[0] for id in somebody.there()) == left


def test_an_object_that_only_one_operation_shows_is_left_behind(tmp_path):
    """Its load returns 404 and no listing has it; its HEAD succeeds."""

    def meddle(_server, handler, _number):
        path = handler.path.partition("?")[0]
        if "_shown" in path and handler.command in ("GET", "DELETE"):
            return say(handler, {"GET": 404, "DELETE": 403}[handler.command], {})
        return handler.command == "GET" and path.endswith("/namespaces") and say(handler, 200, {"namespaces": []})

    with swept(tmp_path, meddle) as (session, somebody):
        name = f"{session.target.prefix}_shown"
        somebody.namespace(name)
        session.target.sandbox.noted[Resource(NAMESPACE, (name,))] = Standing.MADE
        session.target.sandbox.sweep()
        assert [left.name for left in session.target.sandbox.left_behind] == [name]


# What a sweep costs


class Shelves(Shelf):
    """Namespaces with contents; `full` is the status of a drop of one with contents, `opened` counts their listings."""

    def __init__(self, contents, full=409, sticky=()):
        super().__init__(contents, [])
        self.contents, self.full, self.sticky = contents, full, set(sticky)
        self.asked, self.opened = [], Counter()

    def fork(self):
        return self

    def join(self, other):
        pass

    def inside(self, namespace):
        self.opened[namespace.id] += 1
        return list(self.contents.get(namespace, ()))

    def drop(self, resource):
        self.asked.append(resource)
        if self.contents.get(resource):
            status = self.full
        else:
            status = 204
            if resource not in self.sticky:
                self.resources.pop(resource, None)
                for inner in self.contents.values():
                    if resource in inner:
                        inner.remove(resource)
        return Exchange("drop", "DELETE", "http://t", {}, status=status)


def shelves(count, inner=0, **options):
    names = [Resource(NAMESPACE, (f"n{number}",)) for number in range(count)]
    return Shelves(
        {name: [Resource(TABLE, (*name.id, f"t{number}")) for number in range(inner)] for name in names}, **options
    )


def test_an_empty_namespace_is_dropped_unopened_once_the_server_has_refused_a_full_one():
    shelf = shelves(9)
    sandbox = sandbox_with(shelf)
    shelf.made_by = shelf.made_otherwise = lambda _: None
    sandbox.note_answer(Exchange("drop", "DELETE", "http://t", {}, status=409))
    sandbox.sweep()
    assert (len(shelf.asked), sum(shelf.opened.values()), sandbox.left_behind) == (9, 0, [])


@pytest.mark.parametrize("restricts", [False, True])
def test_a_full_namespace_is_opened_once_and_its_contents_are_dropped(restricts):
    shelf = shelves(3, inner=2)
    sandbox = sandbox_with(shelf)
    sandbox.restricts = restricts
    sandbox.sweep()
    assert (set(shelf.opened.values()), shelf.resources, sandbox.left_behind) == ({1}, {}, [])
    assert len(shelf.asked) == 3 * (3 + restricts)


def test_namespaces_that_stay_are_tried_as_a_sample_and_opened_once():
    shelf = shelves(40 * SAMPLE)
    shelf.sticky = set(shelf.contents)
    sandbox = sandbox_with(shelf)
    sandbox.sweep()
    assert len(shelf.asked) <= 2 * SAMPLE
    assert {left.reason for left in sandbox.left_behind} == {STAYED}
    assert len(sandbox.left_behind) == 40 * SAMPLE
    assert set(shelf.opened.values()) == {1}


def test_one_namespace_of_a_sample_that_is_dropped_lets_all_be_tried():
    shelf = shelves(40 * SAMPLE)
    shelf.sticky = {name for name in shelf.contents if name.id != ("n0",)}
    sandbox_with(shelf).sweep()
    assert len(shelf.asked) == 40 * SAMPLE


def test_a_sweep_drops_with_the_jobs_of_the_run():
    """Each drop waits for another one."""
    shelf, both = shelves(4), threading.Barrier(2, timeout=60)
    drop = shelf.drop
    shelf.drop = lambda resource: (both.wait(), drop(resource))[1]
    sandbox = sandbox_with(shelf)
    sandbox.jobs = 2
    sandbox.sweep()
    assert (shelf.resources, sandbox.left_behind) == ({}, [])


def test_what_fails_in_a_thread_of_a_sweep_fails_the_sweep():
    shelf = shelves(4)
    shelf.drop = lambda _: next(iter(()))
    sandbox = sandbox_with(shelf)
    sandbox.jobs = 2
    with pytest.raises(StopIteration):
        sandbox.sweep()


@pytest.mark.parametrize("registered", [False, True])
def test_a_server_that_cascades_drops_a_namespace_with_its_contents_but_no_files_of_others(tmp_path, registered):
    with serve("lance") as server:
        session = Session(load_settings({"server": server.url, "api": "lance", "report": str(tmp_path)}, environ={}))
        session.client.begin([])
        sandbox, home = session.target.sandbox, f"{session.target.prefix}_full"
        fill(SOMEBODY["lance"](server.url), home)
        sandbox.restricts = True
        if registered:
            sandbox.registrations.add((home, "t"))
        session.client.begin_example()
        sandbox.sweep()
        session.finish()
        drops = Counter(
            step.operation for step in session.client.steps if step.request_body or "Drop" in step.operation
        )
        assert SOMEBODY["lance"](server.url).there() == set()
    assert sandbox.left_behind == []
    assert (drops["DropTable"] + drops["DeregisterTable"] > 0) == registered


def test_a_server_that_lists_all_levels_at_the_root_is_cleared():
    """It ignores the parent of a listing: the contents of a namespace are known from the root alone."""
    outer, inner = Resource(NAMESPACE, ("a",)), Resource(NAMESPACE, ("a", "b"))
    shelf = Shelves({outer: [inner], inner: []})
    shelf.inside = lambda _: []
    sandbox = sandbox_with(shelf)
    sandbox.restricts = True
    sandbox.sweep()
    assert (shelf.resources, sandbox.left_behind) == ({}, [])


# What is dropped already costs nothing


DROPS = [
    (LanceInventory, "DropTable", "/v1/table/lp1%24t/drop", {}, Resource(TABLE, ("lp1", "t"))),
    (LanceInventory, "DropNamespace", "/v1/namespace/lp1/drop", {}, Resource(NAMESPACE, ("lp1",))),
    (IcebergInventory, "dropTable", "/v1/p/namespaces/lp1/tables/t", {}, Resource(TABLE, ("lp1", "t"))),
    (IcebergInventory, "dropTable", "/v1/p/namespaces/lp1/tables/t", {}, Resource(REGISTRATION, ("lp1", "t"))),
    (IcebergInventory, "dropNamespace", "/v1/p/namespaces/lp1%1Fa", {}, Resource(NAMESPACE, ("lp1", "a"))),
    (PolarisInventory, "dropPolicy", "/lpc/namespaces/lp1/policies/p", {}, Resource("policy", ("lp1", "p"))),
    (PolarisInventory, "deletePrincipal", "/v1/principals/lpp", {}, Resource("principal", ("lpp",))),
    (PolarisInventory, "deleteCatalogRole", "/v1/catalogs/c/catalog-roles/r", {}, Resource("catalog role", ("c", "r"))),
]


def noted(kind, *things, at_once=()):
    """Return a sandbox that has noted things."""
    api = kind.__module__.split(".")[1]
    target = MagicMock(document=find_profile(api).document(), capabilities={}, prefix="lp")
    recording = SimpleNamespace(at_once=set(at_once))
    client: Any = SimpleNamespace(traffic=Traffic(), recording=recording)
    return Sandbox(client, kind(target), noted=dict.fromkeys(things, Standing.MADE))


@pytest.mark.parametrize(("kind", "operation", "path", "body", "thing"), DROPS)
def test_what_a_requirement_has_dropped_is_forgotten(kind, operation, path, body, thing):
    for status, at_once, left in ((204, (), []), (202, (), [thing]), (404, (), [thing]), (204, ("race",), [thing])):
        sandbox = noted(kind, thing, at_once=at_once)
        request = Exchange(operation, "POST", f"http://127.0.0.1{path}", {}, json.dumps(body).encode(), status=status)
        sandbox.note_answer(request)
        assert list(sandbox.noted) == left


def test_a_former_name_is_forgotten():
    source, renamed = Resource(TABLE, ("lp1", "t")), Resource(TABLE, ("lp2", "u"))
    sandbox = noted(IcebergInventory, source)
    sandbox.note_renamed("renameTable", source.id, renamed.id)
    body = {"source": {"namespace": ["lp1"], "name": "t"}, "destination": {"namespace": ["lp2"], "name": "u"}}
    url = "http://127.0.0.1/v1/tables/rename"
    sandbox.note_answer(Exchange("renameTable", "POST", url, {}, json.dumps(body).encode(), status=204))
    assert list(sandbox.noted) == [renamed]


@pytest.mark.parametrize(("status", "drops"), [(204, {"whole": 2}), (400, {"whole": 1, "drop": 4})])
def test_namespaces_are_dropped_with_their_tables_unless_that_is_refused(status, drops):
    homes = [Resource(NAMESPACE, ("n",)), Resource(NAMESPACE, ("m",))]
    shelf = Shelf([*homes, T, Resource(TABLE, ("m", "t"))], [204] * 4)
    sent = Counter()

    def drop_with_contents(namespace):
        sent["whole"] += 1
        for resource in list(shelf.resources):
            if status == 204 and resource.id[:1] == namespace.id:
                del shelf.resources[resource]
        return Exchange("drop", "DELETE", "http://t", {}, status=status)

    def drop(resource):
        sent["drop"] += 1
        return Shelf.drop(shelf, resource)

    shelf.drop_with_contents, shelf.drop = drop_with_contents, drop
    sandbox = sandbox_with(shelf)
    sandbox.client.known = SimpleNamespace(done={"drop", "dropTable"})
    sandbox.noted.update(dict.fromkeys(shelf.resources, Standing.MADE))
    sandbox.clean_up()
    assert (sent, shelf.resources, sandbox.noted) == (drops, {}, {})
