"""The report page: one file that works from disk, without a network, in light and dark."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import jinja2

from conformance.report.matrix import GLYPHS, MEANINGS, WORST_FIRST, build_matrix, sentence
from conformance.report.pretty import body_lines
from conformance.results import Results

HERE = Path(__file__).parent
SLOWEST = 10


def render_html(results: Results) -> str:
    """Return the page."""
    order = {verdict: position for position, verdict in enumerate(WORST_FIRST)}
    requirements = sorted(results.requirements, key=lambda entry: (order[entry["verdict"]], entry["id"]))
    slowest = sorted(results.requirements, key=lambda entry: -entry["seconds"])[:SLOWEST]
    return _template().render(
        run=results.run,
        target=results.target,
        totals=results.totals,
        sentence=sentence(results),
        matrix=build_matrix(results),
        requirements=requirements,
        slowest=slowest,
        order=WORST_FIRST,
        glyphs=GLYPHS,
        meanings=MEANINGS,
    )


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals["body_lines"] = body_lines
    return environment.get_template("report.html.j2")
