"""Trials of the causes of findings, with several processes in parallel, each with its own embedded server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import dataclass, field, replace

from conformance.values.activity import doing
from lakeproof.progress import showing
from mutants.measuring import of_process, processes
from mutants.mutation import Plan, judging
from mutants.trials import SEPARATOR, Choice, Trial, try_all

BATCH = 5  # trials per run of pytest


@dataclass
class Trying:
    """Trials of a choice of faults: alone first, as their findings are the labels of the others.

    `known` are the trials of an earlier measurement, by the names of their faults; each function of `keep` stores
    a new one.
    """

    choice: Choice
    jobs: int = 1
    keep: Sequence[Callable[[Trial], None]] = ()
    known: dict[str, Trial] = field(default_factory=dict)

    def try_alone(self) -> dict[str, Trial]:
        """Return a trial of each fault."""
        self._try(self.choice.alone)
        return {fault: self.known[fault] for fault in self.choice.alone}

    def try_several(self) -> list[Trial]:
        """Return a trial of each draw."""
        texts = list(dict.fromkeys(map(SEPARATOR.join, self.choice.draws)))
        self._try(texts)
        return [self.known[text] for text in texts]

    def _try(self, texts: Sequence[str]) -> None:
        whole = (sorted(judging(self.choice.api)),)
        missing = [text for text in texts if text not in self.known]
        batches = [dict.fromkeys(missing[at : at + BATCH], whole) for at in range(0, len(missing), BATCH)]
        with showing() as progress:
            task = progress.add_task("", total=len(texts), completed=len(texts) - len(missing), counts="trials")
            for trials in self._batches(batches):
                for trial in trials:
                    self.known[SEPARATOR.join(trial.faults)] = trial
                    for keep in self.keep:
                        keep(trial)
                progress.advance(task, len(trials))

    def _batches(self, batches: Sequence[Plan]) -> Iterator[list[Trial]]:
        if self.jobs < 2 or len(batches) < 2:
            for number, batch in enumerate(batches):
                with doing(f"trying faults, {number:,} of {len(batches):,} parts done"):
                    trials = _try_batch(self.choice.api, batch)
                yield trials
            return
        with processes(self.jobs) as pool:
            left = {pool.submit(_try_batch, self.choice.api, batch) for batch in batches}
            while left:
                with doing(f"trying faults, {len(batches) - len(left):,} of {len(batches):,} parts done"):
                    done, left = wait(left, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()


def _try_batch(api: str, plan: Plan) -> list[Trial]:
    settings = replace(of_process(api).settings, no_shrink=True)
    return list(try_all(settings, plan))
