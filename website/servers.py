"""Pages of published servers, and the scoreboard: servers by groups of operations."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from conformance.after.causes import with_causes
from conformance.after.reading import read_results
from conformance.report.matrix import WORST_FIRST, subjects
from conformance.report.pretty import step_lines
from conformance.values.causes import Cause
from conformance.values.requirement import VIEWS
from conformance.values.results import Result, Results
from conformance.values.results_files import results_file
from specs.apis import apis, find_api
from specs.profiles import find_profile
from website.markup import address, code, facts, heading, line, link, some, text, verdict

MOST_STEPS = 8
MAIN_CAUSES = "Main causes"
OTHER_FINDINGS = re.compile(r"\]\(\.\./([^/()]+)/findings\.md\)")  # links to another report: its page is beside
FULL, PARTIAL, NONE, ABSENT = "full", "partial", "none", "not offered"
STATES = {
    FULL: "every operation of the group is offered, and no MUST about them is broken",
    PARTIAL: "some operations are missing, or some MUST is broken",
    NONE: "operations are offered, and no MUST about them passes",
    ABSENT: "the server offers no operation of the group",
}
BROKEN = ("fail", "blocked", "error")


@dataclass(frozen=True)
class Group:
    """The results of a run for a group of operations."""

    name: str
    offered: int
    size: int
    results: Sequence[Result]

    @property
    def must(self) -> Counter[str]:
        """The verdicts on MUST requirements, without those that were not tested."""
        return Counter(
            entry.verdict
            for entry in self.results
            if entry.level == "MUST" and entry.verdict not in ("unoffered", "skipped")
        )

    @property
    def state(self) -> str:
        """The state of the group on the server: a key of STATES."""
        if not self.offered:
            return ABSENT
        if not self.must["pass"]:
            return NONE
        whole = self.offered == self.size and not any(self.must[name] for name in BROKEN)
        return FULL if whole else PARTIAL


@dataclass(frozen=True)
class Server:
    """A published report: its folder, its title, its results, and notes about the server in Markdown."""

    name: str
    title: str
    results: Results
    notes: str = ""

    @property
    def api(self) -> str:
        """The API of the run."""
        return self.results.target.api

    @property
    def plain(self) -> bool:
        """True for a run of the suite itself, false for one through another tool such as Spark."""
        return not any(entry.id.partition(".")[0] in VIEWS for entry in self.results.requirements)

    @cached_property
    def verdicts(self) -> dict[str, str]:
        """The verdicts by requirement."""
        return {entry.id: entry.verdict for entry in self.results.requirements}

    @cached_property
    def groups(self) -> dict[str, Group]:
        """The groups of operations of the profile with their results, by name."""
        states = {entry.id: entry.offered for entry in self.results.target.operations}
        about = [(set(subjects(entry, self.results)), entry) for entry in self.results.requirements]
        groups = find_profile(self.results.target.profile).groups()
        return {
            name: Group(
                name,
                sum(states.get(operation, False) for operation in operations),
                len(operations),
                [entry for names, entry in about if names & operations],
            )
            for name, operations in groups.items()
            if operations
        }


def servers(reports: Path) -> list[Server]:
    """Read the published reports."""
    found = [folder for folder in sorted(reports.iterdir()) if folder.is_dir() and results_file(folder).exists()]
    return [Server(folder.name, _title(folder), with_causes(read_results(folder)), notes(folder)) for folder in found]


def _title(folder: Path) -> str:
    title: str = tomllib.loads((folder / "notes.toml").read_text())["title"]
    return title


def notes(folder: Path) -> str:
    """Return the notes that findings.md has before the findings, without its title and counts."""
    *_, notes = (folder / "findings.md").read_text().split("\n\n", 3)
    parts = re.split(r"^(?=## )", notes, flags=re.MULTILINE)
    kept = [part for part in parts if not part.startswith("## ") or part.startswith(f"## {MAIN_CAUSES}")]
    return OTHER_FINDINGS.sub(r"](\1.md)", "".join(kept)).rstrip()


# The scoreboard


def scoreboard(every: Sequence[Server]) -> str:
    """Return the page of all servers."""
    lines = [
        "---\nhide: [navigation, toc]\n---\n",
        "# How real servers do\n",
        "Each row is a server that was tested, each column a group of operations; a cell links to what was found about",
        "it. The number is that of passed MUST requirements among those that could be tested. Servers are those of",
        "[published reports](../reports/README.md), at the version in their name; every finding has an address.\n",
        *(f"- <span class='{_class(state)}'>{state}</span>: {meaning}" for state, meaning in STATES.items()),
        "",
    ]
    for api in filter({server.api for server in every}.__contains__, apis()):
        title = find_api(api).title
        lines += [f"## {title}\n", *_board([server for server in every if server.api == api], title)]
    return "\n".join(lines) + "\n"


def _board(every: Sequence[Server], label: str) -> Iterator[str]:
    plain = [server for server in every if server.plain]
    columns = list(dict.fromkeys(name for server in plain for name in server.groups))
    yield '<div class="scores" tabindex="0" role="region" aria-label="' + text(label) + '">'
    yield "<table><thead><tr>"
    yield '<th scope="col">server</th>' + "".join(f'<th scope="col">{text(name)}</th>' for name in columns)
    yield "</tr></thead><tbody>"
    for server in plain:
        named = f"{link(f'{server.name}/', text(server.title))}<br>{text(server.results.target.profile)}"
        yield f'<tr><th scope="row">{named}</th>'
        yield "".join(f"<td>{_cell(server, server.groups.get(name))}</td>" for name in columns) + "</tr>"
    yield "</tbody></table></div>\n"
    for server in every:
        if not server.plain:
            counts = ", ".join(f"{count} {name}" for name, count in server.results.totals.items() if count)
            yield f"- [{server.title}]({server.name}.md): {counts}"
    yield ""


def _class(state: str) -> str:
    return "absent" if state == ABSENT else state


def _cell(server: Server, group: Group | None) -> str:
    if group is None:
        return '<span class="absent">not in the revision</span>'
    tested = group.must.total()
    label = f"{group.state} {group.must['pass']:,}/{tested:,}" if group.offered and tested else group.state
    return f'<span class="{_class(group.state)}">{link(f"{server.name}/#group-{group.name}", label)}</span>'


# The page of a server


def page(server: Server, known: Mapping[str, object]) -> str:
    """Return the page of a server: groups, then findings by cause. Ids that are not `known` have no link."""
    results = server.results
    run, target = results.run, results.target
    counts = ", ".join(f"{count:,} {name}" for name, count in results.totals.items() if count)
    lines = [
        "---\nsearch: {boost: 0.2}\n---\n",  # guides and requirements come first
        f"# {server.title}\n",
        f"{target.profile}, {target.share} operations offered, {run.started[:10]}, {text(run.kit)}: {counts}.\n",
        f"{server.notes}\n",
    ]
    if server.plain:
        lines += ["## Groups of operations\n", *(_group(server, group, known) for group in server.groups.values())]
    lines.append("## Findings\n")
    entries = {entry.id: entry for entry in results.requirements}
    lines += [_cause(cause, entries, known) for cause in results.causes] or ["None."]
    return "\n".join(lines) + "\n"


def _group(server: Server, group: Group, known: Mapping[str, object]) -> str:
    counts = Counter(entry.verdict for entry in group.results)
    every = find_profile(server.results.target.profile).groups()[group.name]
    offered = {entry.id for entry in server.results.target.operations if entry.offered}
    missing = sorted(every - offered)
    found = [entry for entry in group.results if entry.verdict in ("fail", "warn", "blocked", "error")]
    named = ", ".join(link(f"#{entry.id}", text(entry.id)) for entry in found)
    label = f'{text(group.name)}: <span class="{_class(group.state)}">{group.state}</span>'
    return "\n".join(
        [
            heading(f"group-{group.name}", label),
            facts(
                line(
                    f"{group.offered} of {group.size} operations offered",
                    f"not offered: {some(missing)}" if missing and group.offered else "",
                    ", ".join(f"{counts[name]:,} {verdict(name)}" for name in WORST_FIRST if counts[name]),
                )
            ),
            f"<details><summary>{len(found):,} findings</summary>{facts(named)}</details>" if found else "",
            "",
        ]
    )


def _cause(cause: Cause, entries: Mapping[str, Result], known: Mapping[str, object]) -> str:
    example = entries[cause.example]
    steps = "\n".join(
        f"{number}. {text(sent)}\n   → {text(came)}"
        for number, (sent, came) in enumerate(map(step_lines, example.steps[-MOST_STEPS:]), 1)
    )
    names = cause.members
    items = "".join(f'<li id="{name}">{_finding(entries[name], known)}</li>' for name in names)
    return "\n".join(
        [
            heading(f"cause-{cause.example}", f"{verdict(cause.verdict)} {text(cause.sentence)}"),
            facts(line(cause.level, cause.title, cause.size)),
            f'<pre class="steps" tabindex="0" data-search-exclude>{steps}</pre>' if steps else "",
            f'<ul class="facts" data-search-exclude>{items}</ul>',
            "",
        ]
    )


def _finding(entry: Result, known: Mapping[str, object]) -> str:
    name = link(address(entry.id), text(entry.id)) if entry.id in known else code(entry.id)
    return f"{verdict(entry.verdict)} {entry.level} {name}: {text(entry.message.partition(chr(10))[0])}"
