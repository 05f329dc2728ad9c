"""Documents of the repository as pages: copied with the files that they link to."""

from __future__ import annotations

import re
from pathlib import Path

from specs.apis import apis

LINK = re.compile(r"(?<!!)\[([^\[\]]*)\]\(([^()\s]+)\)")
DOCUMENTS = ("README.md", "docs/*.md", "mutants/results/*.md", "reports/README.md", "reports/*/findings.md")
# The pages of servers have the same findings, those of requirements the same faults.
UNSEARCHED = ("reports/*/findings.md", *(f"mutants/results/{api}.md" for api in apis()))
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
        small = file.is_file() and (file.suffix == ".md" or file.stat().st_size <= LARGEST)
        if not small or not file.is_relative_to(root):
            return label
        linked.append(file)
        return f"[{label}]({name}{'#' + anchor if anchor else ''})"

    unsearched = any(map(path.relative_to(root).match, UNSEARCHED))
    head = "---\nsearch: {exclude: true}\n---\n" if unsearched else ""
    parts = FENCED.split(path.read_text())  # text and fenced code take turns
    return head + "".join(part if number % 2 else LINK.sub(replaced, part) for number, part in enumerate(parts))
