"""What runs on an executor: the clients of one partition, all at the same time in one event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from spark_tests.races.apis import race_api
from spark_tests.races.clock import ClockAddress, Offset, drifted, measure, note
from spark_tests.races.players import Player, Scene
from spark_tests.races.records import Record
from spark_tests.races.wire import Sender, Wire, new_session

TOLD_EVERY = 0.5  # seconds


@dataclass(frozen=True, slots=True)
class Play:
    """What an executor is told: the target, the stage, and how many clients do how much."""

    api: str
    wire: Wire
    scene: Scene
    clock: ClockAddress
    clients: int
    operations: int
    partitions: int

    def share(self, client: int) -> int:
        """Return how many operations a client has: all together have `operations`."""
        each, rest = divmod(self.operations, self.clients)
        return each + (client < rest)


def play_partition(play: Play, index: int) -> Iterator[Record]:
    """Run the clients of a partition, from the moment at which all partitions are ready.

    Raises TimeoutError when the driver's clock does not answer.
    """
    from pyspark import BarrierTaskContext  # noqa: PLC0415 - optional where nobody races

    offset = measure(play.clock)
    BarrierTaskContext.get().barrier()
    records = asyncio.run(_play(play, index, offset))
    slack = drifted(offset, measure(play.clock)).slack
    return iter([replace(record, slack=slack) for record in records] if slack else records)


async def _play(play: Play, index: int, offset: Offset) -> list[Record]:
    async with new_session() as session:
        sender = Sender(play.wire, session)
        players = [_player(play, number, sender, offset) for number in range(index, play.clients, play.partitions)]
        telling = asyncio.create_task(_tell(play, index, players))
        await asyncio.gather(*(player.play(play.share(player.number)) for player in players))
        telling.cancel()
    return [record for player in players for record in player.records]


async def _tell(play: Play, index: int, players: Sequence[Player]) -> None:
    """Tell the driver now and then how much is done."""
    while True:
        await asyncio.sleep(TOLD_EVERY)
        note(play.clock, index, sum(len(player.records) for player in players))


def look_last(play: Play) -> list[Record]:
    """Read everything once more, when the race is over. The reader is one client more."""

    async def look() -> list[Record]:
        async with new_session() as session:
            player = _player(play, play.clients, Sender(play.wire, session), Offset(0.0, 0.0))
            await player.look_last()
            return player.records

    return asyncio.run(look())


def _player(play: Play, number: int, sender: Sender, offset: Offset) -> Player:
    return race_api(play.api).player(number, sender, play.scene, offset)
