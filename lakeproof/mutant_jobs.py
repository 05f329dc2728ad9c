"""Faults measured by several processes at the same time, each with an embedded server of its own."""

from __future__ import annotations

import atexit
import secrets
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from multiprocessing import get_context

from conformance.apis import requirements
from conformance.mutants.mutation import first_to_notice, judged_by, near, noticed_by, of_findings
from conformance.mutants.noticed import matching, noticed_file, read_noticed
from conformance.mutants.scores import Mutant
from conformance.settings import Settings
from conformance.verdict import FINDINGS
from lakeproof.checking import embedded
from reference_server.faults import FAULTS, find_fault
from reference_server.serve import Server
from specs.profiles import find_profile

WAREHOUSE = "default"  # a run that names it sees what becomes of clients that name none
FIRST, KNOWN, ALL = "first", "known", "all"


@dataclass(frozen=True)
class Bench:
    """A server, the settings that test it, and for each kind of fault the tests that noticed one: likely the next."""

    settings: Settings
    server: Server
    noticing: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))


@dataclass(frozen=True)
class Measuring:
    """What faults are shown to.

    first   requirements of the fault's operations, until one notices
    known   those of noticed.toml, each of them, and as `first` where it names none; where this server offers nothing
            that they are about, the fault changed nothing
    all     each requirement of the fault's operations
    """

    api: str
    asked: str = FIRST

    def measure(self, faults: Iterable[str], jobs: int = 1) -> Iterator[Mutant]:
        """Yield the measurement of each fault, as it is done."""
        if jobs < 2:
            with _served(self.api) as bench:
                yield from (self.measured(fault, bench) for fault in faults)
            return
        with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
            for done in as_completed([pool.submit(_in_process, self, fault) for fault in faults]):
                yield done.result()

    def measured(self, name: str, bench: Bench) -> Mutant:
        """Measure one fault."""
        started = time.perf_counter()
        target, server = bench.settings, bench.server
        likely = bench.noticing[name.partition(":")[0]]
        fault = find_fault(name, [find_profile(self.api).document()])
        ids = near(self.api, fault.operations)
        known = matching(read_noticed(noticed_file(self.api)).get(name, ()), requirements(self.api))
        if self.asked == KNOWN and known:
            results = judged_by(target, name, known)
            noticing = dict.fromkeys(known, 1) if results is None else of_findings(results)
            tested = results is None or any(result.verdict in ("pass", *FINDINGS) for result in results)
        elif self.asked == ALL:
            noticing, tested = noticed_by(target, name, ids), True
        else:
            noticing, tested = first_to_notice(target, name, ids, lambda: _reached(server, name), likely), True
            likely.update(requirements(self.api)[requirement].where for requirement in noticing)
        seconds = round(time.perf_counter() - started, 1)
        reached = tested and _reached(server, name)
        return Mutant(fault=name, breaks=fault.breaks, noticed_by=noticing, reached=reached, seconds=seconds)


def _in_process(measuring: Measuring, fault: str) -> Mutant:
    return measuring.measured(fault, _of_process(measuring.api))


@cache
def _of_process(api: str) -> Bench:
    """Return the bench of this process, whose server runs until the process ends."""
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(_served(api))


@contextmanager
def _served(api: str) -> Iterator[Bench]:
    settings = Settings(api=api, warehouse=WAREHOUSE)
    with embedded(settings, secrets.token_urlsafe(12), Server) as (target, server):
        yield Bench(target, server)


def _reached(server: Server, fault: str) -> bool:
    """True when a fault changed an answer; a written one counts as if it did."""
    return fault in FAULTS or fault in server.reached
