"""ETags of answers that show a table, and conditions on them.

An ETag stands for the whole answer: the metadata file, the choice of snapshots, and the access to files. Where that
has credentials that expire, the ETag ends with their expiry: until then the answer is current.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from specs.openapi import Document

ETAG, CONDITION, VARY = "ETag", "If-None-Match", "Vary"
ALL, REFS = "all", "refs"
ANYTHING = "*"
EXPIRING = re.compile(r'"[0-9a-f]+-[a-z]+-(\d{1,12})"')


def takes_conditions(document: Document) -> bool:
    """Return whether the revision has ETags: loadTable declares a condition on them."""

    def declared() -> bool:
        operation = document.operations.get("loadTable")
        return operation is not None and any(parameter.name == CONDITION for parameter in operation.parameters)

    return document.once(CONDITION, declared)


def entity_tag(
    location: str, snapshots: str = ALL, access: Mapping[str, Any] | None = None, until: int | None = None
) -> str:
    """Return the ETag of a table's metadata file, shown with these snapshots and with these fields about access."""
    given = {name: value for name, value in (access or {}).items() if value}
    what = location.encode() + (orjson.dumps(given, option=orjson.OPT_SORT_KEYS) if given else b"")
    end = "" if until is None else f"-{until}"
    return f'"{hashlib.sha1(what, usedforsecurity=False).hexdigest()}-{snapshots}{end}"'


def held_tags(condition: str) -> list[str]:
    """Return the ETags in an If-None-Match; they are compared weakly, as RFC 9110 requires here."""
    return [tag.strip().removeprefix("W/") for tag in condition.split(",")]


def expiries(tags: list[str]) -> Iterator[int]:
    """Yield the expiries in ETags that lie in the future, in seconds since 1970."""
    ends = {int(match[1]) for match in map(EXPIRING.fullmatch, tags) if match}
    yield from (end for end in ends if end > time.time())
