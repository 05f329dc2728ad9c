"""What people know about the findings of a published report: `notes.toml` beside its results.

Nothing in it follows from a run, so a new run of the same server keeps it:

    title          what the report is about; without it, the name of the server
    introduction   how the server is started, and how the findings were confirmed (Markdown)
    causes         what stands behind most of the findings, a list of sentences (Markdown)
    baseline       the folder of another report of which this one is a variation, relative to this file
    closing        what is to be said at the end (Markdown)
    [why]          by requirement id: why the server does what it does
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
    """Return the notes in a folder, empty ones where there are none. Raises Problem for what no notes can have."""
    path = folder / FILE_NAME
    if not path.exists():
        return Notes()
    given = read_toml(path)
    known = [key.name for key in fields(Notes)]
    unknown = sorted(given.keys() - set(known))
    if unknown:
        raise Problem(f"{path} has unknown keys: {', '.join(unknown)}.", f"Known: {', '.join(known)}.")
    return Notes(**{**given, "causes": tuple(given.get("causes", ()))})
