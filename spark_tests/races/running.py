"""Run of a race from the handshake with the target to the verdict: Spark drives, Python judges."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from conformance.history import UNDECIDED, Contradiction, Judgement, Key, judge_history, judge_object
from conformance.history.orders import MOST_ORDERS
from conformance.run.session import handshake
from conformance.target.target import Target, connect
from conformance.values.activity import doing
from conformance.values.resources import Leftover
from conformance.values.results import new_run_id
from conformance.values.settings import Settings
from spark_tests.races.apis import race_api
from spark_tests.races.clock import OnProgress, clock
from spark_tests.races.loop import TrafficPlan, read_final_state, run_partition
from spark_tests.races.records import Record
from spark_tests.races.wire import wire_of
from specs.problems import Problem

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

CLIENTS, OPERATIONS = 1000, 100_000
JUDGED_HERE = 1_000_000  # with more records executors judge; with fewer, sending the records to them takes longer
TOTAL_LOSS = 0.5
CAUSE = re.compile(r"^(?:Caused by: )?(\w+(?:Error|Exception): .+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class RaceSettings:
    """Size of a race. `partitions` 0 means as many as Spark runs in parallel.

    `most_orders` is the number of orders of one object's operations that a judge follows in parallel before it gives
    up.
    """

    clients: int = CLIENTS
    operations: int = OPERATIONS
    partitions: int = 0
    seed: int = 0
    judged_here: int = JUDGED_HERE
    most_orders: int = MOST_ORDERS


@dataclass
class Race:
    """Completed race: its records, the judgement on each object, and the seconds of its phases."""

    id: str
    started: datetime
    settings: RaceSettings
    target: Target
    records: list[Record]
    judgements: list[Judgement]
    seconds: dict[str, float]
    left_behind: list[Leftover] = field(default_factory=list)

    @property
    def contradictions(self) -> list[tuple[Key, Contradiction]]:
        """Contradictions: histories that no order of the operations explains, by object and time."""
        pairs = [(judgement.key, wrong) for judgement in self.judgements for wrong in judgement.contradictions]
        return sorted(pairs, key=lambda pair: (str(pair[0]), pair[1].events[-1].start))

    @property
    def undecided(self) -> list[Judgement]:
        """Judgements on objects about which the race proves nothing, since the judge gave up."""
        return [judgement for judgement in self.judgements if judgement.outcome == UNDECIDED]


Traffic = Callable[["SparkSession", Target, Any, RaceSettings, dict[str, float], OnProgress], list[Record]]
"""Function that prepares objects, runs clients on them and reads them at the end; it records its phases' seconds."""


def ignore_progress(_part: int, _done: int) -> None:
    """Ignore the progress of a race."""


def run_race(
    spark: SparkSession,
    settings: Settings,
    race: RaceSettings,
    traffic: Traffic | None = None,
    on_progress: OnProgress = ignore_progress,
    keep: Callable[[Race], object] = lambda _: None,
) -> Race:
    """Race on a target, by default over the wire, and judge it; `on_progress` receives the progress of each part.

    `keep` receives the judged race before its objects are dropped: an interruption ends the clean-up alone. Raises
    Problem if the target cannot be reached, does not offer the needed operations, or hardly responds.
    """
    started = datetime.now(UTC)
    target = connect(settings)
    handshake(target)
    catalog = race_api(settings.api).catalog(target)
    catalog.begin_example()
    seconds: dict[str, float] = {}
    sandbox, judged = target.sandbox, None
    try:
        records = (traffic or over_the_wire)(spark, target, catalog, race, seconds, on_progress)
        _check(records)
        since = time.perf_counter()
        with doing(f"judging the history of {len(records):,} operations"):
            judgements = judge(spark, records, race)
        seconds["judge"] = time.perf_counter() - since
        judged = Race(new_run_id(started), started, race, target, records, judgements, seconds, sandbox.undropped())
        keep(judged)
    finally:
        try:
            sandbox.sweep()
        except KeyboardInterrupt:
            sandbox.abandon()
            if judged is None:
                raise
    judged.left_behind = sandbox.left_behind
    return judged


def over_the_wire(
    spark: SparkSession,
    target: Target,
    catalog: Any,
    race: RaceSettings,
    seconds: dict[str, float],
    on_progress: OnProgress,
) -> list[Record]:
    """Run clients on the executors that send requests; the traffic of a race over the wire."""
    since = time.perf_counter()
    with doing("creating the objects of the race"):
        workload = race_api(target.settings.api).prepare(target, catalog, race.clients, race.seed)
    seconds["prepare"] = time.perf_counter() - since
    context = spark.sparkContext
    partitions = race.partitions or min(context.defaultParallelism, race.clients)
    driver = context.getConf().get("spark.driver.host", "127.0.0.1") or "127.0.0.1"
    with clock(driver, on_progress) as address:
        wire = wire_of(target)
        plan = TrafficPlan(target.settings.api, wire, workload, address, race.clients, race.operations, partitions)
        since = time.perf_counter()
        records = _collect(context, plan)
        seconds["race"] = time.perf_counter() - since
        return [*records, *read_final_state(plan)]


def _collect(context: SparkContext, plan: TrafficPlan) -> list[Record]:
    """Return the records of all executors. Raises Problem if an executor fails, or runs its part twice."""
    from py4j.protocol import Py4JJavaError  # noqa: PLC0415 - optional
    from pyspark.errors import PySparkException  # noqa: PLC0415

    group = f"race {secrets.token_hex(6)}"
    context.setJobGroup(group, "a race")
    clients = context.parallelize(range(plan.partitions), plan.partitions).barrier()
    try:
        records = clients.mapPartitionsWithIndex(partial(_partition, plan)).collect()
    except (Py4JJavaError, PySparkException) as error:
        raise Problem(
            f"The race failed: {_reason(str(error))}.",
            "Executors on other machines need the kit (--py-files) and must reach the server and this machine "
            "(--conf spark.driver.host=ADDRESS).",
        ) from None
    finally:
        context.setJobGroup("", "")
    if _attempts(context, group):
        raise Problem(
            "Spark lost a part of the race and ran it again, so the operations of its clients are unknown.",
            "Race again.",
        )
    return records


def _attempts(context: SparkContext, group: str) -> int:
    """Return the number of retried tasks in a group's jobs."""
    tracker = context.statusTracker()
    jobs = [job for job in map(tracker.getJobInfo, tracker.getJobIdsForGroup(group)) if job]
    stages = [stage for job in jobs for number in job.stageIds if (stage := tracker.getStageInfo(number))]
    return sum(stage.currentAttemptId for stage in stages)


def _reason(message: str) -> str:
    """Return the line of a Java or Python trace with the error."""
    causes = CAUSE.findall(message)
    return (causes[-1] if causes else message.strip().splitlines()[0]).strip().rstrip(".")


def _partition(plan: TrafficPlan, index: int, _numbers: Iterable[int]) -> Iterable[Record]:
    return run_partition(plan, index)


def _check(records: list[Record]) -> None:
    unanswered = sum(1 for record in records if record.status == 0)
    if not records or unanswered > len(records) * TOTAL_LOSS:
        raise Problem(
            f"{unanswered} of {len(records)} requests have no response: there is nothing to judge.",
            "Check that the executors can reach the server, or race with fewer --clients.",
        )


def judge(spark: SparkSession, records: list[Record], race: RaceSettings) -> list[Judgement]:
    """Judge the history of each object, in the driver or, if there are many records, on executors."""
    if len(records) < race.judged_here:
        judgements = judge_history((record.event() for record in records), race.most_orders)
    else:
        objects = spark.sparkContext.parallelize(records).map(_keyed).groupByKey()
        judgements = objects.map(partial(_judge_object, race.most_orders)).collect()
    return sorted(judgements, key=lambda judgement: str(judgement.key))


def _keyed(record: Record) -> tuple[Key, Record]:
    return record.key, record


def _judge_object(most_orders: int, pair: tuple[Key, Iterable[Record]]) -> Judgement:
    key, records = pair
    events = sorted((record.event() for record in records), key=lambda event: event.start)
    return judge_object(key, events, most_orders)
