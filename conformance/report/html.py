"""The report page: one file that works from disk, without a network, in light and dark."""

from __future__ import annotations

from itertools import groupby

from conformance.report.headline import sentence
from conformance.report.matrix import GLYPHS, MEANINGS, WORST_FIRST, build_matrix
from conformance.report.pages import template
from conformance.results import Results
from conformance.sandbox import summary

SLOWEST = 10


def render_html(results: Results) -> str:
    """Return the page."""
    order = {verdict: position for position, verdict in enumerate(WORST_FIRST)}
    requirements = sorted(results.requirements, key=lambda entry: (order[entry.verdict], entry.id))
    slowest = sorted(results.requirements, key=lambda entry: -entry.seconds)[:SLOWEST]
    numbered = list(enumerate(results.causes, 1))
    return template("report.html.j2").render(
        run=results.run,
        target=results.target,
        totals=results.totals,
        sentence=sentence(results),
        left_behind=summary(results.run.left_behind),
        causes=[(title, list(group)) for title, group in groupby(numbered, key=lambda pair: pair[1].title)],
        cause_of={name: pair for pair in numbered for name in pair[1].requirements + pair[1].blocked},
        by_id={entry.id: entry for entry in results.requirements},
        matrix=build_matrix(results),
        requirements=requirements,
        slowest=slowest,
        order=WORST_FIRST,
        glyphs=GLYPHS,
        meanings=MEANINGS,
    )
