"""Measuring faults with several processes in parallel, each with its own embedded server."""

from __future__ import annotations

import atexit
import secrets
import tempfile
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice
from multiprocessing import active_children, get_context

import mutants.faults  # noqa: F401 - so that they can be looked up
from conformance.author.requirement import REQUIREMENTS
from conformance.values.activity import doing
from conformance.values.kinds import WIRE
from conformance.values.settings import Settings
from conformance.values.verdict import FINDINGS
from lakeproof.checking import embedded
from lakeproof.progress import ProgressListener, showing
from mutants.mutation import Likely, Plan, Shown, failing, judging, near, show, who_meets
from mutants.noticed import matching, noticed_file, read_noticed
from mutants.scores import Mutant
from reference_server.faults import FAMILIES, Fault, find_fault
from reference_server.serve import Server
from specs.profiles import find_profile

WAREHOUSE = "default"  # a run that names the warehouse also tests requests that name none
FIRST, KNOWN, ALL = "first", "known", "all"
BATCH = 20  # faults per run
MET = 5  # requirements that are named for a surviving fault
JUDGED = ("pass", *FINDINGS)


@dataclass(frozen=True)
class Bench:
    """Embedded server, the settings that test it, and the requirements that are likely to notice a fault."""

    settings: Settings
    server: Server
    likely: Likely = field(default_factory=Likely)


@dataclass(frozen=True)
class Measuring:
    """Measurement of faults of a revision: the number of processes, and the requirements that each fault is shown to.

    first   requirements until one notices: for a derived fault the requirements that reach it on a server without
            faults, for a written fault the requirements of its operations before all others
    known   every requirement that noticed.toml lists for the fault, or as `first` if it lists none; if the server does
            not offer the operations that they test, the fault counts as one that changed nothing
    all     every requirement of the fault's operations

    Each requirement runs on the server without faults first. `failing` are the requirements that fail there: they
    prove nothing about a fault and are left out.
    """

    profile: str
    asked: str = FIRST
    jobs: int = 1
    failing: set[str] = field(default_factory=set)

    def measure(self, names: Collection[str]) -> Iterator[Mutant]:
        """Yield the measurement of each fault, as soon as it is complete."""
        document = find_profile(self.profile).document()
        faults = {name: replace(find_fault(name, [document]), name=name) for name in names}
        wholly = {name: stages for name, stages in self._fair(self._wholly(faults)).items() if any(stages)}
        for shown in self._shown(wholly, first=False):
            judged = shown.results is None or any(result.verdict in JUDGED for result in shown.results)
            yield _mutant(faults[shown.fault], shown) if judged else _unnoticed(faults[shown.fault], reached=False)
        left = {name: fault for name, fault in faults.items() if name not in wholly}
        derived = {name: fault for name, fault in left.items() if name.partition(":")[0] in FAMILIES}
        yield from self._derived(derived)
        yield from self._written({name: fault for name, fault in left.items() if name not in derived})

    def _written(self, faults: Mapping[str, Fault]) -> Iterator[Mutant]:
        """Show each fault to the requirements of its operations, and the surviving faults to all others."""
        left, everybody = dict(faults), judging(self.profile).keys()
        close = {name: near(self.profile, fault.operations) for name, fault in faults.items()}
        for shown in self._noticed(self._fair({name: (sorted(ids),) for name, ids in close.items()})):
            yield _mutant(left.pop(shown.fault), shown)
        for shown in self._noticed(self._fair({name: (sorted(everybody - close[name]),) for name in left})):
            yield _mutant(left.pop(shown.fault), shown)
        yield from map(_unnoticed, left.values())

    def _fair(self, plan: Plan) -> Plan:
        """Return a plan without the requirements that fail on the server without faults."""
        asked = {name for stages in plan.values() for ids in stages for name in ids}
        if asked:
            with _served(self.profile) as bench, ProgressListener() as listener:
                self.failing.update(failing(bench.settings, asked, listener))
        return {
            fault: tuple([name for name in ids if name not in self.failing] for ids in stages)
            for fault, stages in plan.items()
        }

    def _wholly(self, faults: Mapping[str, Fault]) -> Plan:
        """Return the plan of the faults that every one of their requirements is shown."""
        if self.asked == ALL:
            return {name: (sorted(near(self.profile, fault.operations)),) for name, fault in faults.items()}
        if self.asked == FIRST:
            return {}
        noticed, ids = read_noticed(noticed_file(find_profile(self.profile).api)), judging(self.profile)
        known = {name: sorted(matching(noticed.get(name, ()), ids)) for name in faults}
        return {name: (ids,) for name, ids in known.items() if ids}

    def _near_first(self, fault: Fault, ids: Collection[str]) -> tuple[list[str], list[str]]:
        """Return the requirements of a fault's operations, and the other requirements."""
        close = near(self.profile, fault.operations)
        return [name for name in ids if name in close], [name for name in ids if name not in close]

    def _derived(self, faults: Mapping[str, Fault]) -> Iterator[Mutant]:
        """Show each fault to the requirements of the faults' operations, and the surviving faults to all others."""
        close = near(self.profile, {operation for fault in faults.values() for operation in fault.operations})
        meeting = self._who_meets(faults, close)
        yield from (_unnoticed(faults[name], reached=False) for name in faults.keys() - meeting.keys())
        left = {name: faults[name] for name in meeting}
        for shown in self._noticed(meeting):
            yield _mutant(left.pop(shown.fault), shown)
        for shown in self._noticed(self._who_meets(left, judging(self.profile).keys() - close)):
            yield _mutant(left.pop(shown.fault), shown)
        yield from (_unnoticed(fault, met_by=meeting[name][0]) for name, fault in left.items())

    def _who_meets(self, faults: Mapping[str, Fault], ids: Collection[str]) -> Plan:
        if not faults or not ids:
            return {}
        with (
            _served(self.profile) as bench,
            bench.server.watched(faults.values()) as watch,
            ProgressListener() as listener,
        ):
            meeting = who_meets(bench.settings, ids, watch.take, listener)
        return {name: self._near_first(faults[name], ids) for name, ids in meeting.items()}

    def _noticed(self, plan: Plan) -> Iterator[Shown]:
        return (shown for shown in self._shown(plan, first=True) if shown.noticed_by)

    def _shown(self, plan: Plan, *, first: bool) -> Iterator[Shown]:
        names = list(plan)
        batches = [{name: plan[name] for name in names[at : at + BATCH]} for at in range(0, len(names), BATCH)]
        if self.jobs < 2 or len(batches) < 2:
            for batch in batches:
                with showing():
                    shown = _show(self.profile, batch, first)
                yield from shown
            return
        with processes(self.jobs) as pool:
            left = {pool.submit(_show, self.profile, batch, first) for batch in batches}
            while left:
                with showing(), doing(f"measuring faults: {len(batches) - len(left):,} of {len(batches):,} parts done"):
                    done, left = wait(left, return_when=FIRST_COMPLETED)
                for future in done:
                    yield from future.result()


def _mutant(fault: Fault, shown: Shown) -> Mutant:
    return Mutant(fault=fault.name, breaks=fault.breaks, noticed_by=shown.noticed_by, seconds=shown.seconds)


def _unnoticed(fault: Fault, *, reached: bool = True, met_by: Collection[str] = ()) -> Mutant:
    known = (name for name in met_by if REQUIREMENTS[name].kind != WIRE)  # that kind judges every answer of a run
    return Mutant(
        fault=fault.name, breaks=fault.breaks, noticed_by={}, reached=reached, met_by=list(islice(known, MET))
    )


def _show(profile: str, plan: Plan, first: bool) -> list[Shown]:
    """Show a batch of faults to their requirements; if one that notices is enough, so is its first counterexample."""
    bench = of_process(profile)
    return show(replace(bench.settings, no_shrink=first), plan, bench.likely, first=first)


@contextmanager
def processes(count: int) -> Iterator[ProcessPoolExecutor]:
    """Run a pool of processes; an interruption ends them at once, instead of after their remaining faults."""
    with (
        tempfile.TemporaryDirectory(prefix="lakeproof-mutants-") as folder,
        ProcessPoolExecutor(count, get_context("spawn"), _keep_files_in, (folder,)) as pool,
    ):
        try:
            yield pool
        except (KeyboardInterrupt, GeneratorExit):
            for process in active_children():
                process.terminate()
            raise


def _keep_files_in(folder: str) -> None:
    """Make temporary files of this process in a folder that is removed even if the process is killed."""
    tempfile.tempdir = folder


@cache
def of_process(profile: str) -> Bench:
    """Return the bench of this process; its server runs until the process ends."""
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(_served(profile))


@contextmanager
def _served(profile: str) -> Iterator[Bench]:
    chosen = find_profile(profile)
    settings = Settings(api=chosen.api, profile=chosen.name, warehouse=WAREHOUSE)
    with embedded(settings, secrets.token_urlsafe(12), Server) as (target, server):
        yield Bench(target, server)
