"""Notes of people on the findings of a published report: `notes.toml` beside its results.

Its content does not depend on a run, so it stays valid for a new run of the same server:

    title          title of the report; by default the name of the server
    introduction   how the server is started, and how the findings were confirmed (Markdown)
    causes         the main causes of the findings, a list of sentences (Markdown)
    baseline       the folder of another report to compare with, relative to this file
    closing        a text for the end (Markdown)
    [why]          by requirement id: the reason for the server's behaviour
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path

from specs.files import read_toml
from specs.problems import Problem

FILE_NAME = "notes.toml"


@dataclass(frozen=True, slots=True)
class Notes:
    """The notes on a report; see the module."""

    title: str = ""
    introduction: str = ""
    causes: tuple[str, ...] = ()
    baseline: str = ""
    closing: str = ""
    why: dict[str, str] = field(default_factory=dict)


def read_notes(folder: Path) -> Notes:
    """Return the notes in a folder, empty ones without a file. Raises Problem for unknown keys."""
    path = folder / FILE_NAME
    if not path.exists():
        return Notes()
    given = read_toml(path)
    known = [key.name for key in fields(Notes)]
    unknown = sorted(given.keys() - set(known))
    if unknown:
        raise Problem(f"{path} has unknown keys: {', '.join(unknown)}.", f"Known: {', '.join(known)}.")
    return Notes(**{**given, "causes": tuple(given.get("causes", ()))})
