"""Annotations for GitHub workflows: one line for each cause, shown at the top of the workflow run's page."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.values.results import Results

KINDS = {"fail": "error", "warn": "warning", "blocked": "notice"}
MOST = 10  # GitHub shows this many annotations of a kind
IN_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
IN_TITLE = {**IN_DATA, ":": "%3A", ",": "%2C"}


def workflow_commands(results: Results) -> Iterator[str]:
    """Yield the workflow commands that annotate a run with its causes, worst first."""
    for verdict, kind in KINDS.items():
        for cause in [cause for cause in results.causes if cause.verdict == verdict][:MOST]:
            title = _escaped(f"{cause.weight}, {cause.title}", IN_TITLE)
            yield f"::{kind} title={title}::{_escaped(f'{cause.sentence} ({cause.size}, {cause.example})', IN_DATA)}"


def _escaped(text: str, signs: dict[str, str]) -> str:
    return "".join(signs.get(sign, sign) for sign in text)
