"""The report page: one file that works from disk, without a network, in light and dark."""

from __future__ import annotations

from itertools import groupby

from conformance.replay.commands import repro, retest
from conformance.report.expected import advice, by_state
from conformance.report.gaps import gaps
from conformance.report.headline import sentence
from conformance.report.matrix import GLYPHS, MEANINGS, WORST_FIRST, build_matrix
from conformance.report.page_data import pack, page_data, shown_reference
from conformance.report.pages import template
from conformance.report.pretty import answer_line, left_out, more_steps, shown_steps, step_lines
from conformance.report.untested import why_untested
from conformance.values.purposes import shares
from conformance.values.resources import names_of, summary
from conformance.values.results import Results

SLOWEST = 10


def render_html(results: Results) -> str:
    """Return the page."""
    order = {verdict: position for position, verdict in enumerate(WORST_FIRST)}
    requirements = sorted(results.requirements, key=lambda entry: (order[entry.verdict], entry.id))
    slowest = sorted(results.requirements, key=lambda entry: -entry.seconds)[:SLOWEST]
    numbered = list(enumerate(results.causes, 1))
    commands = {
        "again": results.run.again or f"lakeproof check {results.target.url}",
        "repro": repro("ID", results.target.settings),
    }
    return template("report.html.j2").render(
        run=results.run,
        target=results.target,
        totals=results.totals,
        sentence=sentence(results),
        why_untested=why_untested(results, most=None),
        left_behind=summary(results.run.left_behind),
        left_names=names_of(results.run.left_behind),
        causes=[(title, list(group)) for title, group in groupby(numbered, key=lambda pair: pair[1].title)],
        by_id={entry.id: entry for entry in results.requirements},
        expectations=by_state(results),
        advice=advice(results),
        matrix=build_matrix(results),
        step_lines=step_lines,
        retest=retest,
        answer_line=answer_line,
        shown_reference=shown_reference,
        shown_steps=shown_steps,
        left_out=left_out,
        more_steps=more_steps,
        gaps=gaps(results),
        **commands,
        data=pack({**page_data(results, requirements), "glyphs": GLYPHS, **commands}),
        slowest=slowest,
        purposes=shares(results.run.purposes),
        order=WORST_FIRST,
        glyphs=GLYPHS,
        meanings=MEANINGS,
    )
