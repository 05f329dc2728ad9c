"""Causes measured against known truth: the findings of known faults, grouped and compared with their labels.

The label of a finding is the fault that makes it. Where several faults were shown at once, that is each fault that
makes the same finding alone, or else, if the requirement was shown to all of them, each under which it fails in some
way: such a finding belongs to any of them. A finding that no fault makes alone has no label and counts apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from math import ceil
from statistics import median

import msgspec

from conformance.after.causes import find_causes
from conformance.after.claims import untrue_claims
from conformance.values.causes import Cause
from conformance.values.verdict import FINDINGS, Result
from mutants.trials import Trial

Labels = Mapping[str, Collection[str]]
NINETY = 0.9


class Card(msgspec.Struct, kw_only=True):
    """A cause of a trial: its sentence, the number of its findings by label, and the claims that do not hold.

    `named` are the operations in its sentence, none in older measures. `label` is the fault of most findings, "" for
    none.
    `fitting` are the findings that belong to it, `unlabelled` those of no fault alone, `blocked` the requirements that
    could not be tested.
    """

    sentence: str
    example: str
    named: list[str] = []
    label: str
    findings: int
    fitting: int
    unlabelled: int
    blocked: int
    others: list[str]
    untrue: list[str]

    @property
    def judged(self) -> int:
        """The number of findings that have a label."""
        return self.findings - self.unlabelled


class Measure(msgspec.Struct, kw_only=True):
    """The causes of one trial; `told` are the faults whose worst cause names one of their operations."""

    faults: list[str]
    told: list[str] = []
    asked: int
    seconds: float
    connected: bool
    cards: list[Card]

    @property
    def causes_of(self) -> Counter[str]:
        """The number of causes that each fault is seen in, without faults that have no finding."""
        return Counter(fault for card in self.cards for fault in {card.label, *card.others} - {""})


class Score(msgspec.Struct, kw_only=True):
    """Scores of some trials: causes per fault that has findings, purity, mixed causes, and untrue sentences.

    Of ten faults nine have `ninety` causes at most.
    """

    trials: int
    faults: int
    findings: int
    median: float
    ninety: int
    most: int
    told: int
    purity: float
    mixed: int
    causes: int
    untrue: int
    unlabelled: int
    blocked: int


def measure(trial: Trial, labels: Labels, operations: Mapping[str, Collection[str]]) -> Measure:
    """Return the causes of a trial as `find_causes` makes them, compared with the labels of its findings.

    `operations` are those of each fault, none for a fault of all.
    """
    results = {result.id: result for result in trial.results}
    cards = [_card(cause, results, labels) for cause in find_causes(trial.results)]
    worst = {fault: next((card for card in cards if fault == card.label), None) for fault in trial.faults}
    told = [fault for fault, card in worst.items() if card and _names(card, operations.get(fault, ()))]
    return Measure(
        faults=trial.faults,
        told=told,
        asked=len(trial.asked),
        seconds=trial.seconds,
        connected=trial.connected,
        cards=cards,
    )


def labels_of(trial: Trial, alone: Mapping[str, Trial]) -> dict[str, set[str]]:
    """Return the labels of a trial's findings, given the trials of its faults alone; no entry for one without any."""
    each = {fault: {result.id: _signature(result) for result in alone[fault].findings} for fault in trial.faults}
    asked = set.intersection(*(set(alone[fault].asked) for fault in trial.faults))
    labels: dict[str, set[str]] = {}
    for result in trial.findings:
        failing = {fault: found[result.id] for fault, found in each.items() if result.id in found}
        alike = {fault for fault, signature in failing.items() if signature == _signature(result)}
        if found := alike or (set(failing) if result.id in asked else set()):
            labels[result.id] = found
    return labels


def score(measures: Collection[Measure]) -> Score:
    """Return the scores of some trials."""
    counts = [count for measured in measures for count in measured.causes_of.values()]
    cards = [card for measured in measures for card in measured.cards if card.findings]
    judged = sum(card.judged for card in cards)
    return Score(
        trials=len(measures),
        faults=len(counts),
        findings=sum(card.findings for card in cards),
        median=median(counts) if counts else 0,
        ninety=sorted(counts)[ceil(len(counts) * NINETY) - 1] if counts else 0,
        most=max(counts, default=0),
        told=sum(len(measured.told) for measured in measures),
        mixed=sum(bool(card.others) for card in cards),
        purity=sum(card.fitting for card in cards) / judged if judged else 1.0,
        causes=len(cards),
        untrue=sum(bool(card.untrue) for card in cards),
        unlabelled=sum(card.unlabelled for card in cards),
        blocked=sum(card.blocked for measured in measures for card in measured.cards),
    )


def _card(cause: Cause, results: Mapping[str, Result], labels: Labels) -> Card:
    members = [results[name] for name in cause.findings]
    stating = [results[name] for name in cause.requirements]
    counts = Counter(label for member in members for label in labels.get(member.id, ()))
    label = min(counts, key=lambda label: (-counts[label], label), default="")
    misplaced = [labels[member.id] for member in members if member.id in labels and label not in labels[member.id]]
    blocked = [name for name in cause.blocked if results[name].verdict not in FINDINGS]
    return Card(
        sentence=cause.sentence,
        example=cause.example,
        named=_named(cause),
        label=label,
        findings=len(members),
        fitting=counts[label],
        unlabelled=sum(member.id not in labels for member in members),
        blocked=len(blocked),
        others=sorted({min(others, key=lambda other: (-counts[other], other)) for others in misplaced}),
        untrue=sorted(": ".join(filter(None, pair)) for pair in untrue_claims(cause, stating)) if stating else [],
    )


def _named(cause: Cause) -> list[str]:
    """Return the operations that a sentence names or counts."""
    claims = cause.claims
    return sorted({*claims.operations, *claims.writes, claims.write, claims.reader} - {""}) if claims else []


def _names(card: Card, operations: Collection[str]) -> bool:
    return bool(set(card.named) & set(operations)) if operations else bool(card.named)


def _signature(result: Result) -> str:
    return result.evidence.signature if result.evidence else result.message
