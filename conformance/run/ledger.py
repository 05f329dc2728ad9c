"""The ledger of a run: the facts about each tested requirement, and the results that follow from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from conformance.http.wire import SERVER_ERROR
from conformance.replay.beside import unrepeatable
from conformance.replay.expectations import Expectations, same_evidence
from conformance.replay.flaky import FAILED_AGAIN, FAILED_OTHERWISE, SENT_AGAIN, TESTED_AGAIN, as_flaky
from conformance.replay.replaying import Replayed
from conformance.run.crowding import SAMPLE, samples
from conformance.run.verdicts import Decision, Facts, decide
from conformance.values.exchange import Exchange
from conformance.values.kinds import WIRE
from conformance.values.results import Result
from conformance.values.verdict import FAILED, FINDINGS, GOOD, Verdict

MOST_TRIES = 5  # tests of one requirement again, on a server that answers equal requests differently
UNMET = (*FAILED, "blocked")


@dataclass(frozen=True, slots=True)
class Judged:
    """A tested requirement: the facts, and the result before its verdict.

    `otherwise` is the finding in case the server offers the operation that it seemed to lack.
    """

    facts: Facts
    result: Result
    otherwise: Result | None = None


@dataclass
class Ledger:
    """The results of a run so far. `done` returns the operations that have succeeded in it.

    `elsewhere` are verdicts of other processes of the run.
    """

    expectations: Expectations
    done: Callable[[], Collection[str]]
    elsewhere: dict[str, Verdict] = field(default_factory=dict)
    _judged: dict[str, Judged] = field(default_factory=dict)
    _results: dict[str, Result] = field(default_factory=dict)
    _again: set[str] = field(default_factory=set)  # tested, or to be tested, once more
    _repeated: set[str] = field(default_factory=set)  # tested again in place of a replay
    _crowded: dict[str, str] = field(default_factory=dict)  # tested again alone -> the answer before
    _sent_again: dict[str, Replayed] = field(default_factory=dict)
    _tries: Counter[str] = field(default_factory=Counter)  # of each requirement, to see whether its outcome stays

    def take(self, judged: Judged, answers: Sequence[Exchange] = ()) -> Result:
        """Store the facts of a test, in place of those of an earlier one; return its result.

        `answers` are those of its last example: a flaky finding shows the one that differs.
        """
        name = judged.result.id
        before = self._results.get(name)
        if before and name in self._repeated:
            subject = before.evidence.operation if before.evidence else ""
            differs = [answer for answer in answers if answer.operation == subject][-1:]
            replayed = self._compared(before, self._decided(judged)[0])
            self.note_sent_again(name, replace(replayed, exchanges=differs))
            return self._results[name]
        if judged.facts.before is None or before is None or self._decided(judged)[1].reason != "cleaning up":
            self._judged[name] = judged
            before = self._results[name] = self._result(judged)
        return before

    def reconsider(self) -> None:
        """Decide again: operations that seemed to be missing may have succeeded since."""
        for name, judged in self._judged.items():
            if judged.result.lacks or name in self._sent_again:
                self._results[name] = self._result(judged)

    def note_sent_again(self, name: str, replayed: Replayed) -> None:
        """Store the outcome of a finding's replay, and decide its verdict anew."""
        self._sent_again[name] = replayed
        self._results[name] = self._result(self._judged[name])

    @property
    def unsteady(self) -> bool:
        """True when the server answers equal requests differently: a finding came and went, or that is expected."""
        return self.expectations.unsteady or any(result.flaky for result in self._results.values())

    def unsettled(self) -> set[str]:
        """Return the requirements to test again, each MOST_TRIES times at most, as their outcome may vary.

        Checks over all answers are not among them: their findings are replayed.
        """
        chosen = {
            name
            for name, result in self._results.items()
            if result.kind != WIRE and self._tries[name] < MOST_TRIES and self._may_vary(result)
        }
        self._tries.update(chosen)
        self._repeated |= chosen
        return chosen

    def varying(self, names: Collection[str]) -> set[str]:
        """Return those of some requirements whose outcome differed when they were tested again."""
        return {name for name in names if not self._may_vary(self._results[name])}

    def _may_vary(self, result: Result) -> bool:
        """True for failures that got other answers on replay, and on an unsteady server for all that may be flaky.

        There, that includes passes of requirements that should fail.
        """
        if result.verdict in FAILED:
            sent, died = self._sent_again.get(result.id), bool(result.evidence and result.evidence.died)
            return not (result.flaky or died) and (self.unsteady or bool(sent and sent.state == "changed"))
        return self.unsteady and result.verdict == "pass" and self.expectations.states.get(result.id) == "stale"

    def _compared(self, before: Result, again: Result) -> Replayed:
        """Return the outcome of a second test as that of a replay: another failure is no longer the first one."""
        if before.verdict not in FAILED:
            return Replayed("changed" if again.verdict in FAILED else "same", FAILED_AGAIN)
        if again.verdict not in FAILED:
            return Replayed("fixed", TESTED_AGAIN)
        same = again.verdict == before.verdict and same_evidence(again, before) and _same_type(again, before)
        return Replayed("same" if same else "fixed", FAILED_OTHERWISE)

    def wrongly_blocked(self) -> set[str]:
        """Return the requirements to test once more.

        They needed an operation that has succeeded since, or were blocked by such a requirement. Each is returned once.
        """
        met = {name for name in self._again if self.verdict(name) in GOOD}
        chosen = {
            name
            for name, judged in self._judged.items()
            if self._decided(judged)[1].again or self._results[name].blocked_by in met
        } - self._again
        self._again |= chosen
        return chosen

    def crowded(self) -> dict[str, str]:
        """Return findings and blocked requirements to test again alone, with the answer that others may have caused.

        Some for each answer are first: the others follow where one of these passes.
        """
        chosen = {
            name: judged.facts.crowded
            for name, judged in self._judged.items()
            if judged.facts.crowded
            and judged.result.kind != WIRE
            and self._results[name].verdict in UNMET
            and name not in self._again
        }
        caused = set(self.only_in_a_crowd().values())
        tried = Counter(self._crowded.values())
        chosen = {name: answer for name, answer in chosen.items() if answer in caused or tried[answer] < SAMPLE}
        first = samples({name: answer for name, answer in chosen.items() if answer not in caused})
        chosen = {name: answer for name, answer in chosen.items() if answer in caused or name in first}
        self._crowded |= chosen
        self._again |= chosen.keys()
        return chosen

    def only_in_a_crowd(self) -> dict[str, str]:
        """Return the requirements that failed beside others and pass alone, with the answer before."""
        over_all = {name: judged.facts.crowded for name, judged in self._judged.items() if judged.result.kind == WIRE}
        answers = self._crowded | {name: answer for name, answer in over_all.items() if answer}
        return {name: answer for name, answer in answers.items() if self.verdict(name) in GOOD}

    def unrepeatable(self, prefix: str) -> set[str]:
        """Return the findings to test again since no replay can do their steps; each is returned once.

        Their later outcome shows whether they are flaky, in place of a replay. `prefix` is that of the run.
        """
        chosen = {
            result.id
            for result in self.findings()
            if result.kind in SENT_AGAIN
            and not result.flaky
            and any(unrepeatable(step, prefix) for step in result.steps)
        } - self._repeated
        self._repeated |= chosen
        return chosen

    def to_replay(self) -> list[Result]:
        """Return the findings to replay: those whose steps alone show them, and that are not flaky already.

        A replay is repeated only for a check over all answers of an unsteady server: others are tested again.
        """
        chosen = [
            result
            for result in self.findings()
            if result.kind in SENT_AGAIN
            and not result.flaky
            and result.id not in self._repeated
            and not (result.evidence and result.evidence.died)
            and self._tries[result.id] < (MOST_TRIES if self.unsteady and result.kind == WIRE else 1)
        ]
        self._tries.update(result.id for result in chosen)
        return chosen

    def verdict(self, name: str) -> Verdict | None:
        """Return the verdict on a requirement, None without one."""
        result = self._results.get(name)
        return result.verdict if result else self.elsewhere.get(name)

    def unmet(self, needs: Collection[str]) -> list[str]:
        """Return the needs that a server did not meet; a flaky finding may not come again."""
        flaky = {name for name in needs if name in self and self._results[name].flaky}
        return [name for name in needs if self.verdict(name) not in (None, *GOOD) and name not in flaky]

    def results(self) -> list[Result]:
        """Return the results in the order of their tests."""
        return list(self._results.values())

    def findings(self) -> Iterator[Result]:
        """Yield the results that are findings."""
        return (result for result in self._results.values() if result.verdict in FINDINGS)

    def __contains__(self, name: str) -> bool:
        return name in self._results

    def _decided(self, judged: Judged) -> tuple[Result, Decision]:
        """Return the result that the facts select, with the decision on it."""
        name = judged.result.id
        sent = self._sent_again.get(name)
        facts = replace(
            judged.facts,
            succeeded=judged.result.lacks in self.done(),
            tried=name in self._again,
            sent_again=sent.state if sent else None,
            alone=_differs_alone(judged.result, sent),
            unsteady=self.expectations.unsteady,
        )
        shown = judged.otherwise if judged.otherwise and facts.succeeded else judged.result
        return shown, decide(replace(facts, expected=self.expectations.expected(shown)))

    def _result(self, judged: Judged) -> Result:
        """Return the result of a requirement with the decided verdict."""
        shown, decision = self._decided(judged)
        result = msgspec.structs.replace(shown, verdict=decision.verdict)
        if judged.facts.outcome == "violated" and decision.verdict == "pass":  # only the crowd brought it about
            result = msgspec.structs.replace(result, message="", steps=[], evidence=None, notes=[])
        if decision.state:
            result = self.expectations.told(result, decision.state, failed=shown.verdict in FAILED)
        sent = self._sent_again.get(result.id)
        if decision.flaky and sent and sent.state == "fixed":
            return as_flaky(result, sent)
        return msgspec.structs.replace(result, flaky=True) if decision.flaky else result


def _same_type(again: Result, before: Result) -> bool:
    """True when a check got a value of the same JSON type in two tests; the value itself may name objects of a test."""
    return not (again.evidence and before.evidence) or again.evidence.actual_type == before.evidence.actual_type


def _differs_alone(result: Result, sent: Replayed | None) -> bool:
    """True when the request behind a check over all answers got another status alone, and no server error."""
    if result.kind != WIRE or result.evidence is None or sent is None:
        return False
    return 0 < sent.status < SERVER_ERROR and sent.status != result.evidence.status
