"""Profiles: revisions of APIs, each with its documents, corrections and clauses.

A profile named `lance/2026-03` consists of these files:

    specs/lance/api.toml                  facts about the API, its revisions and their documents
    specs/lance/2026-03.yaml              the document, or its differences from another revision
    specs/lance/overlays/*.yaml           corrections of documents, and of revisions that are based on them
    specs/lance/clauses/*.toml            the normative statements, shared by the revisions of an API

A dialect of an API, such as `iceberg/tables-api`, is a profile like the others: its differences are in
its document and in clauses of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import TypeVar

from specs.apis import ApiFacts, DocumentPart, Reading, apis, find_api
from specs.compiled import cache_file, read_compiled, write_compiled
from specs.composition import Mounted, compose
from specs.expansions import expand_discriminators
from specs.openapi import Document, Operation
from specs.overlay import OverlayAction, read_overlay
from specs.problems import Problem, did_you_mean
from specs.revisions import lineage, patch_document

T = TypeVar("T")
READS = ("GET", "HEAD")


@dataclass(frozen=True, slots=True)
class Profile:
    """Revision of an API."""

    api: str
    revision: str

    @property
    def name(self) -> str:
        """Name of the profile on the command line: `lance/2026-03`."""
        return f"{self.api}/{self.revision}"

    @property
    def mount(self) -> str:
        """Path prefix of the API on a reference server with several APIs."""
        return self.facts.mount

    @property
    def facts(self) -> ApiFacts:
        """Facts about the API."""
        return find_api(self.api)

    @property
    def suites(self) -> tuple[str, ...]:
        """APIs whose requirements apply: its own, and the APIs whose documents it contains."""
        return tuple(dict.fromkeys(profile.api for profile in self.tested_by()))

    def tested_by(self) -> list[Profile]:
        """Return the profiles whose clauses hold: this one, and the profiles that its documents follow."""
        followed = [find_profile(part.follows) for part in self.facts.parts(self.revision) if part.follows]
        return [self, *(tested for profile in followed for tested in profile.tested_by())]

    def reading(self) -> Reading:
        """Return the operations beside GET and HEAD that change nothing, and those that log in."""
        tables = [profile.facts.reading for profile in self.tested_by()]
        return Reading(
            tuple(name for table in tables for name in table.posts),
            tuple(name for table in tables for name in table.log_in),
        )

    def instead(self, outcome: str) -> dict[str, str]:
        """Return the options of a run that replace an operation, by its id: one that is `unoffered`, or `refused`."""
        tables = [profile.facts.instead.get(outcome, {}) for profile in reversed(self.tested_by())]
        return {operation: option for table in tables for operation, option in table.items()}

    def groups(self) -> dict[str, frozenset[str]]:
        """Return the groups of operations that servers may lack as a whole: the ids by the name of the group."""
        operations, reading = self.document().operations.values(), self.reading()
        reads = {operation.id for operation in operations if operation.method in READS or operation.id in reading.posts}
        groups = {"reads": reads, "writes": {operation.id for operation in operations} - reads - {*reading.log_in}}
        for profile in self.tested_by():
            for name, patterns in profile.facts.groups.items():
                for operation in operations:
                    text = f"{operation.method} {operation.path}"
                    if any(fnmatchcase(text, pattern) for pattern in patterns):
                        groups.setdefault(name, set()).add(operation.id)
        return {name: frozenset(ids) for name, ids in groups.items()}

    def suite_of(self, operation_id: str) -> str:
        """Return the API that tests an operation: the API of the document that declares it."""
        followed = self.tested_by()[1:]
        return next((profile.api for profile in followed if operation_id in profile.document().operations), self.api)

    def has_reached(self, since: str) -> bool:
        """True if the profile is not older than a revision; "" means any. Raises Problem for an unknown revision."""
        return not since or self.facts.reached(self.revision, since)

    def in_force(self, by_revision: Mapping[str, T]) -> T:
        """Return the entry for the newest revision that is not newer than this profile.

        Raises Problem if there is none.
        """
        reached = [
            revision for revision in self.facts.revisions if revision in by_revision and self.has_reached(revision)
        ]
        if not reached:
            raise Problem(
                f"There is no entry for {self.name} or an older revision.",
                f"There are entries for {', '.join(by_revision)}.",
            )
        return by_revision[reached[-1]]

    def file(self, suffix: str) -> Path:
        """Return the path of one of the profile's files, by the suffix behind the revision."""
        return self.facts.folder / f"{self.revision}{suffix}"

    def document(self) -> Document:
        """Return the profile's document, corrected by its overlays. Raises Problem for a malformed document."""
        return _document(self)

    def plain_document(self) -> Document:
        """Return the profile's document as published, without corrections."""
        return self._composed(self._read_plain)

    def document_from(self, path: Path) -> Document:
        """Read another copy of the document, such as the published one, with the corrections that fit it.

        If the profile has several documents, the copy replaces the one with most of its operations.
        """
        copied = self._copied(path)
        corrections = self._overlay(copied) or self._overlay_of_followed(copied)
        return self._composed(
            lambda part: Document.load(path, corrections, lenient=True) if part is copied else self._read(part)
        )

    def _copied(self, path: Path) -> DocumentPart:
        """Return the document of the profile that a copy replaces."""
        first, *others = self.facts.parts(self.revision)
        if not others:
            return first
        ids = Document.load(path).operations.keys()
        return max((first, *others), key=lambda part: len(ids & self._read(part).operations.keys()))

    def distance(self, copy: Document) -> int:
        """Count the operations, parameters and fields that differ between a copy and the document it replaces."""
        stated = set(copy.stated())
        return min(len(stated ^ set(self._read_plain(part).stated())) for part in self.facts.parts(self.revision))

    def overlay(self) -> list[OverlayAction]:
        """Return the corrections of the profile's own documents."""
        return [action for part in self.facts.parts(self.revision) for action in self._overlay(part)]

    def _composed(self, read: Callable[[DocumentPart], Document]) -> Document:
        parts = self.facts.parts(self.revision)
        if not parts:
            raise Problem(f"The profile {self.name} has no document.", "Name one in its api.toml.")
        mounted = [Mounted(read(part), part.mount, part.rename) for part in parts]
        return replace(compose(f"{self.facts.title} {self.revision}", mounted), errors=self.facts.error)

    def _path(self, part: DocumentPart) -> Path:
        return self.facts.folder / part.file.format(revision=self.revision)

    def _read(self, part: DocumentPart) -> Document:
        if not part.follows:
            return Document.load(self._path(part), self._overlay(part))
        followed = find_profile(part.follows).document()
        if not part.file:
            return followed
        path = self._path(part)
        return replace(followed, raw=expand_discriminators(patch_document(followed.raw, path)), source=str(path))

    def _read_plain(self, part: DocumentPart) -> Document:
        if not part.follows:
            return Document.load(self._path(part))
        followed = find_profile(part.follows).plain_document()
        return replace(followed, raw=patch_document(followed.raw, self._path(part))) if part.file else followed

    def _overlay_of_followed(self, part: DocumentPart) -> list[OverlayAction]:
        return find_profile(part.follows).overlay() if part.follows else []

    def _overlay(self, part: DocumentPart) -> list[OverlayAction]:
        if part.follows or not part.file:
            return []
        first = next(other for other in self.facts.parts(self.revision) if not other.follows)
        overlays = [read_overlay(path, self.revision) for path in sorted(self.facts.folder.glob("overlays/*.yaml"))]
        extended = {*(path.resolve() for path in lineage(self._path(part))), *([None] if part is first else [])}
        return [action for overlay in overlays if overlay.extends in extended for action in overlay.actions]


@cache
def _document(profile: Profile) -> Document:
    file = cache_file(profile.name, [tested.facts.folder for tested in profile.tested_by()])
    document = read_compiled(file, profile.facts.error)
    if document is None:
        document = profile._composed(profile._read)
        write_compiled(file, document)
    return document


def profiles() -> dict[str, Profile]:
    """Return the profiles by name: for each API dialects first, then revisions from the oldest to the newest."""
    in_order = (Profile(api.name, revision) for api in apis().values() for revision in api.profiles)
    return {profile.name: profile for profile in in_order}


def find_profile(name: str) -> Profile:
    """Return a profile by name; the name of an API means its default revision. Raises Problem for an unknown name."""
    if name in profiles():
        return profiles()[name]
    if name in apis():
        return Profile(name, apis()[name].default)
    of_the_api = [known for known in profiles() if known.startswith(f"{name.partition('/')[0]}/")]
    raise Problem(f"Unknown profile {name!r}.", did_you_mean(name, of_the_api or [*apis(), *profiles()]))


def newest_profile(api: str) -> Profile:
    """Return the profile of an API's newest revision."""
    return Profile(api, find_api(api).revisions[-1])


def nearest_profile(api: str, path: Path) -> Profile:
    """Return the profile of an API whose document is nearest to a copy, the newest of several.

    Raises Problem for a file that is not a document.
    """
    copy = Document.load(path)
    newest_first = [Profile(api, revision) for revision in reversed(find_api(api).profiles)]
    return min(newest_first, key=lambda profile: profile.distance(copy))


def newest_operations(api: str) -> dict[str, tuple[Profile, Operation]]:
    """Return the operations of all profiles of an API by id, each with the newest profile that declares it.

    The operations of the newest profile come first, in its order.
    """
    newest: dict[str, tuple[Profile, Operation]] = {}
    for revision in reversed(find_api(api).profiles):
        profile = Profile(api, revision)
        for id, operation in profile.document().operations.items():
            newest.setdefault(id, (profile, operation))
    return newest


def every_operation(api: str) -> list[Operation]:
    """Return the operations of all profiles of an API, each from the newest profile that declares it."""
    return [operation for _, operation in newest_operations(api).values()]
