"""Pages about a linted client: HTML and Markdown, made from the JSON of a run alone."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import orjson

from conformance.report.pages import template
from reference_server.control.note_kinds import LEVELS

NAME = "lint"
VERDICTS = {"MUST": "fail", "SHOULD": "warn", "MAY": "known"}
"""The style of each level on the page."""
NOTHING = "No note about any request."


def headline(report: Mapping[str, Any]) -> str:
    """Return the result of a run in a sentence."""
    counts = [
        f"{number} {level}"
        for level in LEVELS
        if (number := sum(finding["level"] == level for finding in report["findings"]))
    ]
    causes = f"{_counted(len(report['findings']), 'cause')} of notes ({', '.join(counts)})" if counts else "no notes"
    return f"{_counted(report['requests'], 'request')}: {causes}"


def request_line(example: Mapping[str, Any]) -> str:
    """Return the first line of an example with its status."""
    query = "&".join(f"{name}={value}" for name, value in example["query"].items())
    return f"{example['method']} {example['path']}{'?' if query else ''}{query} -> {example['status'] or 'cut'}"


def about(finding: Mapping[str, Any]) -> str:
    """Return the operation of a finding, and the part of the request if it is not in the name of the operation."""
    return " ".join(filter(None, (finding["operation"], finding["subject"])))


def render(report: Mapping[str, Any]) -> str:
    """Return the HTML page of a run."""
    return template("lint.html.j2", Path(__file__).parent).render(
        title="Requests of a client",
        version=version("lakeproof"),
        headline=headline(report),
        facts={
            "command": shlex.join(report["command"]),
            "its exit code": report["code"],
            "served": ", ".join(report["profiles"]),
            "clients": ", ".join(f"{name} ({count:,})" for name, count in report["clients"].items()),
        },
        findings=report["findings"],
        operations=report["operations"],
        verdicts=VERDICTS,
        about=about,
        line=request_line,
        body=lambda body: orjson.dumps(body, option=orjson.OPT_INDENT_2).decode(),
        nothing=NOTHING,
    )


def markdown(report: Mapping[str, Any], title: str, confirmed: Mapping[tuple[str, str, str], str]) -> str:
    """Return the findings of a run as Markdown; `confirmed` has words for (kind, operation, subject)."""
    lines = [f"# {title}", "", f"{headline(report)}, against {', '.join(report['profiles'])}.", ""]
    for number, finding in enumerate(report["findings"], 1):
        example, words = finding["example"], confirmed.get((finding["kind"], finding["operation"], finding["subject"]))
        lines += [
            f"## {number}. {finding['level']}: {finding['title']}, {about(finding) or 'any'}",
            "",
            f"{_counted(finding['count'], 'request')}. {finding['text']}",
            "",
            f"Rule: {finding['rule']}.",
            *(["", words] if words else []),
            *("", "```", request_line(example), *_shown(example["body"]), "```", ""),
        ]
    return "\n".join(lines if report["findings"] else [*lines, NOTHING, ""])


def _shown(body: Any) -> list[str]:
    text = body if isinstance(body, str) else orjson.dumps(body).decode()
    return [] if body is None else [text if len(text) <= 400 else f"{text[:400]}..."]


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
