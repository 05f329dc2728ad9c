"""Actions of clients on a Lance namespace.

A name is declared and dropped, a ring is a table that is renamed around three names. A batch declares two
tables at once, and several clients send the same one. A chain is a table; several clients create its next
version. The manifests are staged before the race, which needs access to the files of the table.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from conformance.history import READ
from conformance.history.chains import COMMIT
from conformance.history.cycles import ELSEWHERE
from conformance.history.events import EXISTS, MISSING
from conformance.lance.catalog import LanceCatalog
from conformance.target.target import Target
from conformance.values.outcomes import NotTested, Violation
from spark_tests.races.apis import RaceApi
from spark_tests.races.clock import Offset
from spark_tests.races.manifests import Staged, stage_versions, staged_copy
from spark_tests.races.wire import Sender, WireReply
from spark_tests.races.workload import ClientAction, TrafficClient, Workload
from specs.lance.identifiers import join_parts

STAGED, MARK = "staged", "mark"
VERSIONS_EACH = 100
ROUNDS = 50  # batches with the same number, one after the other
REASONS_OF_ERRORS = {5: EXISTS, 4: MISSING}  # numbers of errors


class LanceTraffic(TrafficClient):
    """Client of a Lance namespace."""

    def __init__(self, number: int, sender: Sender, workload: Workload, offset: Offset) -> None:
        super().__init__(number, sender, workload, offset)
        self._slots: dict[int, int] = {}
        self._versions: dict[int, int] = {}

    def actions(self) -> Iterable[ClientAction]:
        """Return the actions on a Lance namespace."""
        return (
            ClientAction(30, "name", ("DeclareTable", "DropTable"), self.take_or_free),
            ClientAction(15, "ring", ("RenameTable",), self.turn),
            ClientAction(15, "batch", ("BatchCommitTables", "TableExists"), self.commit_batch),
            ClientAction(20, "batch", ("BatchCommitTables", "TableExists"), self.look_at_batch),
            ClientAction(25, "chain", ("CreateTableVersion", "ListTableVersions"), self.make_version),
            ClientAction(10, "chain", ("CreateTableVersion", "ListTableVersions"), partial(self.read_version, None)),
        )

    async def read_final_state(self) -> None:
        """List the latest version of every chain."""
        if self.sender.offers("ListTableVersions"):
            for number in range(self.workload.objects["chain"]):
                await self.read_version(number)

    def id(self, name: str) -> tuple[str, ...]:
        """Return the identifier of a table; on a server without namespaces its name has the race's prefix."""
        return (*self.workload.home, f"{self.workload.details[MARK]}{name}")

    def path(self, name: str) -> dict[str, str]:
        """Return the path values of a table."""
        return {"id": join_parts(self.id(name))}

    # Names

    async def take_or_free(self) -> None:
        """Declare a table under a name that other clients also use, or drop the existing one."""
        number = self.pick("name")
        frees = int(self.choose.random() < 0.5)
        action, operation = ("drop", "DropTable") if frees else ("declare", "DeclareTable")
        start = self.now()
        reply = await self.once(operation, self.path(f"name{number}"), None if frees else {})
        reason = MISSING if frees else EXISTS
        self.note(action, ("name", number), start, reply, value=frees, result=refusal_reason(reply, reason))

    async def turn(self) -> None:
        """Rename a table from its last known name to the next name of its ring."""
        number = self.pick("ring")
        slot = self._slots.get(number, self.choose.randrange(3))
        body: dict[str, Any] = {"new_table_name": self.id(f"ring{number}_{(slot + 1) % 3}")[-1]}
        if self.workload.home:
            body["new_namespace_id"] = list(self.workload.home)
        start = self.now()
        reply = await self.once("RenameTable", self.path(f"ring{number}_{slot}"), body)
        self.note("rename", ("ring", number), start, reply, value=slot, result=refusal_reason(reply, *ELSEWHERE))
        self._slots[number] = (slot + 1) % 3

    # Batches

    async def commit_batch(self) -> None:
        """Declare two tables in one batch that other clients send at about the same time."""
        number, round = self.pick("batch"), self.round()
        body = {"operations": [{"declare_table": {"id": self.id(name)}} for name in batch_names(number, round)]}
        token, start = self.new_token(), self.now()
        reply = await self.once("BatchCommitTables", {}, body)
        self.note(
            COMMIT, ("batch", number, round), start, reply, value=(0, token), result=refusal_reason(reply, EXISTS)
        )

    async def look_at_batch(self) -> None:
        """Check the existence of one table of a batch and then of the other."""
        number, round = self.pick("batch"), self.round()
        names = batch_names(number, round)
        for half in (0, 1) if self.choose.random() < 0.5 else (1, 0):
            start = self.now()
            reply = await self.sender.send("TableExists", self.path(names[half]), {})
            exists = 1 if reply.status == 200 else 0 if refusal_reason(reply, MISSING) else None
            result = None if exists is None else (exists, None)
            self.note(READ, ("batch", number, round), start, reply, value=half, result=result)

    def round(self) -> int:
        """Return the round of this client: all clients are in a round at about the same time."""
        return int(self.progress * (ROUNDS - 1))

    # Chains

    async def make_version(self) -> None:
        """Create the version after the last one that this client knows."""
        number = self.pick("chain")
        base = self._versions.get(number)
        if base is None:
            base = await self.read_version(number)
        staged: Staged = self.workload.details[STAGED][number]
        if base is None or staged.first + base >= staged.last:
            self._versions.pop(number, None)
            return
        body = staged_copy(staged, staged.first + base + 1)
        token, start = self.new_token(), self.now()
        reply = await self.once("CreateTableVersion", self.path(f"chain{number}"), body)
        self.note(COMMIT, ("chain", number), start, reply, value=(base, token))
        if reply.status == 200:
            self._versions[number] = base + 1
        else:
            self._versions.pop(number, None)

    async def read_version(self, number: int | None) -> int | None:
        """List the latest version of a table; versions of the race are counted from 0."""
        number = self.pick("chain") if number is None else number
        start = self.now()
        query = "limit=1&descending=true"
        reply = await self.sender.send("ListTableVersions", self.path(f"chain{number}"), query=query)
        staged: Staged = self.workload.details[STAGED][number]
        versions = reply.value.get("versions") if reply.status == 200 else None
        latest = versions[0]["version"] - staged.first if versions else None
        self.note(READ, ("chain", number), start, reply, result=None if latest is None else (latest, None))
        if latest is not None:
            self._versions[number] = latest
        return latest


def refusal_reason(reply: WireReply, *reasons: str) -> str | None:
    """Return the reason of a rejection, if it is one of these reasons."""
    code = reply.value.get("code") if reply.status >= 400 and isinstance(reply.value, dict) else None
    reason = REASONS_OF_ERRORS.get(code) if isinstance(code, int) else None
    return reason if reason in reasons else None


def batch_names(number: int, round: int) -> tuple[str, str]:
    """Return the names of the tables in a batch."""
    return f"batch{number}_{round}a", f"batch{number}_{round}b"


# Preparing


def objects(clients: int) -> dict[str, int]:
    """Return the number of objects of each kind: few enough for conflicts."""
    return {
        "name": 1 + clients // 10,
        "ring": 1 + clients // 20,
        "batch": 1 + clients // 20,
        "chain": 1 + clients // 25,
    }


def prepare(target: Target, catalog: LanceCatalog, clients: int, seed: int) -> Workload:
    """Create the tables of a race and return its workload.

    Without access to the files of tables there are no chains.
    """
    counts = objects(clients)
    home = catalog.home
    mark = "" if home else f"{catalog.home_name}_"
    names = [(*home, f"{mark}name{number}") for number in range(counts["name"])]
    rings = [[(*home, f"{mark}ring{number}_{slot}") for slot in range(3)] for number in range(counts["ring"])]
    catalog.note_tables([*names, *(id for ring in rings for id in ring)])
    for ring in rings:
        catalog.declare_table(ring[0])
    try:
        chains = [catalog.new_table(f"chain{number}", rows=1) for number in range(counts["chain"])]
        staged = [stage_versions(catalog, id, VERSIONS_EACH) for id in chains]
    except (NotTested, Violation):
        counts["chain"], staged = 0, []
    catalog.note_tables(
        (*home, f"{mark}{name}")
        for number in range(counts["batch"])
        for round in range(ROUNDS)
        for name in batch_names(number, round)
    )
    return Workload(tuple(home), counts, seed, False, {STAGED: staged, MARK: mark})


RACE = RaceApi(LanceTraffic, LanceCatalog, prepare)
