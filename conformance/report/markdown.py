"""The Markdown summary for a CI step, at most about sixty lines."""

from __future__ import annotations

from conformance.report.expected import expected, not_as_expected
from conformance.report.gaps import gaps
from conformance.report.headline import sentence
from conformance.report.matrix import GLYPHS, build_matrix, subjects
from conformance.report.moving import moving
from conformance.report.untested import why_untested
from conformance.values.purposes import shares
from conformance.values.resources import summary
from conformance.values.results import VERDICTS, Result, Results, RunRecord
from conformance.values.visible import visible
from specs.places import is_link

MOST_FINDINGS = 25


def render_markdown(results: Results) -> str:
    """Return the summary of a run."""
    lines = [f"## {sentence(results)}", "", _facts(results), "", *_about(results.run)]
    lines += [*_expected(results), *_gaps(results), *_findings(results), "", *_table(results)]
    return visible("\n".join(lines) + "\n")


def _facts(results: Results) -> str:
    run, target = results.run, results.target
    purposes = f" ({found})" if (found := shares(run.purposes)) else ""
    return f"`{target.name}` · {run.requests:,} requests{purposes} · {run.seconds:.1f} s · {run.kit}"


def _about(run: RunRecord) -> list[str]:
    """Return lines about a run: why it was stopped, its connections, the objects it left behind."""
    stopped = [f"**The run was stopped:** {run.stopped.message}"] if run.stopped else []
    left = [f"left behind: {line}" for line in summary(run.left_behind)]
    return [text for line in (*stopped, *run.notes, *left) for text in (line, "")]


def _table(results: Results) -> list[str]:
    shown = [verdict for verdict in VERDICTS if results.totals[verdict]]
    lines = [f"| resource | {' | '.join(f'{GLYPHS[verdict]} {verdict}' for verdict in shown)} |"]
    lines.append("|---|" + "--:|" * len(shown))
    for resource, rows in build_matrix(results).resources.items():
        names = {row.operation.id for row in rows}
        about = [entry for entry in results.requirements if names & set(subjects(entry, results))]
        counts = [sum(entry.verdict == verdict for entry in about) for verdict in shown]
        lines.append(f"| {resource} | {' | '.join(f'{count:,}' for count in counts)} |")
    return [*lines, "", *(text for line in (*why_untested(results), *moving(results)) for text in (line, ""))]


def _expected(results: Results) -> list[str]:
    """Return the expectations that do not hold, and the counts of all states."""
    broken = [f"- **{line}**" for line in not_as_expected(results)]
    more = [f"- and {len(broken) - MOST_FINDINGS:,} more"] if len(broken) > MOST_FINDINGS else []
    return [expected(results), "", *broken[:MOST_FINDINGS], *more, ""] if results.expectations else []


def _gaps(results: Results) -> list[str]:
    return [f"- {GLYPHS['unoffered']} {gap}" for gap in gaps(results)]


def _place(entry: Result) -> str:
    """Return the place of a requirement's clause in the norms; results of older releases have none."""
    return "".join(f" <{place}>" if is_link(place) else f" (`{place}`)" for place in entry.clause.place[:1])


def _findings(results: Results) -> list[str]:
    entries = {entry.id: entry for entry in results.requirements}
    lines = [
        f"- {GLYPHS['error']} `{entry.id}` {entry.statement}"
        for entry in results.requirements
        if entry.verdict == "error"
    ]
    lines += [
        f"- {GLYPHS[cause.verdict]} {cause.weight} {cause.sentence}: {cause.size}, "
        f"`{cause.example}`{_place(entries[cause.example])}"
        for cause in results.causes
    ]
    more = len(lines) - MOST_FINDINGS
    return [*lines[:MOST_FINDINGS], f"- and {more} more: see report.html"] if more > 0 else lines
