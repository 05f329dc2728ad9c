"""Sweeps over a server of a few lines: what is dropped, what is tried again, and what is told as left behind."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.iceberg.catalog import IcebergCatalog
from conformance.run.session import Session
from conformance.target.sandbox import MOST_REFUSALS, MOST_TRIES, UNSEEN, Sandbox
from conformance.target.standing import Doubt, Standing
from conformance.values.exchange import Exchange
from conformance.values.resources import NAMESPACE, TABLE, Leftover, Resource
from conformance.values.settings import load_settings
from lakeproof import serve
from tests.conformance.shelf import Shelf, Silent, T, sandbox_with
from tests.conformance.small_servers import Meddler


@pytest.mark.parametrize(
    ("answers", "left"),
    [
        ([204], []),
        ([500, 204], []),
        ([503, 503], [Leftover("table", "n.t", "drop returned 503")]),
        ([None, None], [Leftover("table", "n.t", "the server cannot drop a table")]),
        ([404, 500], [Leftover("table", "n.t", "drop returned 500")]),
    ],
)
def test_only_what_is_there_is_left_behind(answers, left):
    sandbox = sandbox_with(Shelf([T], answers))
    sandbox.note(TABLE, [T.id])
    sandbox.clean_up()
    sandbox.sweep()
    assert sandbox.left_behind == left


def test_what_is_not_there_is_not_left_behind_whatever_the_server_says_to_its_drop():
    sandbox = sandbox_with(Shelf([], [500, 400]))
    sandbox.note(TABLE, [T.id])
    sandbox.clean_up()
    sandbox.sweep()
    assert sandbox.left_behind == []


def test_a_drop_that_the_server_seemed_to_lack_is_tried_at_the_end():
    sandbox = sandbox_with(Shelf([T], [204], droppable=False))
    sandbox.note(TABLE, [T.id])
    sandbox.clean_up()
    assert sandbox.inventory.resources == {T: None}
    sandbox.sweep()
    assert sandbox.left_behind == []


def test_a_drop_that_the_server_lacks_is_not_tried_for_ever():
    resources = [Resource(TABLE, ("n", f"t{number}")) for number in range(9)]
    answers = iter([404] * 9)
    sandbox = sandbox_with(Shelf(resources, answers, droppable=False))
    sandbox.sweep()
    assert {resource.reason for resource in sandbox.left_behind} == {"the server cannot drop a table"}
    assert len(sandbox.left_behind) == 9
    assert len(list(answers)) == 9 - MOST_TRIES


def test_tries_on_what_is_not_there_do_not_count():
    """A 404 to the drop of what no list shows says nothing: it was never there, or the server lacks the operation."""
    shelf = Shelf([], [*[404] * (2 * MOST_TRIES), 204], droppable=False)
    sandbox = sandbox_with(shelf)
    sandbox.note(NAMESPACE, [("n", f"refused{number}") for number in range(2 * MOST_TRIES)])
    sandbox.note(NAMESPACE, [("n",)])
    sandbox.clean_up()
    shelf.is_there = lambda resource: resource.id == ("n",) and list(shelf.answers) != []
    sandbox.sweep()
    assert sandbox.left_behind == []


def test_what_cannot_be_dropped_is_tried_again_at_the_end_alone():
    """A run sweeps after each finding: what stays may not be asked for each time."""
    stays, doubted, later = T, Resource(TABLE, ("n", "refused")), Resource(TABLE, ("n", "later"))
    shelf = Shelf([stays], [500, 400, 503])
    sandbox = sandbox_with(shelf)
    sandbox.doubtful[doubted] = Doubt("drop returned 400", made=False)
    sandbox.sweep(end=False)
    assert [left.name for left in sandbox.left_behind] == [stays.name]
    shelf.resources[later] = None
    sandbox.sweep(end=False)
    sandbox.sweep(end=False)
    assert {left.name for left in sandbox.left_behind} == {stays.name, later.name}
    shelf.answers = iter([204] * 3)
    sandbox.sweep()
    assert sandbox.left_behind == []
    assert shelf.resources == {}


def test_what_nothing_shows_is_told_as_not_verified():
    sandbox = sandbox_with(Shelf([], [], droppable=False))
    sandbox.inventory.is_there = lambda _: None
    sandbox.inventory.can_see = lambda _: False
    sandbox.inventory.drop = lambda _: Exchange("drop", "DELETE", "http://t", {}, status=404)
    sandbox.noted = {T: Standing.MADE, Resource(TABLE, ("n", "u")): Standing.OPEN}
    sandbox.clean_up()
    sandbox.sweep()
    assert sandbox.left_behind == [Leftover("table", "n.t", UNSEEN)]


def test_clean_up_goes_on_where_it_was_interrupted():
    sandbox = sandbox_with(Shelf([T, Resource(TABLE, ("u",))], [204]))
    sandbox.note(TABLE, [T.id, ("u",)])
    with pytest.raises(StopIteration):
        sandbox.clean_up()
    assert [resource.id for resource in sandbox.noted] == [("u",)]
    sandbox.inventory.answers = iter([204])
    sandbox.clean_up()
    assert not sandbox.noted
    assert sandbox.inventory.resources == {}


# Answers to creations decide


class Reading(Silent):
    """A client outside clean-up."""

    class traffic:  # noqa: N801 - an attribute of a client
        cleaning = False


class Creating(Shelf):
    """A shelf whose only creation creates T."""

    def made_by(self, _exchange):
        return T

    def made_otherwise(self, _exchange):
        return None

    def only_stages(self, exchange):
        return exchange.request_body == b"staged"


def answered(*answers, body=b""):
    """A sandbox in which T was noted once and its creation got these answers, in turn; without drops that succeed."""
    client: Any = Reading()
    shelf: Any = Creating([T], iter(lambda: 403, None))
    sandbox = Sandbox(client, shelf)
    sandbox.note(TABLE, [T.id])
    for status in answers:
        sandbox.note_answer(Exchange("create", "POST", "http://t", {}, body, status=status))
    return sandbox


@pytest.mark.parametrize(
    ("answers", "standing"),
    [
        ([], Standing.NOTED),
        ([200], Standing.MADE),
        ([204], Standing.MADE),
        ([400], None),
        ([403], None),
        ([406, 406], None),
        ([409], Standing.OPEN),
        ([500], Standing.OPEN),
        ([0], Standing.OPEN),
        ([200, 400], Standing.MADE),
        ([500, 400], Standing.OPEN),
        ([400, 200], Standing.MADE),  # two requests at once: the loser is heard first
        ([400, 0], Standing.OPEN),
        ([200, 500], Standing.MADE),
    ],
)
def test_the_answer_to_a_creation_decides_whether_a_drop_is_sent(answers, standing):
    assert answered(*answers).noted == ({T: standing} if standing is not None else {})


def test_a_staged_table_may_exist_later():
    assert answered(200, body=b"staged").noted == {T: Standing.OPEN}
    assert answered(200, 400, body=b"staged").noted == {T: Standing.OPEN}


def test_the_resource_of_a_request_that_is_not_sent_is_forgotten():
    exchange = Exchange("create", "POST", "http://t", {})
    unanswered, created = answered(), answered(200)
    for sandbox in (unanswered, created):
        sandbox.note_unsent(exchange)
    assert unanswered.noted == {}
    assert created.noted == {T: Standing.MADE}


def test_a_resource_that_was_never_noted_is_not_dropped():
    sandbox = answered()
    sandbox.noted.clear()
    sandbox.note_answer(Exchange("create", "POST", "http://t", {}, status=200))
    assert sandbox.noted == {}


def test_a_drop_that_is_always_refused_is_sent_a_few_times_in_clean_up_and_at_the_end():
    resources = [Resource(TABLE, ("n", f"t{number}")) for number in range(40)]
    answers = iter([403] * 200)
    sandbox = sandbox_with(Shelf(resources, answers))
    for resource in resources:
        sandbox.note(TABLE, [resource.id])
        sandbox.clean_up()
    assert 200 - len(list(answers)) == MOST_REFUSALS
    sandbox.inventory.answers = answers = iter([403] * 200)
    sandbox.sweep()
    assert 200 - len(list(answers)) == MOST_REFUSALS + MOST_TRIES
    assert sandbox.left_behind == [Leftover("table", resource.name, "drop returned 403") for resource in resources]


def test_a_drop_that_succeeded_once_is_always_sent():
    resources = [Resource(TABLE, ("n", f"t{number}")) for number in range(40)]
    sandbox = sandbox_with(Shelf(resources, [204, *[403] * 38, 204]))
    sandbox.note(TABLE, [resource.id for resource in resources])
    sandbox.clean_up()
    assert len(sandbox.inventory.resources) == 38


def test_what_can_be_dropped_at_the_end_is_dropped_although_it_was_refused_before():
    resources = [Resource(TABLE, ("n", f"t{number}")) for number in range(40)]
    sandbox = sandbox_with(Shelf(resources, [*[403] * MOST_REFUSALS, *[204] * 40]))
    sandbox.note(TABLE, [resource.id for resource in resources])
    sandbox.clean_up()
    assert len(sandbox.inventory.resources) == 40
    sandbox.sweep()
    assert sandbox.inventory.resources == {}
    assert sandbox.left_behind == []


def test_a_server_that_lists_the_root_for_every_parent_is_asked_once_for_a_parent(tmp_path):
    """A thousand namespaces that the server cannot drop would be listed a thousand times."""
    parents = []

    def ignore_parent(_server, handler, _number):
        path, _, query = handler.path.partition("?")
        asked = handler.command == "GET" and path.endswith("/v1/namespaces") and "parent=" in query
        if asked:
            parents.append(query)
            handler.path = path
        return False

    with (
        serve("iceberg") as server,
        Meddler(server.url, ignore_parent) as meddler,
    ):
        session = Session(load_settings({"server": meddler.url, "api": "iceberg", "report": str(tmp_path)}, environ={}))
        inventory = session.target.sandbox.inventory
        catalog = IcebergCatalog(session.target)
        for _ in range(3):
            catalog.begin_example()
            catalog.new_table()
        parents.clear()
        roots = inventory.roots()
        found = [entry for root in roots for entry in inventory.inside(root)]
        session.target.sandbox.sweep()
        session.finish()
    assert len(roots) == 3
    assert {entry.kind for entry in found} == {TABLE}
    assert len(parents) == 1
    assert session.target.sandbox.left_behind == []
