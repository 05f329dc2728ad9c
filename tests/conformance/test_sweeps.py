"""Sweeps over a server of a few lines: what is dropped, what is tried again, and what is told as left behind."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any

import pytest

from conformance.target.sandbox import MOST_TRIES, UNSEEN, Sandbox
from conformance.values.exchange import Exchange
from conformance.values.resources import NAMESPACE, TABLE, Leftover, Resource


class Shelf:
    """An inventory in memory whose server answers drops with `answers`, in turn."""

    outer = ()

    def __init__(self, resources, answers, *, droppable=True):
        self.resources, self.answers, self.droppable = dict.fromkeys(resources), iter(answers), droppable

    def prepare(self):
        pass

    def is_ours(self, id):
        return True

    def can_drop(self, kind):
        return self.droppable

    def drop(self, resource):
        status = next(self.answers)
        if status == 204:
            self.resources.pop(resource, None)
        return Exchange("drop", "DELETE", "http://t", {}, status=status) if status else None

    def roots(self):
        return list(self.resources)

    def inside(self, _):
        return []

    def is_there(self, resource):
        return resource in self.resources

    def can_see(self, kind):
        return True


class Silent:
    """As much of a client as a sandbox needs."""

    gone = False

    @contextmanager
    def cleaning(self):
        yield


def sandbox_with(shelf):
    client: Any = Silent()
    return Sandbox(client, shelf)


T = Resource(TABLE, ("n", "t"))


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
    sandbox.doubtful[doubted] = "drop returned 400"
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
    sandbox.note(TABLE, [T.id])
    sandbox.clean_up()
    sandbox.sweep()
    assert sandbox.left_behind == [Leftover("table", "n.t", UNSEEN)]


def test_clean_up_goes_on_where_it_was_interrupted():
    sandbox = sandbox_with(Shelf([T, Resource(TABLE, ("u",))], [204]))
    sandbox.note(TABLE, [T.id, ("u",)])
    with pytest.raises(StopIteration):
        sandbox.clean_up()
    assert [resource.id for resource in sandbox.made] == [("u",)]
    sandbox.inventory.answers = iter([204])
    sandbox.clean_up()
    assert not sandbox.made
    assert sandbox.inventory.resources == {}
