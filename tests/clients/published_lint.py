"""Published lint of clients, reports/clients/: pages made of `lint.json` and of notes that were written by hand.

python -m tests.clients.published_lint            writes every findings.md and README.md again

To run a client again: `lakeproof lint-client --report reports/clients/NAME -- COMMAND`; the README has the commands.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lakeproof.lint.pages import headline, markdown
from specs.files import read_toml
from specs.writing import write_file

FOLDER = Path(__file__).parents[2] / "reports" / "clients"
RESULTS, NOTES, PAGE = "lint.json", "notes.toml", "findings.md"
HEAD = """# Requests of clients

`lakeproof lint-client` ran the clients' tests against the mock, and noted what their requests do wrong. Each folder has
`lint.json`, `findings.md` and `notes.toml`, the only file that is written by hand: how the client was run, and what the
document says about each finding. `python -m tests.clients.published_lint` writes the pages again.

| client | result | run |
|---|---|---|
"""


def published() -> Iterator[tuple[Path, dict[str, Any], dict[str, Any]]]:
    """Yield the folder of each client, its report and its notes."""
    for file in sorted(FOLDER.glob(f"*/{RESULTS}")):
        yield file.parent, json.loads(file.read_text()), read_toml(file.parent / NOTES)


def pages() -> dict[Path, str]:
    """Return all pages by their paths."""
    made, rows = {}, []
    for folder, report, notes in published():
        confirmed = {(each["kind"], each["operation"], each["subject"]): each["text"] for each in notes.get("note", ())}
        made[folder / PAGE] = markdown(report, notes["title"], confirmed)
        rows.append(f"| [{notes['title']}]({folder.name}/{PAGE}) | {headline(report)} | {notes['how']} |\n")
    return {FOLDER / "README.md": HEAD + "".join(rows), **made}


if __name__ == "__main__":
    for path, text in pages().items():
        write_file(path, text)
