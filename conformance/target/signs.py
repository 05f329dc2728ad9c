"""Signs of revisions: additions of a revision to its API that a server shows.

A sign is an operation that the server offers, or a field or a header in a successful answer before the first
requirement. A header that the server also sends where no document declares it is one of its framework, and no sign.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from conformance.values.declared_fields import ITEM, field_tree
from conformance.values.exchange import Exchange
from specs.openapi import JSON_TYPE, Document
from specs.profiles import Profile, newest_profile

OPERATION, FIELD, HEADER = "operation", "field", "header"
Sign = tuple[str, str, str]  # kind, operation, and the place of a field or the name of a header


@dataclass(frozen=True, slots=True)
class Shown:
    """The revision that judges a server, and why."""

    profile: Profile
    why: str

    def note(self) -> str:
        """Return a note on a revision that is not the newest, "" on the newest."""
        newest = newest_profile(self.profile.api)
        if self.profile == newest:
            return ""
        return f"{self.profile.name} judges the server: {self.why}. `--profile newest` tests it against {newest.name}."


def shown_revision(api: str, named: Iterable[str], offered: Iterable[str], heard: Iterable[Exchange]) -> Shown | None:
    """Return the newest revision of whose additions a server shows a sign, the oldest without any.

    A revision that lacks one of the operations `named` by the settings is none, if a newer one has it. `offered` are
    the operations that the server offers, `heard` its answers so far. None for an API with a single revision.
    """
    revisions = [Profile(api, revision) for revision in newest_profile(api).facts.revisions]
    if len(revisions) == 1:
        return None
    signs = {*((OPERATION, id, "") for id in offered), *_of_answers(revisions[-1].document(), list(heard))}
    wanted = {*named} & revisions[-1].document().operations.keys()
    for profile in reversed(revisions[1:]):
        newer = ", ".join(later.name for later in revisions[revisions.index(profile) + 1 :])
        nothing = f", and it shows nothing that {newer} added" if newer else ""
        if sign := next((sign for sign in additions(profile) if sign in signs), None):
            return Shown(profile, f"{_words(sign)}{nothing}")
        before = revisions[revisions.index(profile) - 1].document()
        if not additions(profile):
            return Shown(profile, f"no addition tells it from older revisions{nothing}")
        if lacked := sorted(wanted - before.operations.keys()):
            return Shown(profile, f"the settings name {lacked[0]}{nothing}")
    later = " or ".join(profile.name for profile in revisions[1:])
    return Shown(revisions[0], f"it shows nothing that {later} added")


def removals(profile: Profile) -> frozenset[str]:
    """Return the operations of a revision that the newest one no longer has."""
    return frozenset(profile.document().operations.keys() - newest_profile(profile.api).document().operations.keys())


@cache
def additions(profile: Profile) -> tuple[Sign, ...]:
    """Return the declarations that no older revision has: operations, then fields and headers of successful answers."""
    revisions = profile.facts.revisions
    older = [Profile(profile.api, name) for name in revisions[: revisions.index(profile.revision)]]
    known = {sign for earlier in older for sign in _declared(earlier.document())}
    new = [sign for sign in _declared(profile.document()) if sign not in known]
    return tuple(dict.fromkeys(sorted(new, key=lambda sign: sign[0] != OPERATION)))


def _declared(document: Document) -> Iterator[Sign]:
    for operation in document.operations.values():
        yield OPERATION, operation.id, ""
        for status, answer in operation.responses.items():
            if status.startswith("2"):
                tree = field_tree(document, answer.content.get(JSON_TYPE, {}))
                yield from ((FIELD, operation.id, node.path) for node in tree.walk())
    yield from ((HEADER, id, name) for id, names in _headers(document).items() for name in names)


def _headers(document: Document) -> dict[str, set[str]]:
    """Return the headers that successful answers declare, in lower case, by operation."""
    names: dict[str, set[str]] = {}
    for operation in document.operations.values():
        raw = document.raw["paths"][operation.path][operation.method.lower()].get("responses", {})
        answers = [document.resolve(answer) for status, answer in raw.items() if status.startswith("2")]
        names[operation.id] = {name.lower() for answer in answers for name in answer.get("headers", {})}
    return names


def _of_answers(document: Document, heard: list[Exchange]) -> Iterator[Sign]:
    """Yield the fields and headers of successful answers."""
    declared = _headers(document)
    seen = {
        (HEADER, exchange.operation, name.lower())
        for exchange in heard
        if exchange.succeeded and exchange.operation in declared
        for name in exchange.response_headers
    }
    of_framework = {name for _, operation, name in seen if name not in declared[operation]}
    yield from (sign for sign in seen if sign[2] not in of_framework)
    for exchange in heard:
        if exchange.succeeded:
            yield from ((FIELD, exchange.operation, place) for place in _places(exchange.json()))


def _places(value: Any) -> Iterator[str]:
    """Yield the places of a JSON value below its root, in the form of `FieldNode.path`."""
    left = [("", value)]
    while left:
        path, outer = left.pop()
        inner: list[tuple[str, Any]] = []
        if isinstance(outer, dict):
            inner = [(f"{path}/{name}", item) for name, item in outer.items()]
        elif isinstance(outer, list):
            inner = [(path + ITEM, item) for item in outer]
        yield from (place for place, _ in inner)
        left += inner


def _words(sign: Sign) -> str:
    kind, operation, place = sign
    if kind == OPERATION:
        return f"it offers {operation}"
    thing = f"the header {place}" if kind == HEADER else f"`{place.strip('/').replace('/', '.')}`"
    return f"{operation} returned {thing}"
