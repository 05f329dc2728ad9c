"""Documents of the repository as pages: copied with the files that they link to."""

from __future__ import annotations

import os
import re
from pathlib import Path

from specs.apis import apis

LINK = re.compile(r"(?<!!)\[([^\[\]]*)\]\(([^()\s]+)\)")
DOCUMENTS = ("README.md", "docs/*.md", "mutants/results/*.md", "reports/README.md")
FINDINGS = "reports/*/findings.md"  # the page of the server has the same findings
UNSEARCHED = tuple(f"mutants/results/{api}.md" for api in apis())  # the pages of requirements have the same faults
GUIDES = ("README.md", "CONTRIBUTING.md", "docs/*.md")
BOOST = 6  # of guides in the search: there are 7,000 requirements, and some thirty guides
LARGEST = 200_000  # bytes of a linked file that is no page
FENCED = re.compile(r"(^ *```.*?^ *```$)", re.MULTILINE | re.DOTALL)


def copy_documents(root: Path, pages: Path) -> None:
    """Copy the documents of a repository, and everything that they link to, to the same places below `pages`.

    A link to a folder becomes one to its README.md. What is no part of the site, such as a large file, loses its link.
    """
    waiting = [path for pattern in DOCUMENTS for path in sorted(root.glob(pattern))]
    done: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path in done:
            continue
        done.add(path)
        place = pages / path.relative_to(root)
        place.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix != ".md":
            place.write_bytes(path.read_bytes())
            continue
        linked: list[Path] = []
        place.write_text(_with_links(path, root, linked))
        waiting += linked


def _with_links(path: Path, root: Path, linked: list[Path]) -> str:
    """Return a document with links that hold on the site; collect the files that they lead to."""

    def replaced(match: re.Match[str]) -> str:
        label, target = match.groups()
        name, _, anchor = target.partition("#")
        if not name or ":" in name:
            return match[0]
        file = (path.parent / name).resolve()
        if file.is_dir():
            file, name = file / "README.md", f"{name.rstrip('/')}/README.md"
        if file.is_relative_to(root) and file.relative_to(root).match(FINDINGS):
            return f"[{label}]({os.path.relpath(root / 'servers' / file.parent.name, path.parent)}.md)"
        small = file.is_file() and (file.suffix == ".md" or file.stat().st_size <= LARGEST)
        if not small or not file.is_relative_to(root):
            return label
        linked.append(file)
        return f"[{label}]({name}{'#' + anchor if anchor else ''})"

    parts = FENCED.split(path.read_text())  # text and fenced code take turns
    return _head(path.relative_to(root)) + "".join(
        part if number % 2 else LINK.sub(replaced, part) for number, part in enumerate(parts)
    )


def _head(path: Path) -> str:
    """Return the front matter of a document: its place in the search."""
    if any(map(path.match, UNSEARCHED)):
        return "---\nsearch: {exclude: true}\n---\n"
    return (
        f"---\nsearch: {{boost: {BOOST}}}\n---\n"
        if path.parent.name in ("", "docs") and any(map(path.match, GUIDES))
        else ""
    )
