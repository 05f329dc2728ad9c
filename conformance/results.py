"""The results of a run: the only thing that reports read.

The JSON form is version 1 and has a schema beside this file, `results.schema.json`.
"""

from __future__ import annotations

import secrets
from collections import Counter
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jsonschema_rs
import orjson

from conformance.exit_codes import EXIT_BROKEN, EXIT_CONFORMS, EXIT_FAILS, EXIT_INTERRUPTED, EXIT_NOTHING
from conformance.requirement import Requirement
from conformance.results_files import FILE_NAME, read_content, results_file
from specs.clauses import clauses
from specs.problems import Problem

VERSION = 1
VERDICTS = ("pass", "fail", "warn", "unoffered", "blocked", "error")
KIT = "lakeproof"
SCHEMA = Path(__file__).with_name("results.schema.json")


def kit_name() -> str:
    """Return the kit's name and version, as every report has them."""
    return f"{KIT} {version(KIT)}"


def new_run_id(started: datetime) -> str:
    """Return an id for a run: the second in which it started, and chance."""
    return f"{started:%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"


@dataclass(slots=True)
class Result:
    """How one requirement ended.

    `message` says what was seen, `steps` are the exchanges that show it, `reached` the operations and
    statuses that the requirement asked for and got, `blocked_by` what failed before.
    """

    requirement: Requirement
    verdict: str
    message: str = ""
    seconds: float = 0.0
    requests: int = 0
    steps: list[dict[str, Any]] = field(default_factory=list)
    reached: list[str] = field(default_factory=list)
    blocked_by: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the entry in the results file."""
        requirement = asdict(self.requirement)
        clause = clauses(self.requirement.suite)[self.requirement.clause]
        return {
            **requirement,
            "operations": list(self.requirement.operations),
            "needs": list(self.requirement.needs),
            "clause": {
                "id": clause.id,
                "text": clause.text,
                "source": clause.source,
                "place": list(clause.place),
            },
            "verdict": self.verdict,
            "message": self.message,
            "seconds": round(self.seconds, 6),
            "requests": self.requests,
            "steps": self.steps,
            "reached": self.reached,
            "blocked_by": self.blocked_by or None,
        }


@dataclass
class Results:
    """A whole run as JSON-ready values: what `results.json` holds."""

    run: dict[str, Any]
    target: dict[str, Any]
    requirements: list[dict[str, Any]]

    @property
    def totals(self) -> dict[str, int]:
        """The number of requirements by verdict, every verdict named."""
        counts = Counter(entry["verdict"] for entry in self.requirements)
        return {verdict: counts[verdict] for verdict in VERDICTS}

    def exit_code(self, *, strict: bool = False) -> int:
        """Return what the run means for a gate.

        A MUST that failed, or that could not be judged because something failed before it, does not
        conform; with `strict` a SHOULD counts like a MUST. MAY never counts. A server that is gone does not conform;
        a run whose time was over says nothing of what it did not reach. An error of the kit takes no verdict away.
        """
        if self.run["interrupted"]:
            return EXIT_INTERRUPTED
        counted = ("MUST", "SHOULD") if strict else ("MUST",)
        bad = any(
            entry["verdict"] in ("fail", "warn", "blocked") and entry["level"] in counted for entry in self.requirements
        )
        stopped = self.run.get("stopped")
        if bad or (stopped and stopped["gone"]):
            return EXIT_FAILS
        if self.totals["error"]:
            return EXIT_BROKEN
        if stopped:
            return EXIT_INTERRUPTED
        return EXIT_CONFORMS if self.requirements else EXIT_NOTHING

    def to_json(self) -> dict[str, Any]:
        """Return the whole file."""
        return {
            "version": VERSION,
            "run": self.run,
            "target": self.target,
            "totals": self.totals,
            "requirements": self.requirements,
        }

    def write(self, folder: Path) -> Path:
        """Write `results.json` into a folder and return its path. Raises Problem when that is impossible."""
        path = folder / FILE_NAME
        try:
            folder.mkdir(parents=True, exist_ok=True)
            scratch = path.with_suffix(".tmp")
            scratch.write_bytes(orjson.dumps(self.to_json(), option=orjson.OPT_INDENT_2))
            scratch.replace(path)
        except OSError as error:
            raise Problem(
                f"The report folder {folder} cannot be written: {error.strerror}.", "Give another --report."
            ) from None
        return path


def read_results(path: Path) -> Results:
    """Read a results file, compressed or not, or the one in a folder. Raises Problem for what is none."""
    path = results_file(path)
    try:
        value = orjson.loads(read_content(path))
    except OSError as error:
        raise Problem(f"{path} cannot be read: {error.strerror}.", "Give a results.json, or its folder.") from None
    except orjson.JSONDecodeError as error:
        raise Problem(f"{path} is not JSON: {error}.", "Give the results.json that a run wrote.") from None
    for finding in _schema().iter_errors(value):
        raise Problem(
            f"{path} is no results file of version {VERSION}: {finding.message}.",
            "Write it anew with `lakeproof check`.",
        )
    return Results(value["run"], value["target"], value["requirements"])


@cache
def _schema() -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(orjson.loads(SCHEMA.read_bytes()))
