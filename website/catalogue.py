"""Pages of requirements: each with an address that lasts, an example, its clause, source, faults and servers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import groupby

from conformance.run.requirement_index import Declared, index_of
from conformance.values.requirement import VIEWS
from mutants.noticed import FILE, SCENARIOS, matching, noticed_file, read_noticed
from spark_tests.scenarios import PACKAGE, SUITE
from specs.apis import apis, find_api
from specs.clauses import Clause, clauses
from website.markup import chapter_of, code, facts, heading, line, link, some, text, verdict
from website.servers import Server
from website.sources import source_address

MOST_FAULTS = 12
SHOWN = ("pass", "fail", "warn", "known", "blocked")


def requirements() -> dict[str, Declared]:
    """Return all requirements and scenarios by id."""
    found = {name: entry for api in apis() for name, entry in index_of(f"conformance.{api}", api).items()}
    return found | {name: entry for api in apis() for name, entry in index_of(f"{PACKAGE}.{api}", SUITE).items()}


def chapters(known: Mapping[str, Declared]) -> dict[str, list[Declared]]:
    """Return the requirements of each page, sorted by id."""
    by_chapter = defaultdict[str, list[Declared]](list)
    for name in sorted(known):
        by_chapter[chapter_of(name)].append(known[name])
    return dict(sorted(by_chapter.items()))


def faults(known: Mapping[str, Declared]) -> dict[str, list[str]]:
    """Return the faults that each requirement notices."""
    noticing = defaultdict[str, list[str]](list)
    for api in apis():
        ids = [name for name, entry in known.items() if entry.requirement.api == api]
        for file in (FILE, SCENARIOS):
            for fault, patterns in sorted(read_noticed(noticed_file(api, file)).items()):
                for name in matching(patterns, ids):
                    noticing[name].append(fault)
    return noticing


def index(by_chapter: Mapping[str, Sequence[Declared]]) -> str:
    """Return the page that lists all pages of requirements."""
    total = sum(map(len, by_chapter.values()))
    lines = [
        "# Requirements\n",
        f"{total:,} requirements, each with its own address, which lasts: ids never change their meaning and are never",
        "removed. The page of a requirement is the beginning of its id: `iceberg.namespace.create.conflict` is on",
        "[iceberg.namespace](iceberg.namespace.md#iceberg.namespace.create.conflict). Its example is a request that it",
        "sent to the reference server, with the answer: headers that every request has are left out, long bodies are",
        "shortened (…), and secrets are hidden.\n",
    ]
    for suite in dict.fromkeys(name.partition(".")[0] for name in by_chapter):
        title = "Spark scenarios" if suite in VIEWS else find_api(suite).title
        lines += [f"## {title}\n", "| page | MUST | SHOULD | MAY |", "|---|--:|--:|--:|"]
        for name, members in by_chapter.items():
            if name.partition(".")[0] == suite:
                levels = Counter(entry.requirement.level for entry in members)
                lines.append(f"| [{name}]({name}.md) | {levels['MUST']} | {levels['SHOULD']} | {levels['MAY']} |")
        lines.append("")
    return "\n".join(lines) + "\n"


def page(
    name: str,
    members: Sequence[Declared],
    noticing: Mapping[str, Sequence[str]],
    every: Sequence[Server],
    examples: Mapping[str, str],
) -> str:
    """Return a page of requirements by subject, with their clauses at its end. `examples` are HTML by requirement."""
    levels = Counter(entry.requirement.level for entry in members)
    counts = ", ".join(f"{count} {level}" for level, count in levels.items())
    entries = []
    for subject, some_members in groupby(members, lambda entry: subject_of(entry.requirement.id)):
        entries.append(f"## {subject}\n")
        for entry in some_members:
            id = entry.requirement.id
            entries.append(_entry(entry, noticing.get(id, ()), every, examples.get(id, "")))
    followed = {entry.requirement.clause: clauses(entry.requirement.suite) for entry in members}
    stated = [_clause(known[name]) for name, known in sorted(followed.items())]
    return "\n".join([f"# {name}\n", f"{counts}.\n", *entries, "## Clauses\n", *stated]) + "\n"


def subject_of(requirement_id: str) -> str:
    """Return the heading of a requirement on its page: the third part of its id."""
    return [*requirement_id.split("."), "Others"][2]


def _entry(declared: Declared, noticed: Sequence[str], every: Sequence[Server], example: str) -> str:
    requirement = declared.requirement
    since = f"since {text(requirement.since)}" if requirement.since else ""
    clause = f"clause {link(f'#clause-{requirement.clause}', text(requirement.clause))}"
    level = f"<strong>{requirement.level}</strong>"
    more = f" and {len(noticed) - MOST_FAULTS} more" if len(noticed) > MOST_FAULTS else ""
    by_name = ", ".join(map(code, noticed[:MOST_FAULTS])) + more if noticed else "none that is known by name"
    shown = facts(
        line(
            level,
            requirement.kind,
            some(requirement.operations),
            since,
            clause,
            link(source_address(declared), "source"),
        ),
        f"test it: {code(f'lakeproof check URL --api {requirement.api} -k {requirement.id}')}",
        f"faults that it notices: {by_name}",
        line(*_servers(requirement.id, every)),
    )
    return f"{heading(requirement.id)}\n<p>{text(requirement.statement)}</p>\n{example}\n{shown}\n"


def _clause(clause: Clause) -> str:
    source = f"{text(clause.source)}: {text('; '.join(clause.place) or 'no norm states it')}"
    return f"{heading(f'clause-{clause.id}', text(clause.id))}\n<p>{text(clause.text)}</p>\n{facts(source)}\n"


def _servers(name: str, every: Sequence[Server]) -> list[str]:
    """Return the published servers by their verdict on a requirement, with links to the findings."""
    seen = {server.name: server.verdicts.get(name, "") for server in every}
    return [
        f"{verdict(shown)}: {', '.join(_named(server, name, shown) for server in found)}"
        for shown in SHOWN
        if (found := [server for server, got in seen.items() if got == shown])
    ]


def _named(server: str, name: str, shown: str) -> str:
    return text(server) if shown == "pass" else link(f"../../servers/{server}/#{name}", text(server))
