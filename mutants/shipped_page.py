"""Page about the bugs that real servers have had, made from shipped.toml."""

from __future__ import annotations

from collections.abc import Iterator

from mutants.shipped import Shipped, count

PAGE = "shipped.md"
HEAD = """\
# Bugs that servers have shipped

Public trackers of catalogs have reports of users: what a server did, and what a client made of it. Each bug here is
such a report, in our words and without names, as a fault of the reference server. The faults were written before
anybody looked whether the suite notices them, so the column *at first* says what the suite finds on bugs that it has
never seen; a few were corrected afterwards, as they did more than their report says. Where a bug survived although the
document demands something else, the missing requirement was written. *Noticed by* is the strongest requirement that
notices a bug; tests hold the suite to it. A SHOULD notices a bug where the document recommends, or says nothing.

Below are deviations that users reported too, and that the documents permit: no MUST blames a server for them.

`mutants/shipped.toml` has the entries, and `python -m mutants publish mutants/results` makes this page.
"""


def shipped_page(shipped: Shipped) -> str:
    """Return the page."""
    return "\n".join(_page(shipped))


def _page(shipped: Shipped) -> Iterator[str]:
    yield HEAD
    yield "| API | bugs | at first noticed | noticed now |\n|---|--:|---|---|"
    apis = sorted({bug.api for bug in shipped.bug})
    for api in [*apis, "all"]:
        bugs = [bug for bug in shipped.bug if api in (bug.api, "all")]
        first, now = count(bug.at_first for bug in bugs), count(bug.level for bug in bugs)
        yield f"| {api} | {len(bugs)} | {first} | {now} |"
    for api in apis:
        yield f"\n## {api}\n\n| kind | what a client meets | fault | noticed by | level | at first |"
        yield "|---|---|---|---|---|---|"
        for bug in sorted((bug for bug in shipped.bug if bug.api == api), key=lambda bug: (bug.kind, bug.fault)):
            names = f"`{bug.fault}` | `{bug.requirement}`"
            yield f"| {bug.kind} | {bug.client} | {names} | {bug.level} | {bug.at_first} |"
    yield "\n## Permitted\n\n| API | what a client meets | fault | why it is permitted |\n|---|---|---|---|"
    for entry in sorted(shipped.permitted, key=lambda entry: (entry.api, entry.fault)):
        yield f"| {entry.api} | {entry.client} | `{entry.fault}` | {entry.why} |"
