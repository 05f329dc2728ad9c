"""The report page: one file that works from disk, without a network, in light and dark."""

from __future__ import annotations

from conformance.report.matrix import GLYPHS, MEANINGS, WORST_FIRST, build_matrix, sentence
from conformance.report.pages import template
from conformance.results import Results
from conformance.sandbox import summary

SLOWEST = 10


def render_html(results: Results) -> str:
    """Return the page."""
    order = {verdict: position for position, verdict in enumerate(WORST_FIRST)}
    requirements = sorted(results.requirements, key=lambda entry: (order[entry.verdict], entry.id))
    slowest = sorted(results.requirements, key=lambda entry: -entry.seconds)[:SLOWEST]
    return template("report.html.j2").render(
        run=results.run,
        target=results.target,
        totals=results.totals,
        sentence=sentence(results),
        left_behind=summary(results.run.left_behind),
        matrix=build_matrix(results),
        requirements=requirements,
        slowest=slowest,
        order=WORST_FIRST,
        glyphs=GLYPHS,
        meanings=MEANINGS,
    )
