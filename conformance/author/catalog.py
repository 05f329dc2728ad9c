"""The tested server as requirements of any API use it.

Every name starts with the prefix of the run, and everything that a requirement may have created is dropped after it.
Each example starts with an empty list of steps and creates its objects in a place of its own, its home.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from contextlib import AbstractContextManager, suppress
from copy import copy
from typing import Any, ClassVar, Self, TypeVar, cast

from conformance.http.answers import Answer
from conformance.http.client import Client, Expected
from conformance.http.gate import NEEDS_OWN
from conformance.target.capabilities import NAMESPACES, NESTED
from conformance.target.given import NAMED_BY
from conformance.target.inventory import Inventory
from conformance.target.sandbox import Sandbox
from conformance.target.target import Target
from conformance.values.outcomes import NotTested, Skipped, Unoffered
from conformance.values.resources import NAMESPACE, TABLE, Names
from conformance.values.settings import flag
from specs.openapi import Operation

JOINT = "x"  # between the name of an example and that of an object beside its home
AnInventory = TypeVar("AnInventory", bound=Inventory)


class Catalog:
    """Base of the catalogs of all APIs. An API adds its operations, the home of an example and `ask`.

    `broken_json` are bodies that are not JSON, `no_objects` JSON bodies that are not objects, and `refusals` the
    statuses that both may return. `namespace_operation` is the operation that creates namespaces.
    """

    client: Client
    target: Target
    sandbox: Sandbox
    inventory: Inventory
    broken_json: ClassVar[Iterable[bytes]]
    no_objects: ClassVar[Iterable[bytes]]
    refusals: ClassVar[Collection[int]]
    namespace_operation: ClassVar[str] = ""
    _home: Any = None
    _mark = ""
    _given_names: Counter[str]  # by `fresh`, in the example
    _stand_ins: dict[tuple[str, str], Names]  # of the example: kind and name of an object -> an existing one

    def ask(
        self,
        operation: Operation,
        name: str,
        *,
        body: bytes | None = None,
        headers: dict[str, str | None] | None = None,
        expect: Expected,
    ) -> Answer:
        """Send an operation on objects of this name in the home of the example."""
        raise NotImplementedError

    def new_thing(self) -> str:
        """Return the name of an object in the home of the example, or of none if requests are rejected anyway."""
        raise NotImplementedError

    def thing_or_missing(self) -> str:
        """Return the name of a new object, or a name without an object for the outcomes of `no_object`.

        For requests that a server refuses whether their object exists or not.
        """
        with suppress(*self.no_object):
            return self.new_thing()
        return self.target.missing_name

    @property
    def no_object(self) -> tuple[type[NotTested], ...]:
        """The outcomes of a preparation without an object: the server creates none, or a read-only run found none."""
        return (Unoffered, Skipped) if self.target.read_only else (Unoffered,)

    def try_namespace(self, id: Names) -> Answer:
        """Send a request that creates a namespace, and accept any status."""
        raise NotImplementedError

    def check_invalid(self, refused: Answer) -> None:
        """Check that an error says that the input is invalid, if the document has an error type or code for it."""

    def control(self, twin: Callable[[], object]) -> None:
        """Send the valid twin of a request that has a defect. Call it before the request with the defect.

        Raises Blocked when the server rejects the twin: then rejecting the request says nothing about the defect.
        """
        with self.client.preparing():
            twin()

    def deeper(self) -> AbstractContextManager[None]:
        """Return a context in which the home of the example is a namespace inside its usual home.

        Raises Unoffered when the server does not nest namespaces so deep.
        """
        raise NotImplementedError

    def through(self, client: Client) -> Any:
        """Return the operations of the API, sent through another client with the credentials of this one."""
        raise NotImplementedError

    def racing(self, client: Client) -> Self:
        """Return the same catalog for a client in another thread, with the credentials of this one."""
        other = copy(self)
        other.client = self.through(client).client
        return other

    def enter_world(self) -> None:
        """Create the objects that the values of the current world need, as preparation.

        Raises NotTested or Violation where the server refuses one of them: then it is not tested with this value.
        """

    def begin_example(self) -> None:
        """Start an example with no steps and no home."""
        self.client.begin_example()
        self._home, self._mark, self._stand_ins = None, "", {}
        self._given_names = Counter[str]()

    def another(self) -> Self:
        """Return a catalog of the same server with a home of its own, which later examples leave alone."""
        other = cast("Callable[[Target], Self]", type(self))(self.target)
        other.begin_example()
        return other

    @property
    def mark(self) -> str:
        """The name of this example, unique in the run; it creates nothing. All its objects lie below or beside it."""
        self._mark = self._mark or self.target.new_name()
        return self._mark

    def fresh(self, name: str) -> str:
        """Return a name that this example has not had, made of this one: names that are alike stay alike."""
        self._given_names[name] += 1
        return name if self._given_names[name] == 1 else f"p{self._given_names[name]}{name}"

    def existing(self, kind: str, name: str, *, plain: bool) -> Names:
        """Return the existing object that stands for a new one of this name in a read-only run.

        A table or a view lies in the home of the example; a namespace is another one than the home. Raises Skipped
        where no object does, and for an object that is not `plain`: its requirement knows what it contains.
        """
        if not plain:
            raise Skipped(NEEDS_OWN)
        if (kind, name) not in self._stand_ins:
            home = self.target.given.home
            known = self.target.given.of(kind, home if kind in NAMED_BY else None)
            free = [id for id in known if id not in (home, *self._stand_ins.values())]
            if not free:
                another = "other " if self._stand_ins else ""
                named = {NAMESPACE: NAMESPACE, **NAMED_BY}.get(kind, "")
                raise Skipped(f"the run found no {another}{kind} to read", flag(named) if named else "")
            self._stand_ins[kind, name] = free[0]
        return self._stand_ins[kind, name]

    @property
    def base(self) -> Names:
        """The namespace that contains everything of the run: the root unless the settings name another."""
        return self.inventory.base

    @property
    def nested(self) -> bool:
        """True when the target supports nested namespaces."""
        return self.target.capabilities.get(NAMESPACES) == NESTED

    def require_nested(self) -> None:
        """Raise Unoffered when the target has no nested namespaces, Skipped where a read-only run saw none."""
        if not self.nested:
            if self.target.read_only:
                raise Skipped("the run found no nested namespaces to read", flag(NAMESPACE))
            self.client.require(self.namespace_operation)
            raise Unoffered("the server has no nested namespaces")

    def note_namespaces(self, ids: Iterable[Names]) -> None:
        """Note namespaces that a request may create, so that the sandbox drops them afterwards."""
        self.sandbox.note(NAMESPACE, ids)

    def note_tables(self, ids: Iterable[Names]) -> None:
        """Note tables that a request may create, so that the sandbox drops them afterwards."""
        self.sandbox.note(TABLE, ids)


def inventory_of(target: Target, kind: type[AnInventory]) -> AnInventory:
    """Return the inventory of a target's sandbox, after replacing one of another class by one of this class."""
    known = target.sandbox.inventory
    if isinstance(known, kind):
        return known
    made = kind(target)
    target.sandbox.inventory = made
    return made
