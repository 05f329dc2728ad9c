"""The results of a run, as one typed value: what `results.json` holds, and the only thing that reports read.

The types here are the file's form, version 1. Its JSON Schema (`results.schema.json`, written by
`python -m conformance.values.results`), the tables of the warehouse and every reader follow from them.
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
from conformance.values.resources import Leftover

from conformance.after.causes import find_causes
from conformance.values.cells import CellRecord
from conformance.values.exchange import Step
from conformance.values.exit_codes import EXIT_BROKEN, EXIT_CONFORMS, EXIT_FAILS, EXIT_INTERRUPTED, EXIT_NOTHING
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

Version = Literal[1]
Depth = Literal["smoke", "gate", "deep"]
State = Literal["offered", "refused", "missing"]
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
    "new_run_id",
    "read_results",
    "results_schema",
]
(VERSION,) = get_args(Version)
Totals = Annotated[dict[str, Count], msgspec.Meta(extra_json_schema={"required": list(VERDICTS)})]
KIT = "lakeproof"
SCHEMA = Path(__file__).with_name("results.schema.json")


def kit_name() -> str:
    """Return the kit's name and version, as every report has them."""
    return f"{KIT} {version(KIT)}"


def new_run_id(started: datetime) -> str:
    """Return an id for a run: the second in which it started, and chance."""
    return f"{started:%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"


class StopRecord(msgspec.Struct, kw_only=True):
    """Why a run ended before its end; `gone` says that the server answers no more, `step` is what shows it."""

    message: str
    gone: bool
    step: Step | None


class RunRecord(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What a run says about itself.

    `again` is the command that repeats it, with all its options and secrets as variables, `prefix` what the names of
    all that it made begin with (both "" in results of older kits), `selected` the number of requirements that it was
    to test, `available` of those that there are for the profile (0 in results of older kits), `not_reached` are those
    that it was to test and did not come to. `preparation` are the steps that made, before its first requirement, what
    findings rest on and none of their steps makes: a catalog and who calls there. Most runs have none.
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
    selected: Count = 0
    available: Count = 0
    not_reached: list[RequirementId] = msgspec.field(default_factory=lambda: [])
    left_behind: list[Leftover | str]
    preparation: list[Step] = msgspec.field(default_factory=lambda: [])
    stopped: StopRecord | None = None
    notes: list[str] = msgspec.field(default_factory=lambda: [])


class OperationRecord(msgspec.Struct, kw_only=True):
    """An operation of the document, and whether the server has it."""

    id: str
    resource: str
    summary: str
    state: State


class Trait(msgspec.Struct, kw_only=True):
    """Something that a run found out about the server; `refused` are ways that it did not take, and why."""

    name: str
    value: str
    refused: dict[str, str] = msgspec.field(default_factory=lambda: {})


class TargetRecord(msgspec.Struct, kw_only=True):
    """The server that was tested, and as what. `server` is what it calls itself; `settings` have no secrets.

    `traits` are what the run found out by itself; results of older kits have none.
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


class Results(msgspec.Struct, kw_only=True):
    """A whole run: what `results.json` holds.

    `totals` are the numbers of requirements by verdict, all named; `causes` are what stands behind the findings, the
    worst first. Files of older kits have none: they are found when the file is read. `cells` are what the run has done
    with each operation; older kits did not note it. `expectations` are the findings that were expected.
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
        """Count, and find causes: files of older kits have verdicts that are gone, and no causes."""
        counts = Counter(result.verdict for result in self.requirements)
        self.totals = {verdict: counts[verdict] for verdict in VERDICTS}
        self.causes = self.causes or find_causes(self.requirements)

    @property
    def partial(self) -> bool:
        """True when less was tested than there is for the profile: such a run says nothing of conformity."""
        return len(self.requirements) < self.run.available

    def exit_code(self, *, strict: bool = False) -> int:
        """Return what the run means for a gate.

        A MUST that failed, or that could not be tested because something failed before it, does not
        conform; with `strict` a SHOULD counts like a MUST. MAY never counts. A server that is gone does not conform;
        a run whose time was over says nothing of what it did not reach. Expectations that hold no more break the gate.
        An error of the kit takes no verdict away.
        """
        if self.run.interrupted:
            return EXIT_INTERRUPTED
        bad = any(result.fails_gate(strict=strict) for result in self.requirements)
        bad |= any(record.state in BREAKING for record in self.expectations)
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
        """Write `results.json` into a folder and return its path. Raises Problem when that is impossible."""
        with report_written(folder):
            return write_file(folder / FILE_NAME, msgspec.json.format(msgspec.json.encode(self)))


def read_results(path: Path) -> Results:
    """Read a results file, compressed or not, or the one in a folder. Raises Problem for what is not a results file."""
    path = results_file(path)
    try:
        return msgspec.json.decode(read_content(path), type=Results)
    except OSError as error:
        raise Problem(f"{path} cannot be read: {error.strerror}.", "Give a results.json, or its folder.") from None
    except msgspec.ValidationError as error:
        raise Problem(
            f"{path} is no results file of version {VERSION}: {error}.", "Write it anew with `lakeproof check`."
        ) from None
    except msgspec.DecodeError as error:
        raise Problem(f"{path} is not JSON: {error}.", "Give the results.json that a run wrote.") from None


def results_schema() -> bytes:
    """Return the JSON Schema of results files, as `results.schema.json` has it."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{KIT} results, version {VERSION}",
        **msgspec.json.schema(Results),
    }
    return msgspec.json.format(msgspec.json.encode(schema)) + b"\n"


if __name__ == "__main__":
    write_file(SCHEMA, results_schema())
