"""The catalog that an example of a requirement works on: the part that all APIs share.

Every name starts with the prefix of the run, and every object that a requirement may have created is dropped after it.
Each example starts anew: with its own steps, and its own namespace.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from contextlib import AbstractContextManager
from typing import Any, ClassVar, TypeVar

from conformance.http.client import Answer, Client, Expected
from conformance.target.capabilities import NAMESPACES, NESTED
from conformance.target.inventory import Inventory
from conformance.target.sandbox import Sandbox
from conformance.target.target import Target
from conformance.values.outcomes import Unoffered
from conformance.values.resources import NAMESPACE, TABLE, Names
from specs.openapi import Operation

JOINT = "x"  # between the name of an example and that of an object beside its home
AnInventory = TypeVar("AnInventory", bound=Inventory)


class Catalog:
    """A catalog for one example at a time. An API adds its operations, the example's home, and `ask` for any operation.

    `broken_json` are bodies that are not JSON, `no_objects` JSON bodies that are not objects, `refusals` the statuses
    that reject them.
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
        """Send an operation on objects of this name in the example's home."""
        raise NotImplementedError

    def new_thing(self) -> str:
        """Return the name of an object in the example's home, or an unused name if that is enough for a rejection."""
        raise NotImplementedError

    def try_namespace(self, id: Names) -> Answer:
        """Request the creation of a namespace; accept any answer."""
        raise NotImplementedError

    def check_invalid(self, refused: Answer) -> None:
        """Check that an error blames the input, if the document has a type for that."""

    def control(self, twin: Callable[[], object]) -> None:
        """Send the valid twin of a request that must be rejected: it must be accepted.

        Raises Blocked when it is not: then the rejection says nothing about the defect.
        """
        with self.client.preparing():
            twin()

    def deeper(self) -> AbstractContextManager[None]:
        """Return a context in which this example lives in a namespace one level deeper.

        Raises Unoffered if namespaces cannot be nested that deep.
        """
        raise NotImplementedError

    def begin_example(self) -> None:
        """Start an example, with steps and names of its own."""
        self.client.begin_example()
        self._home = None

    @property
    def base(self) -> Names:
        """The namespace of the whole run: the root unless the settings name another."""
        return self.inventory.base

    @property
    def nested(self) -> bool:
        """True when namespaces may contain namespaces."""
        return self.target.capabilities.get(NAMESPACES) == NESTED

    def require_nested(self) -> None:
        """Raise Unoffered when the target has no nested namespaces."""
        if not self.nested:
            raise Unoffered("the server has no nested namespaces")

    def note_namespaces(self, ids: Iterable[Names]) -> None:
        """Note namespaces that may be created, so that they are dropped afterwards."""
        self.sandbox.note(NAMESPACE, ids)

    def note_tables(self, ids: Iterable[Names]) -> None:
        """Note tables that may be created, so that they are dropped afterwards."""
        self.sandbox.note(TABLE, ids)


def inventory_of(target: Target, kind: type[AnInventory]) -> AnInventory:
    """Return the inventory of a target's sandbox; replace it unless it has this type."""
    known = target.sandbox.inventory
    if isinstance(known, kind):
        return known
    made = kind(target)
    target.sandbox.inventory = made
    return made
