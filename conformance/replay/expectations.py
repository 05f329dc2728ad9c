"""Expectations: the known deviations of a server, and whether they still hold.

`lakeproof-expectations.toml` is for people. It has an entry for each cause, or for some requirements:

    profile, depth     of the run that it was written from
    unsteady           true if findings of that run came and went: a finding of a later run that comes and goes is known
    [[known]]          cause, reason, link, expires (a date), requirements; `blocked` are those that could not be
                       tested: a narrowed run without the blocking requirement tests them; `flaky` came and went. A
                       former id (conformance/former_ids.py) stands for the requirements that took its place

`lakeproof-expectations.examples.json.gz` beside it has, by requirement, the message, the signature that identifies the
finding, and for one requirement of each entry the stored counterexample; `{run}` stands for the prefix of the run.
Without a signature, any failure of an expected requirement is the stored one.

A finding that equals the stored one is `known`; one that fails in another way is a finding. A requirement that passes
is stale, an unknown one is an orphan, and an entry past its date is expired: these fail the gate. A blocked requirement
is neither a finding nor stale in a narrowed run, however its test ends.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import date

import msgspec

from conformance.former_ids import is_former, present_ids
from conformance.replay.expectations_file import RUN, Entry, ExpectationFile
from conformance.replay.older import alike
from conformance.replay.replaying import Finding, Replayed, State
from conformance.values.evidence import world_of
from conformance.values.patterns import GAP
from conformance.values.requirement import Requirement
from conformance.values.settings import DEPTHS
from conformance.values.verdict import ExpectationRecord, ExpectationState, Result
from conformance.values.worlds import World

MOST_SEEN = 400
NOT_TESTED = "(blocked in the run of the expectations; this run leaves out the blocking requirement)"


@dataclass(frozen=True, slots=True)
class Expected:
    """The expectation of a requirement, compared with its result.

    `same` means that the finding equals the stored one, `flaky` that it comes and goes, `unsure` that one pass of its
    test decides nothing, `left_out` that this run leaves out the requirement that blocked it in the run of the file.
    `replayed` is the outcome of its stored counterexample.
    """

    expired: bool = False
    same: bool = False
    flaky: bool = False
    unsure: bool = False
    left_out: bool = False
    replayed: State | None = None


@dataclass
class Expectations:
    """The entries of a file during one run.

    `depth` is that of the run, `today` decides which entries are expired, `narrowed` means that the run leaves
    requirements out. `states` are the states of the expected requirements, `replays` the outcomes of their stored
    counterexamples.
    """

    file: ExpectationFile
    depth: str
    today: date
    narrowed: bool = False
    states: dict[str, ExpectationState] = field(default_factory=dict)
    replays: dict[str, Replayed] = field(default_factory=dict)
    _entries: dict[str, Entry] = field(init=False)

    def __post_init__(self) -> None:
        """Index the entries by requirement; one of a former id stands for those that took its place."""
        self._entries = {name: entry for entry in self.file.known for name in entry.findings if not is_former(name)}
        for entry in self.file.known:
            for former in filter(is_former, entry.findings):
                for name in present_ids(former):
                    self._entries.setdefault(name, entry.of_a_former(name))

    def worlds(self) -> Iterator[tuple[str, World]]:
        """Yield the requirements whose finding needs a world, with that world: they are tested in it again."""
        for name, entry in self._entries.items():
            if world := world_of(entry.evidence.get(name, "")):
                yield name, world

    @property
    def unsteady(self) -> bool:
        """True when findings that come and go are expected."""
        return self.file.unsteady

    @property
    def replayed(self) -> set[str]:
        """The requirements with a stored counterexample."""
        return {entry.example for entry in self.file.known if entry.steps}

    def example(self, requirement: Requirement) -> Finding | None:
        """Return the stored counterexample of a requirement, which is replayed before its test."""
        entry = self._entries.get(requirement.id)
        return entry.finding(requirement.kind) if entry and entry.steps and entry.example == requirement.id else None

    def expected(self, result: Result) -> Expected | None:
        """Return the expectation of a requirement, compared with its result; None without one."""
        entry = self._entries.get(result.id)
        if entry is None:
            return None
        depths = list(DEPTHS)
        less = depths.index(self.depth) < depths.index(self.file.depth)
        replayed = self.replays.get(result.id)
        return Expected(
            expired=bool(entry.expires and entry.expires < self.today),
            same=_is_seen(result, entry),
            flaky=result.id in entry.flaky,
            unsure=less or result.kind == "race" or result.id in entry.flaky,
            left_out=self.narrowed and result.id in entry.blocked,
            replayed=replayed.state if replayed else None,
        )

    def told(self, result: Result, state: ExpectationState, *, failed: bool) -> Result:
        """Store the state of a requirement's entry, and return its result for reports.

        If its test has not `failed`, the reported finding is the stored one.
        """
        self.states[result.id] = state
        if result.verdict != "known" or failed:
            left_out = result.verdict == "known" and state == "unseen"
            return msgspec.structs.replace(result, notes=[*result.notes, NOT_TESTED]) if left_out else result
        entry = self._entries[result.id]
        message = f"{entry.findings[result.id]} (in the replay of the stored steps; the test passed)"
        return msgspec.structs.replace(result, message=message, steps=entry.steps)

    def records(self, known: Collection[str], others: Collection[str]) -> Iterator[ExpectationRecord]:
        """Yield a record for each finding of the file. `known` are the existing requirements, except those of `others`.

        `others` are suites that this run does not test.
        """
        for name, entry in self._entries.items():
            orphan = name not in known and name.partition(".")[0] not in others
            yield ExpectationRecord(
                requirement=name,
                state="orphan" if orphan else self.states.get(name, "untested"),
                cause=entry.cause,
                reason=entry.reason or entry.cause,
                link=entry.link,
                expires=entry.expires.isoformat() if entry.expires else "",
                seen=entry.findings[name],
            )


def seen(message: str, prefix: str) -> str:
    """Return a message as stored in a file: its first line, truncated, with the prefix of its run replaced."""
    line = message.partition("\n")[0]
    kept = line if len(line) <= MOST_SEEN else f"{line[:MOST_SEEN]}{GAP}"
    return kept.replace(prefix, RUN) if prefix else kept


def same_evidence(result: Result, other: Result | Finding) -> bool:
    """True for two results of a requirement with the same finding; names and values are ignored."""
    if result.evidence and other.evidence and not (result.evidence.worded or other.evidence.worded):
        return result.evidence.signature == other.evidence.signature
    return alike(result, other.message)


def _is_seen(result: Result, entry: Entry) -> bool:
    """True when a finding equals that of an entry."""
    if result.verdict == "blocked" and result.id in entry.blocked:
        return True  # which of several refused prerequisites is sent first depends on the order of the run
    signature, message = entry.evidence.get(result.id, ""), entry.findings[result.id]
    if not (signature or message):
        return True
    if result.evidence and signature:
        return result.evidence.signature == signature
    return alike(result, message)
