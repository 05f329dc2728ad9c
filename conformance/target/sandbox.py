"""Sandbox: the resources that a run creates on a server, and their clean-up.

Every name of a run starts with its prefix. A resource that a requirement may create is noted before the request; the
answer decides: refused resources are forgotten, all others are dropped after the requirement. At the end the run lists
its remaining resources and drops them too, contents first. Those that the server still shows are left behind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from conformance.http.client import Client
from conformance.target.findable import Findable, in_threads, ordered
from conformance.target.standing import Doubt, Standing
from conformance.values.activity import Portion, Text, doing
from conformance.values.exchange import Exchange
from conformance.values.resources import NAMESPACE, REGISTRATION, TABLE, Leftover, Names, Resource

DEEPEST = 8
DROPPED = (200, 202, 204)
ACCEPTED = 202
GONE, CONFLICT = 404, 409
UNCLEAR = (408, CONFLICT)  # client errors after which the object may exist
MOST_TRIES = 3  # of an operation that the server seemed to lack: one wrong answer may have said so
SAMPLE = 16  # namespaces that a sweep drops first: if all of them stay, it drops no other
MOST_REFUSALS = 5  # of a drop that never succeeded; the sweep at the end tries again
STAYED = "the server reported the drop as successful, but the object still exists"
T = TypeVar("T")
Tell = Callable[[Text], None]
UNREACHABLE = "may still exist: the server is gone"
ABANDONED = "may still exist: the clean-up did not end"
LOOKING = "cleaning up: looking for what is left"
UNANSWERED = "may still exist: "
UNSEEN = "not verified: no operation of the server shows whether the object exists"


@dataclass
class Sandbox:
    """The resources of a run. `noted` are those to drop, with the evidence that they exist.

    `refused` are those that were noted since the last clean-up and whose creation was refused. `doubtful` are those not
    clearly dropped, with the reason from the server's answer. `registrations` are the ids of all noted registrations:
    servers list them as tables, but they must not be purged. `kept` are resources of the whole run: they are dropped at
    its end. `put_off` are those that a sweep failed to drop, `swept` those that sweeps dropped, according to the
    server's answers. `refusals` are those of drops by kind, without kinds of which one was dropped.
    `sweeping` are those that the present sweep found and has not dropped yet. `restricts` is true when the server has
    refused to drop a namespace that was not empty, `ended` when the sweep at the end is over. A sweep uses as many
    threads as the run has `jobs`.
    """

    client: Client
    inventory: Findable | None = None
    noted: dict[Resource, Standing] = field(default_factory=dict)
    refused: set[Resource] = field(default_factory=set)
    doubtful: dict[Resource, Doubt] = field(default_factory=dict)
    left_behind: list[Leftover] = field(default_factory=list)
    registrations: set[Names | str] = field(default_factory=set)
    kept: dict[Resource, Standing] = field(default_factory=dict)
    put_off: set[Resource] = field(default_factory=set)
    swept: set[Resource] = field(default_factory=set)
    refusals: dict[str, list[str]] = field(default_factory=dict)
    sweeping: set[Resource] = field(default_factory=set)
    restricts: bool = False
    ended: bool = False
    jobs: int = 1
    _cascading: bool = False  # only at the end: until then, drops show what the server offers
    _inner: dict[Names | str | None, list[Resource]] = field(
        default_factory=dict
    )  # listed resources by listed namespace
    _opened: dict[Resource, list[Resource]] = field(default_factory=dict)  # by the present sweep
    _droppable: set[str] = field(default_factory=set)
    _refuses_whole: bool = False  # the server refused to drop a namespace with its tables
    _sources: dict[Names | str, Names | str] = field(default_factory=dict)  # former names, by those asked for

    def note(self, kind: str, ids: Iterable[Names | str]) -> None:
        """Note resources before the request that creates them: without an answer, they are dropped.

        Names of other runs and users are ignored.
        """
        resources = [Resource(kind, id) for id in ids if self.inventory is None or self.inventory.is_ours(id)]
        self.registrations.update(resource.id for resource in resources if resource.kind == REGISTRATION)
        for resource in map(self._known, resources):
            self.noted.setdefault(resource, Standing.NOTED)

    def note_made(self, operation: str, id: Names | str) -> None:
        """Note the resource that a call of an operation on an id may create."""
        if self.inventory and operation in self.inventory.creates:
            self.note(self.inventory.creates[operation], [id])

    def note_request(self, exchange: Exchange) -> None:
        """Note the resource that a request may create, before it is sent again."""
        resource = self.inventory.made_by(exchange) if self.inventory else None
        if resource:
            self.note(resource.kind, [resource.id])

    def note_answer(self, exchange: Exchange) -> None:
        """Note from an answer whether the resource of its request exists: a refused one is forgotten.

        An answer may also report a resource as created that its request names by no text. Requests of a clean-up are
        ignored.
        """
        if self.inventory is None:
            return
        self.restricts |= exchange.status == CONFLICT and exchange.operation == self.inventory.drops[NAMESPACE]
        if self.client.traffic.cleaning:
            return
        if other := self.inventory.made_otherwise(exchange):
            self.noted[other] = Standing.MADE
        if exchange.status in DROPPED and exchange.status != ACCEPTED and not self.client.recording.at_once:
            self._forget_dropped(self.inventory, exchange)
        resource = self._made_by(self.inventory, exchange)
        standing = self._standing(self.inventory, exchange)
        if standing is None:
            self._forget(resource)
        elif resource and (resource in self.noted or resource in self.refused):
            self.noted[resource] = max(standing, self.noted.get(resource, standing))

    def _forget_dropped(self, inventory: Findable, exchange: Exchange) -> None:
        """Forget a resource that the server reports as dropped or renamed: what is still there is found in the end.

        Requests at the same time may have been done in another order: then nothing is forgotten.
        """
        operation, id = inventory.dropped_by(exchange) or ("", None)
        made = inventory.made_by(exchange) if exchange.operation in inventory.renames else None
        kinds = [kind for kind, drop in inventory.drops.items() if drop == operation]
        if made and (source := self._sources.pop(made.id, None)) is not None:
            kinds, id = [made.kind, REGISTRATION], source
        for resource in (Resource(kind, id) for kind in kinds if id):
            self.noted.pop(resource, None)
            self.kept.pop(resource, None)

    def note_unsent(self, exchange: Exchange) -> None:
        """Forget the resource of a request that is not sent."""
        if self.inventory:
            self._forget(self._made_by(self.inventory, exchange))

    def _forget(self, resource: Resource | None) -> None:
        """Forget a noted resource, unless another request may have created it."""
        if resource and self.noted.get(resource) is Standing.NOTED:
            del self.noted[resource]
            self.refused.add(resource)

    def _made_by(self, inventory: Findable, exchange: Exchange) -> Resource | None:
        """Return the resource that a request may create, a registration as one."""
        resource = inventory.made_by(exchange)
        return self._known(resource) if resource else None

    def may_have_made(self, exchanges: Iterable[Exchange]) -> bool:
        """True when an exchange may have created a resource: a creation was not refused."""
        inventory = self.inventory
        return inventory is not None and any(
            inventory.made_otherwise(exchange)
            or (inventory.made_by(exchange) and self._standing(inventory, exchange) is not None)
            for exchange in exchanges
        )

    def note_renamed(self, operation: str, source: Names | str, destination: Names) -> None:
        """Note the new name that a call of an operation may give to a resource: a registration stays one."""
        if self.inventory and operation in self.inventory.renames:
            kind = self.inventory.renames[operation]
            self.note(REGISTRATION if source in self.registrations else kind, [destination])
            self._sources[destination] = source

    def keep(self) -> None:
        """Keep all noted resources until the end of the run."""
        self.kept.update(self.noted)
        self.noted.clear()
        if self.inventory:
            self.inventory.keep()

    def clean_up(self, *, look: bool = False) -> None:
        """Drop the resources noted since the last call, and with `look` also those found in their namespaces.

        An interrupted clean-up continues at its next call. When the server is gone, all of them are left behind.
        """
        if self.client.gone:
            self._give_up(UNREACHABLE)
        if self.inventory is None or self.client.gone or self.client.traffic.gate:
            return
        with self.client.cleaning(), doing("cleaning up") as tell:
            self.refused.clear()
            self.inventory.prepare()
            if look:
                namespaces = [resource for resource in self.noted if resource.kind == NAMESPACE]
                self.noted.update(dict.fromkeys(self._deep(self.inventory, namespaces), Standing.MADE))
            self._drop_whole(self.inventory)
            resources = ordered(self.noted, self.inventory.outer)
            portion = Portion("cleaning up", "objects", len(resources))
            tell(portion)
            for portion.done, resource in enumerate(resources):
                self._drop(self.inventory, resource, made=self.noted[resource] is Standing.MADE)
                del self.noted[resource]

    def _drop_whole(self, inventory: Findable) -> None:
        """Drop noted namespaces with their tables in one request each, where the server was seen to drop both.

        What is still there is found in the end. A server that refused such a request once gets no other.
        """
        if not {inventory.drops.get(TABLE), inventory.drops[NAMESPACE]} <= self.client.known.done:
            return
        for namespace in ordered(resource for resource in self.noted if resource.kind == NAMESPACE):
            inner = [made for made in self.noted if made != namespace and made.id[: len(namespace.id)] == namespace.id]
            full = namespace in self.noted and any(made.kind == TABLE for made in inner)
            if not full or self._refuses_whole or any(made.id in self.registrations for made in inner):
                continue
            self._refuses_whole = self._drop_at_once(inventory, namespace) is None
            for resource in () if self._refuses_whole else (namespace, *inner):
                del self.noted[resource]

    def sweep(self, *, end: bool = True) -> None:
        """Drop all resources that the server still lists for the run, list again, and note those left behind.

        Resources of the whole run stay until its end. A resource that an earlier sweep could not drop is tried again,
        and opened, only at the end: a run sweeps after each finding, and there may be many of both.
        """
        if end and self.inventory:
            self.inventory.release()
        self.clean_up()
        if self.inventory is None or self.client.gone or self.client.traffic.gate:
            return
        with self.client.cleaning(), doing(LOOKING) as tell:
            self._cascading = end
            if end:
                self.doubtful |= {
                    resource: Doubt("no drop was sent", standing is Standing.MADE)
                    for resource, standing in self.kept.items()
                }
                for memory in (self.kept, self.put_off, self.refusals):
                    memory.clear()
            found = self._roots(self.inventory)
            if not end:  # a resource that survived a successful drop is not dropped again
                self.put_off |= self.swept & found.keys()
                found = {resource: None for resource in found if resource not in self.put_off}
            self.swept.update(found)
            self.sweeping = set(found)
            self._clear(self.inventory, found, tell)
            tell(LOOKING)
            listed = self._listed(self.inventory, tell) if end or self._doubts() else {}
            reasons = self._reasons(self.inventory, listed, tell)
        self.left_behind = [] if end else self.left_behind
        self.left_behind += [
            Leftover(resource.kind, resource.name, reason) for resource, reason in reasons.items() if reason
        ]
        self.put_off.update(reasons)
        self.ended = end

    def _clear(self, inventory: Findable, found: Mapping[Resource, None], tell: Tell) -> None:
        """Drop the found and the doubtful resources: what lies in one namespace in one thread, the outer kinds last.

        If none of a sample of namespaces is dropped, the others are opened alone.
        """
        doubts, in_vain = self._doubts(), Counter[str]()
        self._opened.clear()
        units: dict[Names | str, list[Resource]] = {}
        outer: list[Resource] = []
        tops = {resource.id for resource in found if resource.kind == NAMESPACE}
        self._inner.clear()
        for resource in found:
            top = next((resource.id[:end] for end in range(len(resource.id)) if resource.id[:end] in tops), None)
            self._inner.setdefault(top, []).append(resource)
        for resource in ordered({**dict.fromkeys(self._inner.get(None, ())), **doubts}, inventory.outer):
            place = resource.id if isinstance(resource.id, str) else resource.id[: len(inventory.base) + 1]
            (outer if resource.kind in inventory.outer else units.setdefault(place, [])).append(resource)

        def clear(inventory: Findable, unit: Sequence[Resource]) -> None:
            for resource in unit:
                made = resource in found or doubts[resource].made
                self._drop(inventory, resource, in_vain, made=made, there=resource in found)
                self.sweeping.discard(resource)

        every = list(units.values())
        sample = every[:: len(every) // SAMPLE] if len(every) > 2 * SAMPLE else every
        self._each(inventory, sample, clear, "dropped", tell)
        if len(sample) < len(every):
            tried = {unit[-1] for unit in sample if unit[-1].kind == NAMESPACE}
            if tried and tried <= self._roots(inventory).keys():
                self.refusals.setdefault(NAMESPACE, []).extend([STAYED] * MOST_REFUSALS)
                in_vain[NAMESPACE] = MOST_TRIES
            chosen = {id(unit) for unit in sample}
            self._each(inventory, [unit for unit in every if id(unit) not in chosen], clear, "dropped", tell)
        for resource in outer:
            clear(inventory, [resource])

    def _each(
        self,
        inventory: Findable,
        things: Sequence[T],
        action: Callable[[Findable, T], None],
        what: str,
        tell: Tell,
    ) -> None:
        """Call an action for each thing in the threads of the run, and show how many are done."""
        portion = Portion(f"cleaning up, {what}", "objects", len(things))

        def act(own: Findable, thing: T) -> None:
            action(own, thing)
            portion.done += 1

        if things:
            tell(portion)
        in_threads(inventory, self.jobs, things, act)

    def _standing(self, inventory: Findable, exchange: Exchange) -> Standing | None:
        """Return the evidence of an answer that the resource of its request exists, None for a refusal."""
        if exchange.succeeded:
            return Standing.OPEN if inventory.only_stages(exchange) else Standing.MADE
        return None if 400 <= exchange.status < 500 and exchange.status not in UNCLEAR else Standing.OPEN

    def undropped(self) -> list[Leftover]:
        """Return the objects made and not dropped so far, as left behind by a clean-up that does not end."""
        return [Leftover(made.kind, made.name, ABANDONED) for made in ordered({**self.noted, **self.kept})]

    def abandon(self) -> None:
        """Note all that was made and not dropped as left behind: the clean-up was interrupted, and nobody looks."""
        self._give_up(ABANDONED)

    def _give_up(self, reason: str) -> None:
        """Note all that was made and not dropped as left behind."""
        made = {
            resource for resource, standing in {**self.noted, **self.kept}.items() if standing is not Standing.NOTED
        }
        self.doubtful |= dict.fromkeys((*made, *self.sweeping), Doubt(reason, made=False))
        self.noted.clear()
        self.kept.clear()
        self.left_behind = [Leftover(left.kind, left.name, reason) for left in ordered(self.doubtful)]

    def _doubts(self) -> dict[Resource, Doubt]:
        """Return the resources not clearly dropped, without those put off."""
        return {resource: doubt for resource, doubt in self.doubtful.items() if resource not in self.put_off}

    def _roots(self, inventory: Findable) -> dict[Resource, None]:
        """Return the resources that the server lists for the run at the first level, without those kept or put off."""
        left_out = {*self.kept, *self.put_off}
        return {resource: None for resource in map(self._known, inventory.roots()) if resource not in left_out}

    def _listed(self, inventory: Findable, tell: Tell) -> dict[Resource, None]:
        """Return the resources that the server lists now.

        A namespace that is still there is opened, unless it has been and was empty.
        """
        listed = self._roots(inventory)
        full = [root for root in listed if root.kind == NAMESPACE and self._opened.get(root, True)]

        def open_one(own: Findable, root: Resource) -> None:
            self._opened[root] = self._deep(own, [root])

        self._each(inventory, full, open_one, "opened", tell)
        left_out = {*self.kept, *self.put_off}
        inner = (resource for root in full for resource in self._opened[root] if resource not in left_out)
        return listed | dict.fromkeys(inner)

    def _reasons(self, inventory: Findable, listed: Collection[Resource], tell: Tell) -> dict[Resource, str]:
        """Return the listed and the doubtful resources with the reason why each is left behind, "" if it is not."""
        left = ordered({**dict.fromkeys(listed), **self._doubts()})
        reasons = dict.fromkeys(left, "")

        def look(own: Findable, resource: Resource) -> None:
            reasons[resource] = self._reason(own, resource, listed)

        self._each(inventory, left, look, "looked at", tell)
        return reasons

    def _reason(self, inventory: Findable, resource: Resource, listed: Collection[Resource]) -> str:
        """Return why a resource is left behind, "" if it is not.

        It exists when any operation shows it, a listing without another request: there may be thousands of them.
        Where no operation shows it, or none answers, it may exist if its creation succeeded.
        """
        doubt = self.doubtful.get(resource, Doubt(STAYED, made=False))
        there = resource in listed or inventory.is_there(resource)
        if there:
            return doubt.reason
        if there is not None or not doubt.made:
            return ""
        if not doubt.answered:
            return f"{UNANSWERED}{doubt.reason}"
        return "" if inventory.can_see(resource.kind) else UNSEEN

    def _drop(
        self,
        inventory: Findable,
        resource: Resource,
        in_vain: Counter[str] | None = None,
        *,
        made: bool,
        there: bool = False,
    ) -> None:
        """Drop a resource, a namespace with its contents; note the answer of a failed drop.

        A listed namespace is opened first only where the run has not seen that the server refuses to drop a full one:
        most are empty.
        """
        container = resource.kind == NAMESPACE
        opened = container and there and not self.restricts
        if opened:
            self._empty(inventory, resource, in_vain)
        answer = self._ask(inventory, resource, in_vain, there=there)
        full = container and answer is not None and answer.status == CONFLICT
        if full and self._cascading and (at_once := self._drop_at_once(inventory, resource)):
            answer = at_once
        elif full or (container and there and not opened and (answer is None or answer.status not in (*DROPPED, GONE))):
            emptied = not opened and self._empty(inventory, resource, in_vain)
            answer = inventory.drop(resource) if emptied and answer else answer
        self.doubtful.pop(resource, None)
        if answer is None:
            words = self.refusals.get(resource.kind, [f"the server cannot drop a {resource.kind}"])
            self.doubtful[resource] = Doubt(words[-1], made)
        elif answer.status == GONE and there:
            self.doubtful[resource] = Doubt(f"{_refusal(answer)}, although a listing has the object", made)
        elif answer.status not in (*DROPPED, GONE):
            self.doubtful[resource] = Doubt(_refusal(answer), made, answered=answer.status != 0)

    def _drop_at_once(self, inventory: Findable, namespace: Resource) -> Exchange | None:
        """Drop a namespace with its contents; return None where that fails, or would purge the files of others."""
        if any(id[: len(namespace.id)] == namespace.id for id in self.registrations):
            return None
        answer = inventory.drop_with_contents(namespace)
        return answer if answer and answer.status in DROPPED else None

    def _empty(self, inventory: Findable, namespace: Resource, in_vain: Counter[str] | None) -> bool:
        """Drop the contents of a namespace; return True if it has any."""
        contents = {*self._deep(inventory, [namespace]), *self._inner.get(namespace.id, ())}
        self._opened[namespace] = list(contents)
        for inner in ordered(contents):
            self._drop(inventory, inner, in_vain, made=True)
        return bool(contents)

    def _ask(
        self, inventory: Findable, resource: Resource, in_vain: Counter[str] | None, *, there: bool
    ) -> Exchange | None:
        """Drop a resource; None when the server lacks the operation, or still seems to after some tries.

        The same holds for an operation that refused its first requests. Then only a sweep tries: `in_vain` counts, for
        each kind, its tries that were refused or concerned resources known to exist.
        """
        kind = resource.kind
        offered = inventory.can_drop(kind) and len(self.refusals.get(kind, ())) < MOST_REFUSALS
        if not offered and (in_vain is None or in_vain[kind] >= MOST_TRIES):
            return None
        answer = inventory.drop(resource)
        dropped = answer is not None and answer.status in DROPPED
        refused = answer is not None and answer.status not in (*DROPPED, GONE, CONFLICT)
        if dropped:
            self._droppable.add(kind)
            self.refusals.pop(kind, None)
        elif refused and answer and kind not in self._droppable:
            self.refusals.setdefault(kind, []).append(_refusal(answer))
        if in_vain is not None and not offered:
            in_vain[kind] = 0 if dropped else in_vain[kind] + (there or refused)
        return answer if dropped or offered else None

    def _known(self, resource: Resource) -> Resource:
        """Return a resource noted or listed as a table as a registration, if it is one."""
        return (
            Resource(REGISTRATION, resource.id)
            if resource.kind == TABLE and resource.id in self.registrations
            else resource
        )

    def _deep(self, inventory: Findable, namespaces: Sequence[Resource]) -> list[Resource]:
        """Return the contents of namespaces, at any depth; a server that lists the same everywhere ends the walk."""
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


def _refusal(answer: Exchange) -> str:
    """Return the answer to a drop that dropped nothing, in words."""
    said = f"returned {answer.status}" if answer.status else f"got no answer ({answer.failure})"
    return f"{answer.operation} {said}"
