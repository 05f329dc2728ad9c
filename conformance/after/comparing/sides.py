"""The server that the document supports for each difference, and the difference in a sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Literal

from conformance.after.comparing.mirror import Deviation, words_of
from conformance.after.grouping import Sighting
from conformance.replay.answers import BODY, ERROR, MEDIA_TYPE, STATUS
from conformance.values.evidence import error_of, shown_step
from conformance.values.exchange import ERROR_STATUS, Exchange
from conformance.values.results import Result, Results
from conformance.values.verdict import FINDINGS

Side = Literal["A", "B", "neither", "open"]
SIDES: tuple[Side, ...] = ("A", "B", "neither", "open")
BLAMED: Mapping[Side, slice] = {"A": slice(1, 2), "B": slice(1), "neither": slice(2), "open": slice(2)}
ONE_HAS = "only A", "only B"
INDEX = re.compile(r"/\d+(?=/|$)")
MOST_NAMES = 3
MOST_SHOWN = 70


def by_side(deviations: Iterable[Deviation], first: Results, second: Results) -> dict[Side, list[Deviation]]:
    """Return the deviations by the server that follows the document: one for each cause, the most frequent first.

    Statuses that differ have one cause if the unsupported answers have the same words: the other server's messages do
    not matter. Fields of one object that only one server returns have one cause if the same requirements showed them.
    """
    causes: dict[Side, dict[Hashable, Deviation]] = {side: {} for side in SIDES}
    for deviation in deviations:
        side = side_of(deviation, first, second)
        cause = causes[side].setdefault(_cause(deviation, side), deviation)
        if cause is not deviation:
            _join(cause, deviation)
    return {
        side: sorted(some.values(), key=lambda deviation: -len(deviation.requirements)) for side, some in causes.items()
    }


def _cause(deviation: Deviation, side: Side) -> Hashable:
    spot, pair = deviation.spot, deviation.pairs[-1]
    if spot.kind in ONE_HAS:
        return spot.place.rpartition("/")[0], spot.kind, tuple(deviation.requirements)
    if spot.place != STATUS:
        return spot.place, spot.kind
    statuses, words = zip(*((exchange.status, words_of(exchange)) for exchange in pair), strict=True)
    blamed = words[BLAMED[side]]
    return statuses, blamed, () if any(map(any, blamed)) else tuple(deviation.operations)


def _join(cause: Deviation, other: Deviation) -> None:
    """Add another deviation of one cause; the shown one is reproducible and has the fewest steps."""
    if (other.seen_once, len(other.pairs)) < (cause.seen_once, len(cause.pairs)):
        cause.spot, cause.pairs, cause.seen_once = other.spot, other.pairs, other.seen_once
    cause.beside += other.spot.kind in ONE_HAS
    cause.operations |= other.operations
    cause.requirements |= other.requirements


def side_of(deviation: Deviation, first: Results, second: Results) -> Side:
    """Return the server that follows the document: by the declared form of the answers, else by the requirements.

    "open" if neither decides: then the document allows both, or no requirement tests it.
    """
    wrong = [_has_defect(exchange, deviation) for exchange in deviation.pairs[-1]]
    if not any(wrong):
        wrong = [_is_found(deviation, run, side) for side, run in enumerate((first, second))]
    return "neither" if all(wrong) else "B" if wrong[0] else "A" if wrong[1] else "open"


def difference(deviation: Deviation) -> str:
    """Return a deviation in a sentence."""
    names = [name or "unknown paths" for name in deviation.operations]
    who = ", ".join(names) if len(names) <= MOST_NAMES else f"{len(names)} operations"
    spot, shown = deviation.spot, [_short(value) for value in (deviation.spot.one, deviation.spot.other)]
    if spot.place == STATUS:
        answers = [f"{value}{_said(exchange)}" for value, exchange in zip(shown, deviation.pairs[-1], strict=True)]
        return f"{who}: A returns {answers[0]}, B returns {answers[1]}"
    what = spot.place.removeprefix("body:").replace(ERROR + ":", "the error's ") or "the rows"
    what = "the media type" if spot.place == MEDIA_TYPE else what
    if spot.kind in ONE_HAS:
        more = f" (and {deviation.beside} more fields)" if deviation.beside else ""
        return f"{who}: {spot.kind} has {what}, {shown[spot.kind == 'only B']}{more}"
    return f"{who}: {what}, {spot.kind.removeprefix('another').strip() or 'value'}: A {shown[0]}, B {shown[1]}"


def _has_defect(exchange: Exchange, deviation: Deviation) -> bool:
    """True when an answer violates the schema, or the list of statuses, at the place of the difference."""
    place = deviation.spot.place
    mark = INDEX.sub("/*", exchange.defect[0]) if exchange.defect else ""
    lacks = deviation.spot.kind in ONE_HAS and mark == place.rpartition("/")[0]
    unreadable = mark == BODY and place.startswith(ERROR) and not isinstance(exchange.json(), dict)
    return bool(mark) and (mark == place or lacks or unreadable or place.startswith(f"{mark}/*"))


def _is_found(deviation: Deviation, run: Results, side: int) -> bool:
    status = deviation.pairs[-1][side].status
    named = {result.id: result for result in run.requirements if result.verdict in (*FINDINGS, "known")}
    return any(_speaks_of(named[name], deviation, status) for name in deviation.requirements if name in named)


def _speaks_of(result: Result, deviation: Deviation, status: int) -> bool:
    """True for a finding about the place of the difference, in one of its operations."""
    step, evidence, place = shown_step(result.steps), Sighting.of(result).evidence, deviation.spot.place
    if step is None or step.operation not in deviation.operations:
        return False
    if place == STATUS:
        return evidence.about_status and evidence.status == status
    mark = INDEX.sub("/*", step.mark)
    if place.startswith(ERROR):  # a body that is not JSON is marked as a whole
        return mark == BODY or (mark.startswith("body:/") and mark.rpartition("/")[2] == place.rpartition(":")[2])
    return mark == place or (mark.startswith("body:/") and place.startswith(f"{mark}/"))


def _said(exchange: Exchange) -> str:
    if exchange.status < ERROR_STATUS:
        return ""
    kind, text = error_of(exchange.to_step())
    said = " ".join([kind, _cut(" ".join(text.split()))]).strip()
    return f" ({said})" if said else ""


def _short(value: Any) -> str:
    return _cut(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _cut(text: str) -> str:
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 1] + "…"
