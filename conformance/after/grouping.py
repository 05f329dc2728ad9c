"""Which findings have one cause: those whose failing steps got the same answer for the same reason.

A finding has keys; what shares one with another finding belongs to its cause, and so on.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from conformance.replay.evidence import RIGHT, SERVER_ERRORS, Evidence, pattern, raw_pattern

TELLING = 6  # so many words of an error are enough to know it again in another operation
TELLING_HEAD = 4  # and so many words of its beginning
MISSING = 404
Key = tuple[Hashable, ...]


def group(findings: Sequence[Evidence]) -> list[list[Evidence]]:
    """Return findings by cause, in the order in which they came."""
    roots = list(range(len(findings)))

    def root(place: int) -> int:
        while roots[place] != place:
            place = roots[place] = roots[roots[place]]
        return place

    first: dict[Key, int] = {}
    for place, finding in enumerate(findings):
        for key in keys_of(finding):
            leader, other = root(first.setdefault(key, place)), root(place)
            roots[max(leader, other)] = min(leader, other)
    groups: dict[int, list[Evidence]] = {}
    for place, finding in enumerate(findings):
        groups.setdefault(root(place), []).append(finding)
    return list(groups.values())


def keys_of(finding: Evidence) -> Iterator[Key]:
    """Yield what a finding has in common with others of its cause."""
    result, got = finding.result, finding.got
    if finding.page:
        yield "page", got, finding.operation if finding.request == RIGHT and got >= SERVER_ERRORS else ""
    elif not finding.about_status:
        yield "check", result.clause.id if finding.label else result.where, pattern(finding.label), got
        yield "case", finding.operation, result.where, got
        yield "message", "" if finding.says_all else finding.operation, raw_pattern(finding.message)
        if finding.place:
            yield "place", finding.operation, finding.place
    elif finding.refused and finding.text:
        yield from _refusals(finding)
    else:
        yield "status", result.clause.id, finding.wanted, got
        if finding.wanted == (MISSING,):
            yield "missing", finding.operation, got
        if finding.done:
            yield "success", finding.operation, got


def _refusals(finding: Evidence) -> Iterator[Key]:
    """Yield the keys of an error that a server explains, or of a connection that broke."""
    result, got, operation, kind = finding.result, finding.got, finding.operation, finding.type
    if not got:
        yield "broken", operation, result.where
        return
    said, head = pattern(finding.text), pattern(finding.text.partition(":")[0])
    if _words(said) >= TELLING:
        yield "text", got, kind, said
    yield "said", got, kind, said, result.clause.id
    if finding.request == RIGHT:
        yield "raw", operation, got, kind, raw_pattern(finding.text)
    elif got < SERVER_ERRORS:
        yield "status", result.clause.id, finding.wanted, got
    else:
        yield "head", operation, got, kind, head
        if _words(head) >= TELLING_HEAD:
            yield "head", got, kind, head
        if not kind.isdigit():
            yield "type", got, kind, result.clause.id
    yield "template", operation, got, kind, result.where, finding.request


def _words(text: str) -> int:
    return sum(any(map(str.isalpha, word)) for word in text.split())
