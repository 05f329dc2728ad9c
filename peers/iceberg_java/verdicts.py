"""Conversion of the kit's outcomes to results of our format, with the same file and the same reports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from conformance.after.causes import with_causes
from conformance.values.redaction import redact
from conformance.values.results import (
    ClauseRecord,
    OperationRecord,
    Result,
    Results,
    RunRecord,
    TargetRecord,
    Verdict,
    kit_name,
    new_run_id,
)
from peers.iceberg_java.jars import versions
from peers.iceberg_java.junit_xml import Outcome
from peers.iceberg_java.kit import ServerInfo
from specs.files import read_toml
from specs.openapi import Operation
from specs.profiles import find_profile

SUBJECTS = Path(__file__).with_name("subjects.toml")
KIT = "RESTCompatibilityKit"
FALLEN = ("NoClassDefFoundError", "ExceptionInInitializerError", "UnsatisfiedLinkError", "OutOfMemoryError")
PREPARATION = "beforeClass"
UNMET = re.compile(r"^assumption was not met due to:\s*(?:\[(.*?)\])?", re.DOTALL)
WORD = re.compile(r"[A-Z]+\d*(?![a-z])|[A-Z]?[a-z]+\d*|\d+")
MOST_LINES = 12


@dataclass(frozen=True, slots=True)
class KitRun:
    """Facts about a run of the kit: the server, the start, the duration in seconds, and the command."""

    url: str
    name: str
    properties: Mapping[str, str]
    started: datetime
    seconds: float
    command: str


def build_results(run: KitRun, server_info: ServerInfo, outcomes: Iterable[Outcome]) -> Results:
    """Return the results of a run of the kit."""
    kit = kit_version()
    about = RunRecord(
        id=new_run_id(run.started),
        started=run.started.isoformat(timespec="seconds"),
        seconds=round(run.seconds, 3),
        seed=0,
        depth="gate",
        command=run.command,
        again=f"python -m peers.iceberg_java.rck {run.url}",
        kit=kit_name(),
        interrupted=False,
        requests=0,  # unknown
        left_behind=[],
    )
    target = TargetRecord(
        url=run.url,
        name=run.name or run.url,
        api="iceberg",
        profile=f"iceberg-rck/{kit}",
        document=f"Apache Iceberg's REST compatibility kit {kit}",
        server=server_info.server,
        facts={"endpoints": str(len(server_info.endpoints)) if server_info.endpoints else "not listed"},
        operations=[_operation(operation, server_info) for operation in _document_operations()],
        settings=redact(run.properties),
    )
    return with_causes(Results.of(about, target, [to_result(outcome) for outcome in outcomes]))


def to_result(outcome: Outcome) -> Result:
    """Return the result of one test."""
    verdict = to_verdict(outcome)
    method = outcome.name.partition("(")[0]
    return Result(
        id=requirement_id(outcome),
        level="MUST",
        kind="behaviour",
        operations=subjects(method),
        needs=[],
        clause=ClauseRecord(
            id="iceberg-rck",
            text="The kit's test with Iceberg's Java client passes.",
            source=f"org.apache.iceberg:iceberg-open-api:{kit_version()}:tests",
        ),
        statement=statement(outcome.name),
        where=f"{outcome.class_name}:{outcome.name}",
        verdict=verdict,
        message=_reason(outcome, method) if verdict == "unoffered" else _message(outcome),
        seconds=outcome.seconds,
        requests=0,
        steps=[],
        reached=[],
        blocked_by=None,
    )


def to_verdict(outcome: Outcome) -> Verdict:
    """Return the verdict: a failed preparation of a class blocks its tests, a broken Java is an error of the kit."""
    if outcome.end == "passed":
        return "pass"
    if outcome.end == "skipped":
        return "unoffered"
    if outcome.error.endswith(FALLEN):
        return "error"
    return "blocked" if any(method.endswith(PREPARATION) for method, _ in outcome.frames) else "fail"


def requirement_id(outcome: Outcome) -> str:
    """Return the id of a test: `rck.view_catalog.create_or_replace_view_1` for the first case of a method."""
    kind = outcome.class_name.rpartition(".")[2].removeprefix(KIT).removesuffix("Tests")
    return f"rck.{'_'.join(_words(kind))}.{'_'.join([*_words(outcome.name.partition('(')[0]), *_case(outcome.name)])}"


def statement(name: str) -> str:
    """Return the name of a test as a sentence, for reports."""
    words = _words(name.partition("(")[0])
    words = words[1:] if words[0] == "test" else words
    case = "".join(f", case {number}" for number in _case(name))
    return f"{' '.join(words).capitalize()}{case}."


def subjects(method: str) -> list[str]:
    """Return the ids of the operations that a test calls."""
    return next((list(rule["operations"]) for rule in _rules("subject") if re.search(rule["tests"], method)), [])


def kit_version() -> str:
    """Return the kit's release of Iceberg: `1.11.0`."""
    return versions()["iceberg.version"]


def _words(name: str) -> list[str]:
    return [word.lower() for word in WORD.findall(name)]


def _case(name: str) -> list[str]:
    return re.findall(r"\[(\d+)\]$", name)


def _reason(outcome: Outcome, method: str) -> str:
    """Return the reason why a test was skipped: the kit's own, else ours."""
    match = UNMET.match(outcome.message)
    reason = match[1] if match else outcome.message
    known = (rule["reason"] for rule in _rules("unoffered") if re.search(rule["tests"], method))
    return reason or next(known, "The kit skips it without a reason.")


def _message(outcome: Outcome) -> str:
    """Return the exception, shortened, and its place: the frame that is nearest to the tests."""
    lines = [line for line in outcome.message.splitlines() if line.strip()]
    thrown = outcome.error.rpartition(".")[2]
    head = " ".join(line.strip() for line in lines[:2])
    rest = lines[2:MOST_LINES]
    place = next((place for _, place in outcome.frames if place.partition(".")[0].endswith("Tests")), "")
    return "\n".join([f"{thrown}: {head}", *rest, *([f"at {place}"] if place else [])]) if thrown else ""


def _operation(operation: Operation, server_info: ServerInfo) -> OperationRecord:
    offered = not server_info.endpoints or f"{operation.method} {operation.path}" in server_info.endpoints
    return OperationRecord(
        id=operation.id,
        resource=operation.resource,
        summary=operation.summary,
        state="offered" if offered or operation.path == "/v1/config" else "refused",
    )


def _document_operations() -> list[Operation]:
    """Return the operations of the document in the kit's release."""
    revision = kit_version().rpartition(".")[0]
    return list(find_profile(f"iceberg/{revision}").document().operations.values())


@cache
def _rules(kind: str) -> tuple[dict[str, Any], ...]:
    return tuple(read_toml(SUBJECTS)[kind])
