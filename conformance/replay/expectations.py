"""Known deviations of a server: what it is expected not to meet, and whether that still holds.

`lakeproof-expectations.toml` has an entry for each cause, or for one requirement:

    profile, depth     of the run that it was written from
    [[known]]          cause, reason, link, expires (a date); `example`, the requirement whose steps are stored
    [known.findings]   by requirement: what was seen; `flaky` are those of them that came and went, `blocked` those that
                       could not be tested: a narrowed run tests them where it leaves out what blocked them
    [[known.steps]]    the stored counterexample; `{run}` stands for what the names of a run begin with

A finding that is seen as the file has it is `known`. One that is seen in another way is a finding. What is met now is
stale, what no requirement has is an orphan, and an entry past its date is expired: these break the gate. What was
blocked is neither a finding nor stale in a narrowed run, however its test ends.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import date
from zlib import crc32

import msgspec
from conformance.values.requirement import Requirement

from conformance.replay.evidence import GAP, pattern
from conformance.replay.expectations_file import RUN, Entry, ExpectationFile
from conformance.replay.replaying import Finding, Replayed
from conformance.values.settings import DEPTHS
from conformance.values.verdict import FINDINGS, ExpectationRecord, ExpectationState, Result

FAILED = (*FINDINGS, "blocked")
STATUS = re.compile(r"^\S+: expected \d+(?: or \d+)*, got (?:\d+|no answer)")
MOST_SEEN = 400
NOT_TESTED = "(blocked in the run of the expectations; this run leaves out what blocked it)"
CUT = re.compile(rf"{GAP} \([0-9a-f]{{8}}\)$")


@dataclass
class Expectations:
    """The entries of a file as one run finds them.

    `depth` is that of the run, `today` decides what has expired, `narrowed` says that the run leaves requirements out.
    `states` is what was found out about each requirement
    that is named, `replays` how their stored counterexamples were answered.
    """

    file: ExpectationFile
    depth: str
    today: date
    narrowed: bool = False
    states: dict[str, ExpectationState] = field(default_factory=dict)
    replays: dict[str, Replayed] = field(default_factory=dict)
    _entries: dict[str, Entry] = field(init=False)

    def __post_init__(self) -> None:
        """Find entries by requirement."""
        self._entries = {name: entry for entry in self.file.known for name in entry.findings}

    @property
    def replayed(self) -> set[str]:
        """The requirements whose stored counterexamples may be sent."""
        return {entry.example for entry in self.file.known if entry.steps}

    def example(self, requirement: Requirement) -> Finding | None:
        """Return the stored counterexample of a requirement, which is sent before its test."""
        entry = self._entries.get(requirement.id)
        return entry.finding(requirement.kind) if entry and entry.steps and entry.example == requirement.id else None

    def apply(self, result: Result) -> Result:
        """Return a result with the verdict `known` where it is as expected, and note how the entry holds.

        Where the test passes, the replayed counterexample decides whether the entry is stale.
        """
        entry = self._entries.get(result.id)
        if entry is None or result.verdict == "error":
            return result
        failed = result.verdict in FAILED
        state = self._failed(entry, result) if failed else self._passed(entry, result)
        if self.narrowed and result.id in entry.blocked and state in ("different", "stale"):
            state = "unseen"
        self.states[result.id] = state
        if failed and state == "unseen":
            return msgspec.structs.replace(result, verdict="known", message=f"{result.message}\n{NOT_TESTED}")
        if state != "known":
            return result
        message = result.message if failed else f"{entry.findings[result.id]} (by the stored steps; the test passed)"
        steps = result.steps if failed else entry.steps
        return msgspec.structs.replace(result, verdict="known", message=message, steps=steps)

    def _failed(self, entry: Entry, result: Result) -> ExpectationState:
        if entry.expires and entry.expires < self.today:
            return "expired"
        return "known" if _is_seen(result.message, entry.findings[result.id]) else "different"

    def _passed(self, entry: Entry, result: Result) -> ExpectationState:
        """Return what a passed test means: less thorough runs, and races that nobody lost, decide nothing.

        Nor does one pass of what is flaky.
        """
        replayed = self.replays.get(result.id)
        if result.verdict == "pass" and result.id not in entry.flaky and replayed and replayed.state != "impossible":
            return "known" if replayed.state == "same" else "stale"
        depths = list(DEPTHS)
        unsure = (
            result.kind == "race"
            or result.id in entry.flaky
            or depths.index(self.depth) < depths.index(self.file.depth)
        )
        return "unseen" if unsure and result.verdict == "pass" else "stale"

    def records(self, known: Collection[str], others: Collection[str]) -> Iterator[ExpectationRecord]:
        """Yield a record for each finding of the file. `known` are the requirements that there are, but for `others`.

        Those are suites about which this run says nothing.
        """
        for name, entry in self._entries.items():
            orphan = name not in known and name.partition(".")[0] not in others
            yield ExpectationRecord(
                requirement=name,
                state="orphan" if orphan else self.states.get(name, "untested"),
                cause=entry.cause,
                reason=entry.reason,
                link=entry.link,
                expires=entry.expires.isoformat() if entry.expires else "",
                seen=entry.findings[name],
            )


def seen(message: str, prefix: str) -> str:
    """Return a message as a file has it: its first line, the names of its run replaced.

    Of a long one it has the beginning, and a checksum of what the whole of it says.
    """
    line = message.partition("\n")[0]
    kept = line if len(line) <= MOST_SEEN else f"{line[:MOST_SEEN]}{_checksum(line)}"
    return kept.replace(prefix, RUN) if prefix else kept


def _checksum(line: str) -> str:
    said = "".join([pattern(line), *STATUS.findall(line)])
    return f"{GAP} ({crc32(said.encode()):08x})"


def _is_seen(message: str, kept: str) -> bool:
    """True when a message says what a file has of it."""
    cut = CUT.search(kept)
    return alike(message, kept) if cut is None else _checksum(message.partition("\n")[0]) == cut[0]


def alike(message: str, other: str) -> bool:
    """True for messages that say the same, but for names and values: statuses and codes are compared."""
    message, other = message.partition("\n")[0], other.partition("\n")[0]
    return pattern(message) == pattern(other) and STATUS.findall(message) == STATUS.findall(other)
