"""Profiles: one revision of one API each, with its document, corrections, clauses and requirement set.

A profile named `lance/2026-03` stands in these files beside each other:

    specs/lance/2026-03.yaml              the document, or what it says otherwise than another revision
    specs/lance/2026-03.overlay.toml      its corrections
    specs/lance/overlay.toml              corrections of several revisions of an API
    specs/lance/2026-03.requirements.txt  the published requirement set, once there is one: it is frozen
    specs/lance/clauses/*.toml            the normative statements, shared by the revisions of an API

A dialect of an API, such as `iceberg/tables-api`, is a profile like the others: what it says otherwise is in
its document, and in clauses that are for it alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from specs.openapi import Document
from specs.overlay import Change, read_overlay
from specs.problems import Problem

HERE = Path(__file__).parent
MOUNTS = {"lance": "/lance", "iceberg": "/iceberg"}
PORTS = {"lance": 2333, "iceberg": 8181}
SHARED_PORT = 8181
APIS = tuple(MOUNTS)  # the first is meant where none is named


@dataclass(frozen=True, slots=True)
class Profile:
    """An API and a revision of it."""

    api: str
    revision: str

    @property
    def name(self) -> str:
        """The profile's name on the command line: `lance/2026-03`."""
        return f"{self.api}/{self.revision}"

    @property
    def mount(self) -> str:
        """Where the reference server mounts the API when it serves several."""
        return MOUNTS[self.api]

    def file(self, suffix: str) -> Path:
        """Return the path of one of the profile's files, by what follows the revision."""
        return HERE / self.api / f"{self.revision}{suffix}"

    def document(self) -> Document:
        """Return the profile's document, corrected by its overlay."""
        return _document(self)

    def document_from(self, path: Path) -> Document:
        """Read another copy of the profile's document, such as the published one, with the same corrections."""
        return Document.load(path, self.overlay(), lenient=True)

    def overlay(self) -> list[Change]:
        """Return the corrections of the profile's document: those of several revisions, then its own."""
        files = (HERE / self.api / "overlay.toml", self.file(".overlay.toml"))
        return [change for path in files if path.exists() for change in read_overlay(path, self.revision)]

    def frozen_requirements(self) -> frozenset[str] | None:
        """Return the ids of the published requirement set, or None while none is published."""
        path = self.file(".requirements.txt")
        return frozenset(path.read_text().split()) if path.exists() else None


@cache
def _document(profile: Profile) -> Document:
    return Document.load(profile.file(".yaml"), profile.overlay())


@cache
def profiles() -> dict[str, Profile]:
    """Return every profile by name: within an API dialects first, then the revisions from the oldest on."""
    found = (Profile(api, revision) for api in APIS for revision in _revisions(api))
    return {profile.name: profile for profile in found}


def _revisions(api: str) -> list[str]:
    """Return the revisions of an API in the order of their numbers: 1.6, 1.11, 2026-08. Dialects have none."""
    return sorted((path.stem for path in (HERE / api).glob("*.yaml")), key=_numbers)


def _numbers(revision: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", revision)]


def find_profile(name: str) -> Profile:
    """Return a profile by name; an API alone means its newest revision. Raises Problem for an unknown one."""
    if name in profiles():
        return profiles()[name]
    revisions = [profile for profile in profiles().values() if profile.api == name]
    if revisions:
        return revisions[-1]
    known = ", ".join([*APIS, *profiles()])
    raise Problem(f"There is no profile {name!r}.", f"Known ones: {known}.")
