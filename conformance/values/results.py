"""The results of a run, as one typed value: the content of `results.json`, and the only input of reports.

The types here are the file's format, version 2; version 1 had no evidence, and replay/older.py reads it. Its JSON
Schema (`results.schema.json`, written by `python -m conformance.values.results`), the tables of the warehouse and every
reader follow from them.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec

from conformance.values.causes import Cause
from conformance.values.cells import CellRecord
from conformance.values.exchange import Step
from conformance.values.exit_codes import EXIT_BROKEN, EXIT_CONFORMS, EXIT_FAILS, EXIT_INTERRUPTED, EXIT_NOTHING
from conformance.values.resources import Leftovers
from conformance.values.results_files import FILE_NAME, read_content, report_written, results_file
from conformance.values.verdict import (
    BREAKING,
    VERDICTS,
    ClauseRecord,
    Count,
    ExpectationRecord,
    RequirementId,
    Result,
    Seconds,
    Text,
    Verdict,
)
from specs.problems import Problem
from specs.writing import write_file

Version = Literal[1, 2]
Depth = Literal["smoke", "gate", "deep"]
State = Literal["offered", "refused", "missing", "unasked"]
Time = Annotated[str, msgspec.Meta(extra_json_schema={"format": "date-time"})]

__all__ = [
    "VERDICTS",
    "Cause",
    "ClauseRecord",
    "OperationRecord",
    "Result",
    "Results",
    "RunRecord",
    "StopRecord",
    "TargetRecord",
    "Verdict",
    "kit_name",
    "load_results",
    "new_run_id",
    "results_schema",
]
OLDEST, VERSION = get_args(Version)
Totals = Annotated[dict[str, Count], msgspec.Meta(extra_json_schema={"required": list(VERDICTS)})]
KIT = "lakeproof"
SCHEMA = Path(__file__).with_name("results.schema.json")


def kit_name() -> str:
    """Return the kit's name and version, as shown in reports."""
    return f"{KIT} {version(KIT)}"


def new_run_id(started: datetime) -> str:
    """Return an id for a run: the second in which it started, and random digits."""
    return f"{started:%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"


class StopRecord(msgspec.Struct, kw_only=True):
    """Why a run stopped early; `gone` means that the server no longer answers, `step` shows it."""

    message: str
    gone: bool
    step: Step | None


class RunRecord(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A run: its id, times, settings and counts.

    `again` is the command that repeats it, with all its options and secrets as variables, `prefix` the prefix of all
    objects that it created (both "" in results of older kits), `purposes` what its requests were sent for, `selected`
    the number of selected requirements, `available` the number of requirements of the profile (0 in results of older
    kits), `not_reached` are selected ones that were not tested. `preparation` are steps before the first requirement
    that created objects which findings depend on and which their own steps do not create: a catalog and its caller.
    Most runs have none.
    """

    id: Text
    started: Time
    seconds: Seconds
    seed: int
    depth: Depth
    command: str
    again: str = ""
    prefix: str = ""
    kit: str
    interrupted: bool
    requests: Count
    purposes: dict[str, Count] = msgspec.field(default_factory=lambda: {})
    selected: Count = 0
    available: Count = 0
    not_reached: list[RequirementId] = msgspec.field(default_factory=lambda: [])
    left_behind: list[Leftovers | str]
    preparation: list[Step] = msgspec.field(default_factory=lambda: [])
    stopped: StopRecord | None = None
    notes: list[str] = msgspec.field(default_factory=lambda: [])


class OperationRecord(msgspec.Struct, kw_only=True):
    """An operation of the document, whether the server offers it, and the evidence for that.

    A read-only run does not ask for operations that write: they are `unasked` unless the server says what it offers.
    `required` operations were asked for by --require: to lack one fails the gate. Older kits recorded no evidence.
    """

    id: str
    resource: str
    summary: str
    state: State
    why: str = ""
    required: bool = False

    @property
    def offered(self) -> bool:
        """True for an operation that the server offers."""
        return self.state == "offered"

    @property
    def lacking(self) -> bool:
        """True for an operation that the server is known not to offer."""
        return self.state not in ("offered", "unasked")


class Trait(msgspec.Struct, kw_only=True):
    """A property of the server that a run detected; `refused` are the ways that the server rejected, and why."""

    name: str
    value: str
    refused: dict[str, str] = msgspec.field(default_factory=lambda: {})


class TargetRecord(msgspec.Struct, kw_only=True):
    """The tested server, with the API and profile of the run. `server` is its own name; `settings` have no secrets.

    `traits` are what the run detected by itself; results of older kits have none.
    """

    url: str
    name: str
    api: str
    profile: str
    document: str
    server: str
    facts: dict[str, str]
    operations: list[OperationRecord]
    settings: dict[str, Any]
    traits: list[Trait] = msgspec.field(default_factory=lambda: [])

    @property
    def offered(self) -> int:
        """The number of operations that the server offers."""
        return sum(operation.offered for operation in self.operations)

    @property
    def share(self) -> str:
        """The part of the document's operations that the server offers: "7/35"."""
        return f"{self.offered}/{len(self.operations)}"

    @property
    def offers_all(self) -> bool:
        """True when the server is known to lack no operation of the document."""
        return not any(operation.lacking for operation in self.operations)

    @property
    def lacking(self) -> list[str]:
        """The operations that --require names and the server does not offer."""
        return [operation.id for operation in self.operations if operation.required and operation.lacking]


class Results(msgspec.Struct, kw_only=True):
    """A whole run: the content of `results.json`.

    `totals` are the numbers of requirements by verdict, with every verdict present; `causes` are the defects behind the
    findings, the worst first; after/causes.py finds them, and files of older kits have none. `cells` are the covered
    cells of each operation; older kits did not record them. `expectations` are the expected findings.
    """

    version: Version
    run: RunRecord
    target: TargetRecord
    totals: Totals
    causes: list[Cause] = msgspec.field(default_factory=lambda: [])
    requirements: list[Result]
    cells: list[CellRecord] = msgspec.field(default_factory=lambda: [])
    expectations: list[ExpectationRecord] = msgspec.field(default_factory=lambda: [])

    @classmethod
    def of(
        cls,
        run: RunRecord,
        target: TargetRecord,
        requirements: list[Result],
        cells: list[CellRecord] | None = None,
        expectations: Iterable[ExpectationRecord] = (),
    ) -> Results:
        """Return the results of a run."""
        return cls(
            version=VERSION,
            run=run,
            target=target,
            totals={},
            requirements=requirements,
            cells=cells or [],
            expectations=list(expectations),
        )

    def __post_init__(self) -> None:
        """Count the verdicts again: files of older kits have verdicts that no longer exist."""
        counts = Counter(result.verdict for result in self.requirements)
        self.totals = {verdict: counts[verdict] for verdict in VERDICTS}

    @property
    def partial(self) -> bool:
        """True when fewer requirements were tested than the profile has: such a run cannot claim conformance."""
        return self.read_only or len(self.requirements) < self.run.available

    @property
    def read_only(self) -> bool:
        """True when the run sent nothing that could change anything."""
        return bool(self.target.settings.get("read_only"))

    def exit_code(self, *, strict: bool = False) -> int:
        """Return the exit code of the run for a gate.

        A MUST that failed, or that was blocked, does not conform; with `strict` the same holds for a SHOULD. MAY
        never counts. A required operation that is not offered does not conform. A server that is gone does not
        conform; a run out of time says nothing about requirements that it did not reach. Stale, orphan and expired
        expectations fail the gate. An error of the kit removes no verdict.
        """
        if self.run.interrupted:
            return EXIT_INTERRUPTED
        bad = any(result.fails_gate(strict=strict) for result in self.requirements)
        bad |= any(record.state in BREAKING for record in self.expectations) or bool(self.target.lacking)
        stopped = self.run.stopped
        if bad or (stopped and stopped.gone):
            return EXIT_FAILS
        if self.totals["error"]:
            return EXIT_BROKEN
        if stopped:
            return EXIT_INTERRUPTED
        return EXIT_CONFORMS if self.requirements else EXIT_NOTHING

    def to_json(self) -> dict[str, Any]:
        """Return the whole file as JSON-ready values."""
        value: dict[str, Any] = msgspec.to_builtins(self)
        return value

    def write(self, folder: Path) -> Path:
        """Write `results.json` into a folder and return its path. Raises Problem if the folder cannot be written."""
        with report_written(folder):
            return write_file(folder / FILE_NAME, msgspec.json.format(msgspec.json.encode(self)))


def load_results(path: Path) -> Results:
    """Load a results file, compressed or not, or the one in a folder, unchanged. Raises Problem for any other file."""
    path = results_file(path)
    try:
        return msgspec.json.decode(read_content(path), type=Results)
    except OSError as error:
        raise Problem(f"{path} cannot be read: {error.strerror}.", "Give a results.json, or its folder.") from None
    except msgspec.ValidationError as error:
        raise Problem(
            f"{path} is no results file of version {OLDEST} or {VERSION}: {error}.",
            "Write it anew with `lakeproof check`.",
        ) from None
    except msgspec.DecodeError as error:
        raise Problem(f"{path} is not JSON: {error}.", "Give the results.json that a run wrote.") from None


def results_schema() -> bytes:
    """Return the JSON Schema of results files, the content of `results.schema.json`."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{KIT} results, version {VERSION}",
        **msgspec.json.schema(Results),
    }
    return msgspec.json.format(msgspec.json.encode(schema)) + b"\n"


if __name__ == "__main__":
    write_file(SCHEMA, results_schema())
