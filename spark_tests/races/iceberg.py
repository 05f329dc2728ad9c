"""Actions of clients on an Iceberg catalog.

A chain is a table; each commit adds a snapshot to the previous one, so every success has its own sequence
number. A register is a property that all clients overwrite. The tables of a pair change only in
transactions. A name is created and dropped; a ring is a table that is renamed around three names.
The snapshots refer to no files: a race tests the catalog, and no engine reads its tables.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from conformance.history import READ, Key
from conformance.history.chains import COMMIT
from conformance.history.cycles import ELSEWHERE
from conformance.history.events import EXISTS, MISSING
from conformance.history.registers import AGAIN, SET
from conformance.iceberg.catalog import KEY_LIFETIME, IcebergCatalog
from conformance.iceberg.client import identifier
from conformance.iceberg.support.content import SCHEMA
from conformance.iceberg.support.idempotency import HEADER, new_key
from conformance.iceberg.support.updates import append, requirement, set_properties, update
from conformance.target.target import Target
from spark_tests.races.apis import RaceApi
from spark_tests.races.clock import Offset
from spark_tests.races.wire import Sender, WireReply
from spark_tests.races.workload import REPEAT, ClientAction, TrafficClient, Workload

REASONS_OF_ERRORS = {"AlreadyExistsException": EXISTS, "NoSuchTableException": MISSING}
REGISTER = "value"
SEPARATOR = "separator"
SHORT_LOG = {"write.metadata.previous-versions-max": "1", "write.metadata.delete-after-commit.enabled": "true"}
State = tuple[int, int | None, str]
"""State of a table that a client loaded: sequence number, snapshot, location."""


class IcebergTraffic(TrafficClient):
    """Client of an Iceberg catalog."""

    def __init__(self, number: int, sender: Sender, workload: Workload, offset: Offset) -> None:
        super().__init__(number, sender, workload, offset)
        self._bases: dict[str, State] = {}
        self._slots: dict[int, int] = {}
        self._sent: list[tuple[int, int, dict[str, Any], dict[str, str]]] = []

    def actions(self) -> Iterable[ClientAction]:
        """Return the actions on an Iceberg catalog."""
        return (
            ClientAction(36, "chain", ("loadTable", "updateTable"), self.extend),
            ClientAction(14, "chain", ("loadTable",), self.read_chain),
            ClientAction(10, "register", ("loadTable", "updateTable"), self.write_register),
            ClientAction(10, "register", ("loadTable",), self.read_register),
            ClientAction(8, "pair", ("loadTable", "commitTransaction"), self.commit_pair),
            ClientAction(6, "pair", ("loadTable", "commitTransaction"), self.look_at_pair),
            ClientAction(10, "name", ("createTable", "dropTable"), self.take_or_free),
            ClientAction(6, "ring", ("renameTable",), self.turn),
        )

    # Requests

    def namespace(self) -> dict[str, str]:
        """Return the path values of the race's namespace."""
        return {"namespace": self.workload.details[SEPARATOR].join(self.workload.home)}

    def table(self, name: str) -> dict[str, str]:
        """Return the path values of a table."""
        return {**self.namespace(), "table": name}

    async def load(self, name: str, key: Key, value: Any = None) -> State | None:
        """Load a table, record its state and return it, None if it cannot be loaded."""
        start = self.now()
        reply = await self.sender.send("loadTable", self.table(name))
        seen = state(reply.value) if reply.status == 200 else None
        self.note(READ, key, start, reply, value=value, result=seen[:2] if seen else None)
        if seen:
            self._bases[name] = seen
        return seen

    async def write(self, operation: str, path: Mapping[str, str], body: Any) -> WireReply:
        """Send a write; with idempotency keys, hang up now and then and send it again."""
        if not self.workload.keys or self.choose.random() >= REPEAT:
            return await self.once(operation, path, body)
        headers = {HEADER: new_key()}
        await self.sender.send(operation, path, body, headers=headers, patience=self.choose.random() / 500)
        return await self.sender.send(operation, path, body, headers=headers)

    async def read_final_state(self) -> None:
        """Load every object once more."""
        counts = self.workload.objects
        for number in range(counts["register"]):
            await self.read_register(number)
        for number in range(counts["chain"]):
            await self.load(f"chain{number}", ("chain", number))
        for number in range(counts["pair"]):
            for half, name in enumerate(pair_names(number)):
                await self.load(name, ("pair", number), half)

    # Chains

    async def extend(self) -> None:
        """Commit a snapshot on the last one that this client knows, and store the state in the response."""
        number = self.pick("chain")
        name, key = f"chain{number}", ("chain", number)
        base = self._bases.pop(name, None) or await self.load(name, key)
        if base is None:
            return
        self._bases.pop(name, None)
        token, start = self.new_token(), self.now()
        reply = await self.write("updateTable", self.table(name), extension(base, token))
        seen = state(reply.value) if reply.status == 200 else None
        self.note(COMMIT, key, start, reply, value=(base[0], token), result=seen[:2] if seen else None)
        if seen:
            self._bases[name] = seen

    async def read_chain(self) -> None:
        """Load a table."""
        number = self.pick("chain")
        await self.load(f"chain{number}", ("chain", number))

    # Registers

    async def write_register(self) -> None:
        """Overwrite a property, or repeat an acknowledged request, which must have no effect."""
        if self._sent and self.choose.random() < REPEAT * 4:
            number, token, body, headers = self._sent.pop()
            start = self.now()
            reply = await self.sender.send("updateTable", self.table(f"register{number}"), body, headers=headers)
            self.note(AGAIN, ("register", number), start, reply, value=token)
            return
        number, token, start = self.pick("register"), self.new_token(), self.now()
        body = {"requirements": [], "updates": [set_properties(**{REGISTER: str(token)})]}
        headers = {HEADER: new_key()} if self.workload.keys else {}
        reply = await self.once("updateTable", self.table(f"register{number}"), body, headers=headers)
        self.note(SET, ("register", number), start, reply, value=token)
        if headers and reply.status == 200:
            self._sent.append((number, token, body, headers))

    async def read_register(self, number: int | None = None) -> None:
        """Load a table for its property."""
        number = self.pick("register") if number is None else number
        start = self.now()
        reply = await self.sender.send("loadTable", self.table(f"register{number}"))
        text = reply.value["metadata"].get("properties", {}).get(REGISTER) if reply.status == 200 else None
        self.note(READ, ("register", number), start, reply, result=int(text) if text else None)

    # Pairs

    async def commit_pair(self) -> None:
        """Extend both tables of a pair in one transaction."""
        number = self.pick("pair")
        key, names = ("pair", number), pair_names(number)
        bases = [await self.load(name, key, half) for half, name in enumerate(names)]
        if bases[0] is None or bases[1] is None:
            return
        tokens = self.new_token(), self.new_token()
        known = zip(names, bases, tokens, strict=True)
        changes = [
            {"identifier": identifier((*self.workload.home, name)), **extension(base, token)}
            for name, base, token in known
            if base
        ]
        start = self.now()
        reply = await self.write("commitTransaction", {}, {"table-changes": changes})
        value = tuple((base[0], token) for base, token in zip(bases, tokens, strict=True) if base)
        self.note(COMMIT, key, start, reply, value=value)

    async def look_at_pair(self) -> None:
        """Load one table of a pair and then the other, which must not be older."""
        number = self.pick("pair")
        for half in (0, 1) if self.choose.random() < 0.5 else (1, 0):
            await self.load(pair_names(number)[half], ("pair", number), half)

    # Names

    async def take_or_free(self) -> None:
        """Create a table under a name that other clients also use, or drop the existing one."""
        number = self.pick("name")
        name, start = f"name{number}", self.now()
        if self.choose.random() < 0.5:
            body = {"name": name, "schema": SCHEMA}
            reply = await self.write("createTable", self.namespace(), body)
            self.note("create", ("name", number), start, reply, value=0, result=refusal_reason(reply, EXISTS))
        else:
            reply = await self.write("dropTable", self.table(name), None)
            self.note("drop", ("name", number), start, reply, value=1, result=refusal_reason(reply, MISSING))

    async def turn(self) -> None:
        """Rename a table from its last known name to the next name of its ring."""
        number = self.pick("ring")
        slot = self._slots.get(number, self.choose.randrange(3))
        names = [f"ring{number}_{place % 3}" for place in (slot, slot + 1)]
        source, destination = (identifier((*self.workload.home, name)) for name in names)
        start = self.now()
        reply = await self.write("renameTable", {}, {"source": source, "destination": destination})
        self.note("rename", ("ring", number), start, reply, value=slot, result=refusal_reason(reply, *ELSEWHERE))
        self._slots[number] = (slot + 1) % 3


def refusal_reason(reply: WireReply, *reasons: str) -> str | None:
    """Return the reason of a rejection, if it is one of these reasons."""
    error = reply.value.get("error") if reply.status >= 400 and isinstance(reply.value, dict) else None
    reason = REASONS_OF_ERRORS.get(str(error.get("type"))) if isinstance(error, dict) else None
    return reason if reason in reasons else None


def state(value: Any) -> State:
    """Return the state of a table from a response."""
    metadata = value["metadata"]
    return metadata.get("last-sequence-number", 0), current(metadata), metadata["location"]


def current(metadata: Mapping[str, Any]) -> int | None:
    """Return the current snapshot, None if there is none; older servers return -1."""
    snapshot = metadata.get("current-snapshot-id")
    return None if snapshot in (None, -1) else int(snapshot)


def extension(base: State, token: int) -> dict[str, Any]:
    """Return a commit that replaces the current snapshot, if it is still current."""
    version, parent, location = base
    snapshot: dict[str, Any] = {
        "snapshot-id": token,
        "sequence-number": version + 1,
        "timestamp-ms": time.time_ns() // 1_000_000,
        "manifest-list": f"{location}/metadata/snap-{token}.avro",
        "summary": {"operation": "append"},
        "schema-id": 0,
    }
    if parent is not None:
        snapshot["parent-snapshot-id"] = parent
    removals = [update("remove-snapshots", snapshot_ids=[parent])] if parent is not None else []
    assumed = requirement("assert-ref-snapshot-id", ref="main", snapshot_id=parent)
    return {"requirements": [assumed], "updates": [*append(snapshot), *removals]}


def pair_names(number: int) -> tuple[str, str]:
    """Return the names of the tables of a pair."""
    return f"pair{number}a", f"pair{number}b"


# Preparing


def objects(clients: int) -> dict[str, int]:
    """Return the number of objects of each kind: few enough for conflicts."""
    return {
        "chain": 1 + clients // 10,
        "register": 1 + clients // 15,
        "pair": 1 + clients // 25,
        "name": 1 + clients // 20,
        "ring": 1 + clients // 25,
    }


def prepare(target: Target, catalog: IcebergCatalog, clients: int, seed: int) -> Workload:
    """Create the tables of a race and return its workload."""
    counts = objects(clients)
    names = [f"{kind}{number}" for kind in ("chain", "register") for number in range(counts[kind])]
    names += [name for number in range(counts["pair"]) for name in pair_names(number)]
    names += [f"ring{number}_0" for number in range(counts["ring"])]
    home = catalog.home
    for name in names:
        catalog.create_table((*home, name), schema=SCHEMA, properties=SHORT_LOG)
    others = [f"name{number}" for number in range(counts["name"])]
    others += [f"ring{number}_{slot}" for number in range(counts["ring"]) for slot in (1, 2)]
    catalog.note_tables((*home, name) for name in (*names, *others))
    details = {SEPARATOR: catalog.separator}
    return Workload(tuple(home), counts, seed, bool(target.capabilities.get(KEY_LIFETIME)), details)


RACE = RaceApi(IcebergTraffic, IcebergCatalog, prepare)
