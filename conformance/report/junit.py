"""JUnit XML, for CI systems. A failure is a `<failure>`, never only an attribute."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from conformance.report.pretty import step_lines
from conformance.values.causes import Cause
from conformance.values.results import Result, Results
from conformance.values.visible import visible

FAILURES = {"fail", "blocked"}
SKIPPED = {"unoffered", "skipped", "warn", "known"}


def render_junit(results: Results) -> str:
    """Return the results as one test suite: cases for requirements, and for required operations not offered."""
    totals, lacking = results.totals, results.target.lacking
    suite = ET.Element(
        "testsuite",
        name=f"lakeproof {results.target.profile}",
        tests=str(len(results.requirements) + len(lacking)),
        failures=str(sum(totals[verdict] for verdict in FAILURES) + len(lacking)),
        errors=str(totals["error"]),
        skipped=str(sum(totals[verdict] for verdict in SKIPPED)),
        time=f"{results.run.seconds:.3f}",
        timestamp=results.run.started,
    )
    causes = {name: cause for cause in results.causes for name in cause.members}
    reasons = {record.requirement: f"{record.reason} {record.link}".strip() for record in results.expectations}
    for requirement in results.requirements:
        reason = reasons.get(requirement.id, "") if requirement.verdict == "known" else ""
        suite.append(_case(requirement, causes.get(requirement.id), reason))
    for operation in lacking:
        case = ET.SubElement(suite, "testcase", classname="require", name=operation, time="0")
        ET.SubElement(case, "failure", message=f"--require: the server does not offer {operation}")
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _case(requirement: Result, cause: Cause | None, reason: str) -> ET.Element:
    """Return a test case; `reason` is the reason of a known finding."""
    resource, _, name = requirement.id.rpartition(".")
    case = ET.Element("testcase", classname=resource, name=name, time=f"{requirement.seconds:.3f}")
    properties = ET.SubElement(case, "properties")
    shown = {
        "requirement": requirement.id,
        "level": requirement.level,
        "clause": requirement.clause.id,
        "operations": " ".join(requirement.operations),
        **({"cause": cause.sentence} if cause else {}),
    }
    for key, value in shown.items():
        ET.SubElement(properties, "property", name=key, value=visible(value))
    tag = _tag(requirement.verdict)
    if tag:
        outcome = ET.SubElement(case, tag)
        said = requirement.message.partition("\n")[0]
        outcome.set("message", visible(f"known: {reason}" if reason else cause.sentence if cause else said))
        if cause:
            outcome.set("type", cause.title)
        outcome.text = visible(_text(requirement))
    return case


def _tag(verdict: str) -> str:
    if verdict in FAILURES:
        return "failure"
    if verdict in SKIPPED:
        return "skipped"
    return "error" if verdict == "error" else ""


def _text(requirement: Result) -> str:
    steps = [
        f"{number}. {step_lines(step)[0] if step.beside else step.request.curl}\n   -> {step_lines(step)[1]}"
        for number, step in enumerate(requirement.steps, 1)
    ]
    return "\n".join([requirement.statement, requirement.text, *steps])
