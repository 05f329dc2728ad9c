"""Sandbox over an inventory in memory: a server of a few lines, without HTTP."""

from __future__ import annotations

from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, ClassVar

from conformance.http.transport import Traffic
from conformance.target.sandbox import Sandbox
from conformance.values.exchange import Exchange
from conformance.values.resources import NAMESPACE, TABLE, Resource


class Shelf:
    """An inventory in memory whose server answers drops with `answers`, in turn."""

    outer, base = (), ()
    drops: ClassVar = {NAMESPACE: "drop", TABLE: "dropTable"}
    renames: ClassVar = {}

    def __init__(self, resources, answers, *, droppable=True):
        self.resources, self.answers, self.droppable = dict.fromkeys(resources), iter(answers), droppable

    def prepare(self):
        pass

    def keep(self):
        pass

    def release(self):
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

    def drop_with_contents(self, _):
        return None

    def roots(self):
        return list(self.resources)

    def inside(self, _):
        return []

    def dropped_by(self, _exchange):
        return None

    def is_there(self, resource):
        return resource in self.resources

    def can_see(self, kind):
        return True


class Silent:
    """As much of a client as a sandbox needs."""

    gone = False
    traffic = Traffic()
    known = SimpleNamespace(done=frozenset())
    recording = SimpleNamespace(at_once=frozenset())

    @contextmanager
    def cleaning(self):
        yield


def sandbox_with(shelf):
    client: Any = Silent()
    return Sandbox(client, shelf)


T = Resource(TABLE, ("n", "t"))
