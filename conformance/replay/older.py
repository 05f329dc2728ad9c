"""Results of older kits: their findings are sentences alone. No other module parses sentences.

Version 1 of results has neither evidence nor notes; expectations written from version 1 have sentences, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from conformance.values.evidence import Evidence, completed
from conformance.values.exchange import Step
from conformance.values.patterns import GAP, pattern
from conformance.values.results import VERSION, Results
from conformance.values.verdict import GOOD, Result

STATUSES = re.compile(r"^(?:(\S+): expected|who lost should be told) (\d{3}(?: or \d{3})*), (?:got|not) (\d*)")
LABEL = re.compile(r": expected |: lacks |: has |: there should |assert |this does not hold: ")
LIST = re.compile(r": (?:lacks|has) \[")
MORE = re.compile(r" \(and \d+ more\)$")
FLAKY = "flaky: "
SHRINKING = "shrinking stopped after "
BLOCKED_BEFORE = "(blocked in the run of the expectations"


def evidence_of(message: str, steps: Sequence[Step], operations: Sequence[str], where: str = "") -> Evidence:
    """Return the evidence that a sentence of an older kit states, with the steps that show it."""
    match = STATUSES.match(message)
    line = MORE.sub("", message.partition("\n")[0])
    evidence = completed(
        Evidence(
            thing=line,
            relation="items" if LIST.search(line) else "equal" if LABEL.search(line) else "stated",
            actual=line,
            statuses=tuple(int(text) for text in match[2].split(" or ")) if match else (),
            status=int(match[3] or 0) if match else 0,
            operation=(match[1] or "") if match else "",
            worded=True,
        ),
        steps,
        operations,
    )
    label = LABEL.split(line, maxsplit=1)[0].replace(evidence.operation or GAP, GAP)
    return msgspec.structs.replace(evidence, check=pattern(label) if label else where)


def alike(result: Result, message: str) -> bool:
    """True when a finding equals the one of an older kit's sentence: the same expected statuses, or none in both."""
    old, now = evidence_of(message, (), ()), adapted(result).evidence
    if now is None or now.worded:
        return alike_in_words(result.message, message)
    if not (old.about_status and now.about_status):
        return old.about_status == now.about_status
    return (old.statuses, old.status, old.operation or now.operation) == (now.statuses, now.status, now.operation)


def alike_in_words(message: str, other: str) -> bool:
    """True for equal sentences of older kits; names and values are ignored, statuses compared."""
    message, other = message.partition("\n")[0], other.partition("\n")[0]
    return pattern(message) == pattern(other) and STATUSES.findall(message) == STATUSES.findall(other)


def adapted(result: Result) -> Result:
    """Return a result with evidence and notes; one of this kit unchanged."""
    if result.evidence or not result.message or result.verdict in GOOD:
        return result
    first, *others = result.message.split("\n")
    notes = [line for line in others if line.startswith((FLAKY, SHRINKING, BLOCKED_BEFORE))]
    message = "\n".join([first, *(line for line in others if line not in notes)])
    evidence = evidence_of(message, result.steps, result.operations, result.where)
    flaky = any(line.startswith(FLAKY) for line in (first, *notes))
    return msgspec.structs.replace(result, message=message, evidence=evidence, flaky=flaky, notes=notes)


def adapted_results(results: Results) -> Results:
    """Return results in the form of this kit."""
    if results.version == VERSION:
        return results
    return msgspec.structs.replace(results, version=VERSION, requirements=list(map(adapted, results.requirements)))
