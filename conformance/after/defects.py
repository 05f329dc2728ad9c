"""Defects of the server: each has the findings that state it, and those that follow from it.

A write that does nothing, or a status in place of another one, breaks every requirement that depends on it. A defect
is a claim about the server; a finding follows from it if the claim predicts its wrong answer. Findings that follow
from no defect are grouped by their own evidence.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar, Protocol

from conformance.after.claims import claims_of, returned_by, same
from conformance.after.grouping import Reached, Sighting, is_refusal
from conformance.replay.subjects import in_address, in_body
from conformance.values.causes import Claims, Rank
from conformance.values.evidence import Evidence, State, shown_step
from conformance.values.exchange import Step, is_success
from conformance.values.verdict import FINDINGS
from specs.apis import apis
from specs.profiles import find_profile

OF_WRITES: tuple[State, ...] = ("not done", "half done", "more done", "done")
OF_VIEWS: tuple[State, ...] = ("old", "short", "doubled")
FEWEST_ALIKE = 3  # operations that are wrong in the same way
FEWEST_STATUSES = 4  # operations that return one status in place of another one
OF_A_MODEL = ("effect", "life", "after", "refusal", "accepted")  # repeat the preparation before a write is blamed
CONFLICT = 409
LOWEST: Rank = 4
CONCURRENT = ("race", "model")  # kinds whose steps leave out what prepared them
REMOVING = re.compile(r"([Dd]rop|[Dd]elete|[Dd]eregister)(?![a-z])")
Key = tuple[State, str]  # what is wrong, and the operation


class Claim(Protocol):
    """A claim about the server, which predicts wrong answers; the number of its rank is at most `most`."""

    most: ClassVar[Rank]

    def claims(self, findings: Sequence[Sighting]) -> Claims:
        """Return the claims of the sentence about findings that state it."""

    def predicts(self, finding: Sighting) -> bool:
        """True for a finding whose wrong answer follows from it."""


@dataclass(frozen=True, slots=True)
class OfWrites:
    """Writes that were answered with success and not done, or not as they should; `done` ones were refused.

    `unchecked` are those of them that refused nothing in the whole run: they look at no request. `readers` are the
    operations that show what else was done than due, none where nothing was done.
    """

    writes: frozenset[str]
    state: State
    unchecked: frozenset[str]
    readers: frozenset[str] = frozenset()
    most: ClassVar[Rank] = 1  # what is not written although the server says so is lost

    def claims(self, findings: Sequence[Sighting]) -> Claims:
        """Return the operations, the status of their answers, and the operation that shows what was done."""
        return Claims(
            state=self.state,
            writes=tuple(sorted(self.writes)),
            returned=same(returned_by(finding.result, finding.evidence.write) for finding in findings) or 0,
            reader=same(finding.evidence.reader for finding in findings) or "",
        )

    def predicts(self, finding: Sighting) -> bool:
        """True for a finding after such a write, about its objects or with no write between, or about the write alone.

        Concurrent requests are about one object, whose preparation is not among the steps.
        """
        evidence, result = finding.evidence, finding.result
        if evidence.operation in self.unchecked:
            return True
        if evidence.aspect not in ("", "status", "body", "effect", "history") or evidence.died:
            return False
        if result.kind in CONCURRENT and self.state != "done":
            return bool(self.writes & {*result.operations, *(step.operation for step in result.steps)})
        shown = shown_step(result.steps)
        if self.readers and evidence.operation not in self.readers:
            return False
        return shown is not None and self._precedes(result.steps, shown, listed=not evidence.about_status)

    def _precedes(self, steps: Sequence[Step], shown: Step, *, listed: bool) -> bool:
        """True if one of these writes comes before a step that is about its objects, or with no write between.

        An object that another write names anew is the same one, and a wrong list is about the objects in its place.
        """
        before = steps[: next(place for place, step in enumerate(steps) if step is shown)]
        last = max((place for place, step in enumerate(before) if _is_done_write(step)), default=-1)
        about = {*in_address(shown.request.url), *in_body(_sent(shown))}
        known, own, places, latest = set[str](), set[str](), list[set[str]](), -2
        for place, step in enumerate(before):
            address, body = in_address(step.request.url), in_body(_sent(step))
            if step.operation in self.writes and is_success(step.response.status) == (self.state != "done"):
                own |= (body - known) or {*address[-1:], *body}
                places.append({*address, *body})
                latest = place
            elif own & {*address, *body} and _is_done_write(step):
                own |= body - known
            known |= {*address, *body}
        return latest >= last or bool(about & own) or (listed and any(about <= names for names in places))


@dataclass(frozen=True, slots=True)
class OfViews:
    """Views that alone show what was before ("old"), or whose lists lack an entry ("short") or double one."""

    readers: frozenset[str]
    state: State
    most: ClassVar[Rank] = LOWEST

    def claims(self, findings: Sequence[Sighting]) -> Claims:
        """Return the operations, and the write that they do not show."""
        write = same(finding.evidence.write for finding in findings) or ""
        return Claims(operations=tuple(sorted(self.readers)), state=self.state, write=write)

    def predicts(self, finding: Sighting) -> bool:
        """True for what such a view shows, of itself or of a write, and for what rests on it."""
        evidence = finding.evidence
        if evidence.state in OF_WRITES and evidence.reader in self.readers:
            return True
        if self.state == "old" and self._repeats(finding.result.steps):
            return True
        if evidence.operation not in self.readers or evidence.aspect not in ("body", "effect"):
            return False
        return self.state in ("old", evidence.state) or (self.state == "short" and evidence.omits)

    def _repeats(self, steps: Sequence[Step]) -> bool:
        """True if one of the views returned the same again after a write of its object, up to the shown step."""
        shown, told = shown_step(steps), dict[str, tuple[object, set[str]]]()
        for step in steps:
            answer, names = (step.response.status, step.response.body), set(in_address(step.request.url))
            if step.operation in self.readers:
                before, written = told.get(step.request.url, (None, set()))
                if before == answer and names & written:
                    return True
                told[step.request.url] = answer, set()
            elif _is_done_write(step):
                for _, written in told.values():
                    written |= {*names, *in_body(_sent(step))}
            if step is shown:
                break
        return False


@dataclass(frozen=True, slots=True)
class OfStatus:
    """A status that many operations return for invalid requests, where another one is due."""

    got: int
    due: int
    most: ClassVar[Rank] = LOWEST

    def claims(self, findings: Sequence[Sighting]) -> Claims:
        """Return the claims that all findings share."""
        return claims_of(findings)

    def predicts(self, finding: Sighting) -> bool:
        """True for an invalid request that got the one where the other was due, also in a race."""
        evidence = finding.evidence
        if evidence.aspect == "history":
            return self.due == CONFLICT and any(step.response.status == self.got for step in finding.result.steps)
        refused = evidence.about_status and evidence.refused and evidence.request != "valid"
        return refused and evidence.status == self.got and self.due in evidence.statuses


@dataclass
class Defect:
    """A claim with the findings that state it, and those that it predicts."""

    claim: Claim
    own: list[Sighting]
    consequences: list[Sighting] = field(default_factory=list)

    @property
    def shown(self) -> list[Sighting]:
        """The findings that can stand for it: of a write those in which another operation shows it, or its own."""
        if not isinstance(self.claim, OfWrites):
            return self.own
        views = [finding for finding in self.consequences if finding.evidence.operation not in self.claim.writes]
        return [*self.own, *(finding for finding in views if finding.result.verdict in FINDINGS)]


def find_defects(findings: Collection[Sighting], reached: Reached) -> list[Defect]:
    """Return the defects that findings claim, each with its consequences.

    A claim stands if it has a finding that no other one predicts; those with short steps are heard first.
    """
    standing: list[Defect] = []
    seen = [finding for finding in findings if finding.result.verdict in FINDINGS]
    claimed = [*_of_writes(seen, reached), *_of_views(seen), *_of_statuses(seen)]
    for defect in sorted(claimed, key=_effort):
        own = [finding for finding in defect.own if _predicted_by(standing, finding) is None]
        if own:
            standing.append(Defect(defect.claim, own))
    told = {id(finding) for defect in standing for finding in defect.own}
    for finding in findings:
        by = None if id(finding) in told else _predicted_by(standing, finding)
        if by is not None:
            by.consequences.append(finding)
    return standing


def _predicted_by(defects: Iterable[Defect], finding: Sighting) -> Defect | None:
    return next((defect for defect in defects if defect.claim.predicts(finding)), None)


def _effort(defect: Defect) -> tuple[bool, int, str]:
    """Return the sort key of defects: those of views first, of which an experiment saw that no write is at fault."""
    steps, id = min((len(finding.result.steps), finding.result.id) for finding in defect.own)
    return not isinstance(defect.claim, OfViews), steps, id


def _of_writes(findings: Iterable[Sighting], reached: Reached) -> Iterator[Defect]:
    """Yield the defects of writes; many that end objects and do nothing have one, or many that are done if refused."""
    stated = _by_key(findings, OF_WRITES, lambda evidence: evidence.write)
    found = {key: own for key, own in stated.items() if _is_certain(*key, own, reached)}
    removing = [key for key in found if key[0] == "not done" and REMOVING.match(key[1])]
    refused = [key for key in found if key[0] == "done"]
    others = [[key] for key in found if key not in removing and key not in refused]
    for keys in (*_alike(removing), *_alike(refused), *others):
        state, writes = keys[0][0], frozenset(write for _, write in keys)
        own = [finding for key in keys for finding in found[key]]
        unchecked = writes - reached.refusing if reached.statuses and state == "not done" else frozenset()
        readers = frozenset(finding.evidence.reader for finding in own) - {""}
        yield Defect(OfWrites(writes, state, unchecked, readers), own)


def _is_certain(state: State, write: str, own: Iterable[Sighting], reached: Reached) -> bool:
    """True unless a write only seems to have done nothing: one read saw no change, and other requirements see some."""
    of_a_model = any(finding.result.id.split(".")[1] in OF_A_MODEL for finding in own)
    return of_a_model or state != "not done" or (bool(reached.statuses) and write not in reached.effective)


def _of_views(findings: Iterable[Sighting]) -> Iterator[Defect]:
    """Yield the defects of views that differ from all others; many that are wrong in the same way have one."""
    found = _by_key(findings, OF_VIEWS, lambda evidence: evidence.reader)
    for state in OF_VIEWS:
        for keys in _alike([key for key in found if key[0] == state]):
            readers = frozenset(reader for _, reader in keys)
            yield Defect(OfViews(readers, state), [finding for key in keys for finding in found[key]])


def _by_key(
    findings: Iterable[Sighting], states: Collection[State], operation: Callable[[Evidence], str]
) -> dict[Key, list[Sighting]]:
    """Return the findings of the plain world that state something of an operation, by what they state."""
    found: defaultdict[Key, list[Sighting]] = defaultdict(list)
    for finding in findings:
        evidence = finding.evidence
        if evidence.state in states and operation(evidence) and not evidence.world:
            found[evidence.state, operation(evidence)].append(finding)
    return found


def _alike(keys: Sequence[Key]) -> list[list[Key]]:
    """Return keys together if they are many, else each alone: what one or two operations do may have any reason."""
    return [[*keys]] if len(keys) >= FEWEST_ALIKE else [[key] for key in keys]


def _of_statuses(findings: Iterable[Sighting]) -> Iterator[Defect]:
    """Yield the defects of statuses that many operations return in place of another one."""
    found: defaultdict[tuple[int, int], list[Sighting]] = defaultdict(list)
    for finding in findings:
        evidence = finding.evidence
        refused = evidence.request == "invalid" and is_refusal(evidence) and not evidence.world
        if refused and len(evidence.statuses) == 1:
            found[evidence.status, evidence.statuses[0]].append(finding)
    for (got, due), own in found.items():
        if len({finding.evidence.operation for finding in own}) >= FEWEST_STATUSES:
            yield Defect(OfStatus(got, due), own)


def _is_done_write(step: Step) -> bool:
    return is_success(step.response.status) and step.operation in _writing()


def _sent(step: Step) -> object:
    return (step.request.body or {}).get("json")


@cache
def _writing() -> frozenset[str]:
    """Return the operations of all APIs that change something."""
    return frozenset().union(*(find_profile(api).groups()["writes"] for api in apis()))
