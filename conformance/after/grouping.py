"""Grouping of findings by cause: failing steps that got the same answer for the same reason.

A finding has keys; findings that share a key have one cause, transitively. Keys are made of evidence, never of
sentences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from conformance.after.common_words import count_words
from conformance.replay.older import adapted
from conformance.values.evidence import Evidence
from conformance.values.exchange import ERROR_STATUS
from conformance.values.patterns import GAP, pattern, raw_pattern
from conformance.values.verdict import FINDINGS, Result

EFFECT = ".effect."  # of the ids of requirements that look at everything that shows a write
OF_EFFECTS = ("behaviour", "data")  # kinds of requirement that a write without effect breaks
OF_A_ROUTER = 1  # refusal of an operation: of a path that is no text
TELLING = 6  # number of words that identify an error in another operation
FEWEST = 3  # number of words that identify an error of one operation where one status was expected
TELLING_HEAD = 4  # number of words that identify the beginning of an error
OF_A_WRITE = ("not done", "done", "stale")  # outcomes of experiments that name what is wrong with a write
OF_A_FIELD = ("subject", "list")  # keys that name a wrong field
MOST_RULES = 5  # that findings of one defect of a field violate: more of them name a field that holds everything
MISSING = 404
FORBIDDEN = (403,)
HIDING = (401, MISSING)  # refuse a caller, though not with 403
USUAL = (200, 201, 202, 204)  # successes of APIs: another one is the same defect, whatever was due
SERVER_ERRORS = 500
Key = tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class Reached:
    """The answers that were due and came in a whole run: what a server never did at all has one cause.

    `statuses` are those of any operation; `refusing` are the operations that refused something as they should,
    `careless` those that accepted something wrong which concerns no privilege. `effective` are those that do something:
    all that shows their effect was right, or of the requirements about them more than a third are met.
    """

    statuses: frozenset[int] = frozenset()
    refusing: frozenset[str] = frozenset()
    careless: frozenset[str] = frozenset()
    effective: frozenset[str] = frozenset()

    @classmethod
    def of(cls, results: Iterable[Result]) -> Reached:
        """Return the answers that the requirements of a run reached; none for findings alone, without passes."""
        results = list(results)
        whole = any(result.verdict == "pass" for result in results)
        pairs = [entry.rpartition(" ")[::2] for result in results for entry in result.reached if whole]
        refusals = Counter(operation for operation, status in pairs if int(status) >= ERROR_STATUS)
        refusing = frozenset(operation for operation, count in refusals.items() if count > OF_A_ROUTER)
        seen = [adapted(result).evidence for result in results if whole]
        accepted = [evidence for evidence in seen if evidence and _accepted(evidence)]
        careless = frozenset(evidence.operation for evidence in accepted if not _of_privileges(evidence))
        effective = _effective(results) if whole else frozenset[str]()
        return cls(frozenset(int(status) for _, status in pairs), refusing, careless, effective)


def _effective(results: Iterable[Result]) -> frozenset[str]:
    """Return the operations that do something."""
    found, surplus = set[str](), Counter[str]()
    for result in results:
        passed, subject = result.verdict == "pass", "".join(result.operations[:1])
        if passed and EFFECT in result.id:
            found.add(subject)
        if result.kind in OF_EFFECTS and result.verdict in ("pass", *FINDINGS):
            surplus[subject] += 2 if passed else -1
    return frozenset({*found, *(subject for subject, count in surplus.items() if count > 0)})


@dataclass(frozen=True, slots=True)
class Sighting:
    """A finding, or a blocked requirement, with its evidence and what its run reached."""

    result: Result
    evidence: Evidence
    reached: Reached = Reached()

    @classmethod
    def of(cls, result: Result, reached: Reached = Reached()) -> Sighting:
        """Return a finding of this kit or of an older one."""
        return cls(result, adapted(result).evidence or Evidence(thing=result.message), reached)


def group(findings: Sequence[Sighting]) -> list[list[Sighting]]:
    """Return findings by cause, in order of occurrence."""
    roots = list(range(len(findings)))

    def root(place: int) -> int:
        while roots[place] != place:
            place = roots[place] = roots[roots[place]]
        return place

    first: dict[Key, int] = {}
    keys = [list(keys_of(finding)) for finding in findings]
    broad = _broad(findings, keys)
    for place, own in enumerate(keys):
        for key in own:
            if key in broad:
                continue
            leader, other = root(first.setdefault(key, place)), root(place)
            roots[max(leader, other)] = min(leader, other)
    groups: dict[int, list[Sighting]] = {}
    for place, finding in enumerate(findings):
        groups.setdefault(root(place), []).append(finding)
    return list(groups.values())


def _broad(findings: Sequence[Sighting], keys: Sequence[Sequence[Key]]) -> set[Key]:
    """Return the keys of fields that findings of many rules name, such as an object that holds everything else."""
    rules: dict[Key, set[str]] = {}
    for finding, own in zip(findings, keys, strict=True):
        for key in own:
            if key[0] in OF_A_FIELD:
                rules.setdefault(key, set()).add(finding.result.clause.id)
    fields = {key[-1] for key, broken in rules.items() if len(broken) > MOST_RULES}
    return {key for key in rules if key[-1] in fields}


def keys_of(finding: Sighting) -> Iterator[Key]:
    """Yield the keys of a finding: those of its error, which valid and invalid requests may share, and of its kind."""
    evidence = finding.evidence
    if evidence.relation == "present" and evidence.field and not evidence.field.startswith("/"):
        yield "lacks", evidence.field  # the check went no further
        return
    if len(evidence.world) == 1:
        yield "world", *evidence.world, evidence.operation
    if evidence.relation == "present" and evidence.leaf and not evidence.refused:
        yield "omits", evidence.leaf  # it may have nothing in common with a wrong value of the field
        return
    yield from _of_one_error(evidence)
    yield from _of_one_answer(finding)
    if len(evidence.world) == 1 and evidence.request == "valid" and is_refusal(evidence):
        yield "world", *evidence.world, evidence.status
    if not evidence.said.page:
        got = evidence.status if evidence.about_status else evidence.refused
        kind = (evidence.about_status, evidence.request == "valid", got)
        yield from ((kind, *key) for key in _of_a_kind(finding))


def is_refusal(evidence: Evidence) -> bool:
    """True for a 4xx of the API; a failure and a page may have any reason."""
    return evidence.about_status and ERROR_STATUS <= evidence.status < SERVER_ERRORS and not evidence.said.page


def _of_one_error(evidence: Evidence) -> Iterator[Key]:
    """Yield the keys of an error that says enough to be the same wherever it occurs: a page, or a long message."""
    got, said = evidence.status, pattern(evidence.said.message)
    if evidence.died:
        yield "died", evidence.actual
    if evidence.state in OF_A_WRITE:
        yield "write", evidence.write, evidence.state
    if evidence.state == "unsteady":
        yield "unsteady", evidence.operation
    if evidence.said.page:
        yield "page", got, evidence.operation if evidence.request == "valid" and got >= SERVER_ERRORS else ""
    elif evidence.about_status and got and evidence.refused and count_words(said) >= TELLING:
        yield "text", got, evidence.said.type, said


def _of_one_answer(finding: Sighting) -> Iterator[Key]:
    """Yield the keys of an answer that several requirements see, each with a check and an expectation of its own."""
    evidence = finding.evidence
    if _of_privileges(evidence) and evidence.status not in HIDING and not _accepts_all(finding):
        yield ("let through",)  # no check of privileges, whatever the operation then answers
    if evidence.refused:
        if evidence.about_status or finding.result.kind != "wire":  # a wire finding is about the form of any error
            yield from _refusals_seen(evidence)
    elif evidence.about_status:
        yield from _successes_seen(finding)
    else:
        yield from _values_seen(finding.result, evidence)


def _refusals_seen(evidence: Evidence) -> Iterator[Key]:
    """Yield the keys of an error that was seen for several requests; a valid one needs telling words."""
    got, said = evidence.status, evidence.said
    telling = evidence.request != "valid" or count_words(said.message) >= FEWEST
    if said.message and telling and got < SERVER_ERRORS:  # a failure may have any reason
        yield "answer", evidence.operation, got, said.type, raw_pattern(said.message)
    if not (evidence.statuses or evidence.world) and evidence.actual.isdigit() and evidence.actual == said.type:
        yield "code", said.type  # of any error, in place of whatever code was due


def _successes_seen(finding: Sighting) -> Iterator[Key]:
    """Yield the keys of a success that was not due: another one was, or none."""
    evidence = finding.evidence
    undeclared = finding.result.kind == "wire"  # the one rule of wire findings about a status
    due = any(status < ERROR_STATUS for status in evidence.statuses)
    if due or undeclared or evidence.status not in USUAL:
        yield "success", evidence.operation, evidence.status
    elif evidence.request == "invalid" and not _accepts_all(finding):  # one rule, broken with 200 and with 204
        yield "accepted", finding.result.clause.id, evidence.statuses or evidence.operation


def _values_seen(result: Result, evidence: Evidence) -> Iterator[Key]:
    """Yield the keys of a wrong value in a successful answer."""
    operation, leaf = evidence.operation, evidence.leaf
    if evidence.aspect in ("body", "effect"):
        yield "clause", result.clause.id, operation
    if leaf:
        yield "subject", "".join(result.operations[:1]), leaf  # a write, seen in its answer and in a read
    if leaf and (evidence.relation == "items" or evidence.expected.startswith("[")):
        yield "list", operation, leaf


def _of_a_kind(finding: Sighting) -> Iterator[Key]:
    """Yield the keys of a finding among those with the same kind of request and the same status."""
    result, evidence = finding.result, finding.evidence
    operation = evidence.operation
    if not evidence.about_status:
        yield from _answers(result, evidence)
    elif evidence.refused and evidence.said.message:
        yield from _refusals(result, evidence)
        if evidence.status < SERVER_ERRORS and _never_due(finding):  # a failure may have any reason
            yield "handler", evidence.statuses
    else:
        yield "status", result.clause.id, evidence.statuses
        if evidence.statuses == (MISSING,):
            yield "missing", operation
        if _accepts_all(finding):
            yield "accepts all", operation


def _accepts_all(finding: Sighting) -> bool:
    """True for an invalid request that succeeded in an operation that refused none in the whole run.

    To let callers through is no reason: it says nothing about other requests.
    """
    evidence, reached = finding.evidence, finding.reached
    refuses = evidence.operation in reached.refusing or not reached.statuses
    return _accepted(evidence) and evidence.operation in reached.careless and not refuses


def _of_privileges(evidence: Evidence) -> bool:
    """True for a finding about what a caller may do."""
    return bool(evidence.caller) or evidence.statuses == FORBIDDEN


def _accepted(evidence: Evidence) -> bool:
    """True when an invalid request succeeded."""
    return evidence.about_status and evidence.request == "invalid" and not evidence.refused


def _never_due(finding: Sighting) -> bool:
    """True when no request of the run got the one status that was due here."""
    statuses, reached = finding.evidence.statuses, finding.reached.statuses
    return bool(reached) and len(statuses) == 1 and statuses[0] not in reached


def _answers(result: Result, evidence: Evidence) -> Iterator[Key]:
    """Yield the keys of a wrong answer."""
    operation = evidence.operation
    yield "check", *_check(result, evidence)
    if result.kind != "wire":  # whose tests check rules that have nothing in common
        yield "case", operation, result.where
    values = raw_pattern(evidence.expected), raw_pattern(evidence.actual)
    place = "" if evidence.worded else evidence.check
    if values != (GAP, GAP):  # two numbers or ids say nothing
        yield "values", "" if evidence.states_all else operation, place, *values
    if evidence.leaf and evidence.relation != "holds":
        yield from _fields(evidence)
    if evidence.place and evidence.refused and all(values):
        yield "error", evidence.place, *values
    if all(values) and not evidence.worded:
        yield "difference", result.clause.id, *values


def _fields(evidence: Evidence) -> Iterator[Key]:
    """Yield the key of a wrong field: alone, or with its operation when it is an object or list inside of an answer."""
    if not evidence.field.startswith("/"):
        yield "field", evidence.leaf
    elif evidence.field.count("/") > 1:
        yield "field", evidence.leaf, evidence.operation


def _check(result: Result, evidence: Evidence) -> Key:
    """Return the key of a check: its place in the code with the rule or field, and the clause if these name a defect.

    Checks of lists are shared by tests of different things: only those of one test are the same.
    """
    field = raw_pattern(evidence.expected) if evidence.states_all else raw_pattern(evidence.place)
    of_list = evidence.relation == "items" or evidence.check == result.where
    return result.where if of_list else result.clause.id, evidence.check, "" if evidence.worded else field


def _refusals(result: Result, evidence: Evidence) -> Iterator[Key]:
    """Yield the keys of an error with a message, or of a broken connection."""
    got, operation, kind, text = evidence.status, evidence.operation, evidence.said.type, evidence.said.message
    if not got:
        yield "broken", operation, result.where
        return
    head = pattern(text.partition(":")[0])
    yield "said", kind, pattern(text), result.clause.id
    if evidence.request == "valid":
        yield "raw", operation, kind, raw_pattern(text)
    elif got < SERVER_ERRORS:
        yield "status", result.clause.id, evidence.statuses
        if evidence.statuses and kind and not kind.isdigit():
            yield "refused", kind, evidence.statuses
        if count_words(head) >= FEWEST:
            yield "words", operation, kind, head, evidence.statuses
    else:
        yield "head", operation, kind, head
        if count_words(head) >= TELLING_HEAD:
            yield "head", kind, head
        if not kind.isdigit():
            yield "type", operation, kind, result.clause.id
    yield "template", operation, kind, result.where
