"""What a run makes on a server, and how it is dropped again.

Every name of a run starts with its prefix. What a requirement may have made is noted before it is asked for, and
dropped after it. At the end the server is asked what it still has of the run: that is dropped too, contents first,
and what is there afterwards is left behind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from conformance.http.client import Client
from conformance.values.activity import doing

if TYPE_CHECKING:
    from conformance.target.inventory import Inventory
    from conformance.values.exchange import Exchange

NAMESPACE, TABLE, VIEW, REGISTRATION = "namespace", "table", "view", "registration"
Names = tuple[str, ...]
DEEPEST = 8
DROPPED = (200, 202, 204)
GONE = 404
MOST_TRIES = 3  # of an operation that the server seemed to lack: one odd answer may have said so
STAYED = "its drop was answered with success, but it is there"
UNSEEN = "not verified: no operation of the server shows whether they are there"


@dataclass(frozen=True, slots=True)
class Resource:
    """Something that a run may have made. An id that is a string is sent as it is.

    A registration is a table whose files are not the server's own: it is taken out of the catalog, its files stay.
    """

    kind: str
    id: Names | str

    @property
    def name(self) -> str:
        """Its levels with dots between them."""
        return self.id if isinstance(self.id, str) else ".".join(self.id)


@dataclass(frozen=True, slots=True)
class Leftover:
    """What is still there after a run, and why."""

    kind: str
    name: str
    reason: str


@dataclass
class Sandbox:
    """See the module. `doubtful` is what was not clearly dropped, and what the server said to that.

    `registrations` are the ids of all that were noted: servers list them as tables, but they must not be purged.
    `kept` is what the whole run needs: it is dropped at the end. `put_off` is what a sweep tried in vain, `swept` what
    sweeps have dropped, as far as the server's answers say.
    """

    client: Client
    inventory: Inventory | None = None
    made: dict[Resource, None] = field(default_factory=dict)
    doubtful: dict[Resource, str] = field(default_factory=dict)
    left_behind: list[Leftover] = field(default_factory=list)
    registrations: set[Names | str] = field(default_factory=set)
    kept: dict[Resource, None] = field(default_factory=dict)
    put_off: set[Resource] = field(default_factory=set)
    swept: set[Resource] = field(default_factory=set)

    def note(self, kind: str, ids: Iterable[Names | str]) -> None:
        """Note resources before they are asked for, so that they are dropped whatever the server answers.

        What does not have a name of the run is left alone.
        """
        resources = [Resource(kind, id) for id in ids if self.inventory is None or self.inventory.is_ours(id)]
        self.registrations.update(resource.id for resource in resources if resource.kind == REGISTRATION)
        self.made.update(dict.fromkeys(map(self._known, resources)))

    def note_made(self, operation: str, id: Names | str) -> None:
        """Note what a call of an operation on an id may make."""
        if self.inventory and operation in self.inventory.creates:
            self.note(self.inventory.creates[operation], [id])

    def note_request(self, exchange: Exchange) -> None:
        """Note what a request may make, before it is sent again."""
        resource = self.inventory.made_by(exchange) if self.inventory else None
        if resource:
            self.note(resource.kind, [resource.id])

    def note_answer(self, exchange: Exchange) -> None:
        """Note what an answer says was made of a request that named it by no text."""
        resource = self.inventory.made_otherwise(exchange) if self.inventory else None
        if resource:
            self.made[resource] = None

    def note_renamed(self, operation: str, source: Names | str, destination: Names) -> None:
        """Note the new name that a call of an operation may give to something: a registration stays one."""
        if self.inventory and operation in self.inventory.renames:
            kind = self.inventory.renames[operation]
            self.note(REGISTRATION if source in self.registrations else kind, [destination])

    def keep(self) -> None:
        """Keep all that was noted so far to the end of the run."""
        self.kept.update(self.made)
        self.made.clear()

    def clean_up(self, *, look: bool = False) -> None:
        """Drop what was noted since the last time, and with `look` all that is found in its namespaces.

        What was interrupted goes on where it was when this is called again.
        """
        if self.inventory is None or self.client.gone:
            return
        with self.client.cleaning(), doing("cleaning up") as tell:
            self.inventory.prepare()
            if look:
                namespaces = [resource for resource in self.made if resource.kind == NAMESPACE]
                self.made.update(dict.fromkeys(self._deep(self.inventory, namespaces)))
            resources = ordered(self.made, self.inventory.outer)
            for number, resource in enumerate(resources, 1):
                tell(partial(_how_far, number, resources))
                self._drop(self.inventory, resource)
                del self.made[resource]

    def sweep(self, *, end: bool = True) -> None:
        """Drop all that the server still has of the run, look again, and note what is left behind.

        What the whole run needs stays unless it is at its end. What an earlier sweep could not drop is tried again, and
        looked into, at the end alone: a run sweeps after each finding, and there may be many of both.
        """
        self.clean_up()
        if self.inventory is None or self.client.gone:
            return
        in_vain: Counter[str] = Counter()
        with self.client.cleaning(), doing("cleaning up: looking for what is left") as tell:
            if end:
                self.doubtful |= dict.fromkeys(self.kept, "nobody asked to drop it")
                self.kept.clear()
                self.put_off.clear()
            found = self._found(self.inventory)
            if not end:  # what is there after a drop that seemed to succeed stays so
                self.put_off |= self.swept & found.keys()
                found = {resource: None for resource in found if resource not in self.put_off}
            self.swept.update(found)
            resources = ordered({**found, **self._doubts()}, self.inventory.outer)
            for number, resource in enumerate(resources, 1):
                tell(partial(_how_far, number, resources))
                self._drop(self.inventory, resource, in_vain, there=resource in found)
            tell("cleaning up: looking for what is left")
            listed = self._found(self.inventory) if end or self._doubts() else {}
            reasons = {
                resource: self._reason(self.inventory, resource, listed)
                for resource in ordered({**listed, **self._doubts()})
            }
        self.left_behind = [] if end else self.left_behind
        self.left_behind += [
            Leftover(resource.kind, resource.name, reason) for resource, reason in reasons.items() if reason
        ]
        self.put_off.update(reasons)

    def _doubts(self) -> dict[Resource, None]:
        """Return what was not clearly dropped, without what is put off."""
        return {resource: None for resource in self.doubtful if resource not in self.put_off}

    def _found(self, inventory: Inventory) -> dict[Resource, None]:
        """Return what the server lists of the run, without what is kept or put off."""
        left_out = {*self.kept, *self.put_off}
        return {resource: None for resource in self._listed(inventory) if resource not in left_out}

    def _reason(self, inventory: Inventory, resource: Resource, listed: Container[Resource]) -> str:
        """Return why something is left behind, "" for what is not.

        It is there when the server says so, or lists it and says nothing else. What nothing shows may be there. What a
        server lists and cannot drop is there without being asked for: there may be thousands of such resources.
        """
        there = (resource in listed and not inventory.can_drop(resource.kind)) or inventory.is_there(resource)
        if there or (there is None and resource in listed):
            return self.doubtful.get(resource, STAYED)
        return UNSEEN if there is None and not inventory.can_see(resource.kind) else ""

    def _drop(
        self, inventory: Inventory, resource: Resource, in_vain: Counter[str] | None = None, *, there: bool = False
    ) -> None:
        """Drop something, a namespace with what is in it; note what the server says when it does not."""
        answer = self._ask(inventory, resource, in_vain, there=there)
        if answer and answer.status == 409 and resource.kind == NAMESPACE:
            for inner in ordered(self._deep(inventory, [resource])):
                self._ask(inventory, inner, in_vain, there=True)
            answer = inventory.drop(resource)
        self.doubtful.pop(resource, None)
        if answer is None:
            self.doubtful[resource] = f"the server cannot drop a {resource.kind}"
        elif answer.status not in (*DROPPED, GONE):
            said = answer.status or answer.failure
            self.doubtful[resource] = f"{answer.operation} is answered with {said}"

    def _ask(
        self, inventory: Inventory, resource: Resource, in_vain: Counter[str] | None, *, there: bool
    ) -> Exchange | None:
        """Ask to drop something; None when the server lacks the operation, or still seems to after some tries.

        Only a sweep tries: `in_vain` counts, for each kind, its tries on what is known to be there.
        """
        if inventory.can_drop(resource.kind):
            return inventory.drop(resource)
        if in_vain is None or in_vain[resource.kind] >= MOST_TRIES:
            return None
        answer = inventory.drop(resource)
        dropped = answer is not None and answer.status in DROPPED
        in_vain[resource.kind] = 0 if dropped else in_vain[resource.kind] + there
        return answer if dropped else None

    def _known(self, resource: Resource) -> Resource:
        """Return what a resource is that is noted or listed as a table."""
        return (
            Resource(REGISTRATION, resource.id)
            if resource.kind == TABLE and resource.id in self.registrations
            else resource
        )

    def _listed(self, inventory: Inventory) -> list[Resource]:
        roots = [self._known(resource) for resource in inventory.roots()]
        opened = [resource for resource in roots if resource.kind == NAMESPACE and resource not in self.put_off]
        return [*roots, *self._deep(inventory, opened)]

    def _deep(self, inventory: Inventory, namespaces: Sequence[Resource]) -> list[Resource]:
        """Return all that is in namespaces, at any depth; a server that shows one list everywhere ends it too."""
        contents: dict[Resource, None] = {}
        level = list(namespaces)
        for _ in range(DEEPEST):
            resources = [self._known(resource) for namespace in level for resource in inventory.inside(namespace)]
            inner = [resource for resource in resources if resource not in contents]
            contents.update(dict.fromkeys(inner))
            level = [resource for resource in inner if resource.kind == NAMESPACE]
            if not level:
                break
        return list(contents)


def _how_far(number: int, resources: Collection[Resource]) -> str:
    """Return the progress of a clean-up, in words."""
    kinds = {resource.kind for resource in resources}
    return f"cleaning up: {number:,} of {len(resources):,} {kinds.pop() if len(kinds) == 1 else 'object'}s"


def ordered(resources: Iterable[Resource], outer: Sequence[str] = ()) -> list[Resource]:
    """Return resources in the order in which they can be dropped: contents first, namespaces from the deepest up.

    `outer` are the kinds of what namespaces lie in, or need: they come last, in this order.
    """
    ranks = {NAMESPACE: 1, **{kind: place for place, kind in enumerate(outer, 2)}}
    return sorted(
        resources, key=lambda resource: (ranks.get(resource.kind, 0), -len(resource.id) * (resource.kind == NAMESPACE))
    )


def summary(left_behind: Collection[Leftover | str]) -> list[str]:
    """Return a line for each kind and reason: "12 tables: dropTable is answered with 405"; older results have lines."""
    lines = [left for left in left_behind if isinstance(left, str)]
    counts = Counter((left.kind, left.reason) for left in left_behind if not isinstance(left, str))
    return [*lines, *(f"{count:,} {kind}{'s' * (count > 1)}: {why}" for (kind, why), count in counts.most_common())]
