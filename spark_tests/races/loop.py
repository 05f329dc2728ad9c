"""Loop of an executor: the clients of one partition, concurrently in one event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from spark_tests.races.apis import race_api
from spark_tests.races.clock import ClockAddress, Offset, drifted, measure, note
from spark_tests.races.records import Record
from spark_tests.races.wire import Sender, Wire, new_session
from spark_tests.races.workload import TrafficClient, Workload

PROGRESS_EVERY = 0.5  # seconds


@dataclass(frozen=True, slots=True)
class TrafficPlan:
    """Plan of an executor: the target, the workload, and the numbers of clients and operations."""

    api: str
    wire: Wire
    workload: Workload
    clock: ClockAddress
    clients: int
    operations: int
    partitions: int

    def share(self, client: int) -> int:
        """Return the number of operations of a client; the sum over all clients is `operations`."""
        each, rest = divmod(self.operations, self.clients)
        return each + (client < rest)


def run_partition(plan: TrafficPlan, index: int) -> Iterator[Record]:
    """Run the clients of a partition, as soon as all partitions are ready.

    Raises TimeoutError if the driver's clock does not respond.
    """
    from pyspark import BarrierTaskContext  # noqa: PLC0415 - optional

    offset = measure(plan.clock)
    BarrierTaskContext.get().barrier()
    records = asyncio.run(_run_clients(plan, index, offset))
    slack = drifted(offset, measure(plan.clock)).slack
    return iter([replace(record, slack=slack) for record in records] if slack else records)


async def _run_clients(plan: TrafficPlan, index: int, offset: Offset) -> list[Record]:
    async with new_session() as session:
        sender = Sender(plan.wire, session)
        clients = [_client(plan, number, sender, offset) for number in range(index, plan.clients, plan.partitions)]
        progress = asyncio.create_task(_report_progress(plan, index, clients))
        await asyncio.gather(*(client.run(plan.share(client.number)) for client in clients))
        progress.cancel()
    return [record for client in clients for record in client.records]


async def _report_progress(plan: TrafficPlan, index: int, clients: Sequence[TrafficClient]) -> None:
    """Send the number of completed operations to the driver, at intervals."""
    while True:
        await asyncio.sleep(PROGRESS_EVERY)
        note(plan.clock, index, sum(len(client.records) for client in clients))


def read_final_state(plan: TrafficPlan) -> list[Record]:
    """Read every object after the race, with one additional client."""

    async def look() -> list[Record]:
        async with new_session() as session:
            client = _client(plan, plan.clients, Sender(plan.wire, session), Offset(0.0, 0.0))
            await client.read_final_state()
            return client.records

    return asyncio.run(look())


def _client(plan: TrafficPlan, number: int, sender: Sender, offset: Offset) -> TrafficClient:
    return race_api(plan.api).client(number, sender, plan.workload, offset)
