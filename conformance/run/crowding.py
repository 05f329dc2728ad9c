"""Answers that several clients of a run may bring about: server errors, 409 and 429 that no requirement asks for."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.http.client import Client
from conformance.http.wire import CONFLICT, of_a_crowd
from conformance.values.exchange import Exchange
from conformance.values.outcomes import Violation

SAMPLE = 2  # requirements with an answer: if all fail alone, too, the others are not tested again
WAY_OUT = "--jobs 1 tests one requirement after another"


def crowded(client: Client, error: BaseException | None, *, beside_others: bool = True) -> str:
    """Return the operation and the status of the answer behind an error, if several clients may cause it; else "".

    A 409 counts where it is the answer that the error is about. A check over all answers says itself that its answer
    came from a worker.
    """
    if isinstance(error, Violation) and error.crowded:
        return _answer(client.steps[-1])
    if error is None or not beside_others:
        return ""
    found = next((step for step in reversed(client.steps) if _may_be(step)), None)
    return _answer(found) if found else ""


def _answer(step: Exchange) -> str:
    return f"{step.operation} returned {step.status}"


def _may_be(step: Exchange) -> bool:
    due = step.status == CONFLICT and step.mark != "status"
    return bool(step.operation) and of_a_crowd(step.status) and not due


def samples(answers: Mapping[str, str]) -> list[str]:
    """Return the requirements that are tested again first: some for each answer."""
    by_answer: dict[str, list[str]] = {}
    for name, answer in answers.items():
        by_answer.setdefault(answer, []).append(name)
    return [name for names in by_answer.values() for name in names[:SAMPLE]]


def told(answers: Mapping[str, str]) -> list[str]:
    """Return a sentence about each answer that came only while several clients sent requests."""
    counts: dict[str, int] = {}
    for answer in answers.values():
        counts[answer] = counts.get(answer, 0) + 1
    return [
        f"The server fails when several clients write at the same time: {answer} in {_counted(count)} when tested "
        f"alone; {WAY_OUT}."
        for answer, count in counts.items()
    ]


def _counted(count: int) -> str:
    return "1 requirement, which passes" if count == 1 else f"{count:,} requirements, which pass"
