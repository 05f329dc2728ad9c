"""A catalog as an example of a requirement sees it: what is the same for every API.

Every name starts with the prefix of the run, and everything that a requirement may have made is dropped after it. Each
example starts anew: with its own steps, and a place of its own for what it makes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from contextlib import AbstractContextManager
from typing import Any, ClassVar, TypeVar

from conformance.values.resources import NAMESPACE, TABLE, Names

from conformance.http.client import Answer, Client, Expected
from conformance.target.inventory import Inventory
from conformance.target.sandbox import Sandbox
from conformance.target.target import Target
from conformance.values.outcomes import Unoffered
from specs.openapi import Operation

JOINT = "x"  # between the name of an example and that of a thing beside its home
PAGES, IN_PAGES, WHOLE = "pages", "in pages", "whole, whatever page is asked for"
NAMESPACES, NONE, FLAT, NESTED = "namespaces", "none", "flat", "nested"
AnInventory = TypeVar("AnInventory", bound=Inventory)


class Catalog:
    """See the module. An API adds its operations, where an example lives, and how any operation is asked.

    `broken_json` and `no_objects` are bodies that are none, `refusals` the statuses with which they are refused.
    """

    client: Client
    target: Target
    sandbox: Sandbox
    inventory: Inventory
    broken_json: ClassVar[Iterable[bytes]]
    no_objects: ClassVar[Iterable[bytes]]
    refusals: ClassVar[Collection[int]]
    _home: Any = None

    def ask(
        self,
        operation: Operation,
        name: str,
        *,
        body: bytes | None = None,
        headers: dict[str, str | None] | None = None,
        expect: Expected,
    ) -> Answer:
        """Send an operation on things of this name in the example's home."""
        raise NotImplementedError

    def new_thing(self) -> str:
        """Return the name of something in the example's home, or of nothing where that is enough to be refused."""
        raise NotImplementedError

    def try_namespace(self, id: Names) -> Answer:
        """Ask for a namespace to be made; any answer will do."""
        raise NotImplementedError

    def check_invalid(self, refused: Answer) -> None:
        """Check that an error says that the input is what is wrong, where the document has a word for it."""

    def control(self, twin: Callable[[], object]) -> None:
        """Send the twin of a request that is to be refused, without its defect: it has to be taken.

        Raises Blocked when it is not: then the refusal says nothing about the defect.
        """
        with self.client.preparing():
            twin()

    def deeper(self) -> AbstractContextManager[None]:
        """Return a context in which this example lives in a namespace within that in which it lives otherwise.

        Raises Unoffered where namespaces do not lie so deep.
        """
        raise NotImplementedError

    def begin_example(self) -> None:
        """Start an example: steps are told from here, names start anew."""
        self.client.begin_example()
        self._home = None

    @property
    def base(self) -> Names:
        """The namespace in which the whole run stays: the root unless the settings name another."""
        return self.inventory.base

    @property
    def nested(self) -> bool:
        """True when namespaces may lie in namespaces."""
        return self.target.capabilities.get(NAMESPACES) == NESTED

    def require_nested(self) -> None:
        """Raise Unoffered when the target has no namespaces within namespaces."""
        if not self.nested:
            raise Unoffered("the server has no namespaces within namespaces")

    def note_namespaces(self, ids: Iterable[Names]) -> None:
        """Note namespaces that may come into being, so that they are dropped afterwards."""
        self.sandbox.note(NAMESPACE, ids)

    def note_tables(self, ids: Iterable[Names]) -> None:
        """Note tables that may come into being, so that they are dropped afterwards."""
        self.sandbox.note(TABLE, ids)


def inventory_of(target: Target, kind: type[AnInventory]) -> AnInventory:
    """Return the inventory of a target's sandbox, which is of this kind from now on."""
    known = target.sandbox.inventory
    if isinstance(known, kind):
        return known
    made = kind(target)
    target.sandbox.inventory = made
    return made
