"""SARIF 2.1.0 for code scanning: a rule for the example requirement of a cause, a result for the cause."""

from __future__ import annotations

import json
from typing import Any

from conformance.report.pretty import shown_steps, step_lines
from conformance.values.causes import Cause
from conformance.values.results import Result, Results
from conformance.values.visible import visible_in
from specs.places import is_link

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {"fail": "error", "warn": "warning", "blocked": "note"}
PAGE = "report.html"  # beside this file: a server has no source here


def render_sarif(results: Results) -> str:
    """Return the findings of a run by cause; each names operations of the server."""
    entries = {entry.id: entry for entry in results.requirements}
    name, _, version = results.run.kit.partition(" ")
    driver = {"name": name, "version": version, "rules": [_rule(entries[cause.example]) for cause in results.causes]}
    shown = {
        "tool": {"driver": driver},
        "invocations": [
            {
                "commandLine": results.run.command,
                "executionSuccessful": not results.run.interrupted and results.run.stopped is None,
            }
        ],
        "results": [_result(cause, entries[cause.example], results) for cause in results.causes],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [visible_in(shown)]}
    return json.dumps(log, indent=1, ensure_ascii=False) + "\n"


def _rule(entry: Result) -> dict[str, Any]:
    link = next((place for place in entry.clause.place if is_link(place)), "")
    return {
        "id": entry.id,
        "shortDescription": {"text": entry.statement},
        "fullDescription": {"text": entry.clause.text},
        "properties": {"level": entry.level, "clause": entry.clause.id, "kind": entry.kind},
        **({"helpUri": link} if link else {}),
    }


def _result(cause: Cause, entry: Result, results: Results) -> dict[str, Any]:
    shown = [entry.steps[place] for place in shown_steps(entry)]
    steps = [f"{sent}\n  -> {came}" for sent, came in map(step_lines, shown)]
    names = ", ".join(cause.findings or cause.blocked)
    return {
        "ruleId": entry.id,
        "level": LEVELS[cause.verdict],
        "message": {"text": "\n".join([f"{cause.sentence} ({cause.size}: {names})", *steps])},
        "locations": [
            {
                "physicalLocation": {"artifactLocation": {"uri": PAGE}},
                "logicalLocations": [
                    {"name": operation, "fullyQualifiedName": f"{results.target.api}.{operation}", "kind": "function"}
                    for operation in cause.operations or entry.operations
                ],
            }
        ],
        "partialFingerprints": {"cause/v1": f"{entry.clause.id}:{cause.sentence}"},
    }
