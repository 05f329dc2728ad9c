"""Rule: a value that says what happens to which requests, and when.

A rule has a text form, in which `updateTable: 504 applied x2` means: the next two requests of the operation are done,
and answered with 504. `text.py` reads it, `str(rule)` writes it; a rule in JSON has the fields of the class.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

import orjson

ANY = "any"
HEADER, QUERY, BODY = "header.", "query.", "body."
ABSENT, PRESENT = "!", "*"
FLAGS = ("applied", "cut", "half", "stale", "absent")


@dataclass(frozen=True, slots=True)
class Rule:
    """Behaviour of a server for some requests.

    Which: `operation` is an operation or a group of operations of the document, "" for any request. `where` has
    patterns (`*` and `?` as in file names) for parts of the request: the objects in its path by their kind (`table`,
    `namespace` with dots between levels), `query.NAME`, `header.NAME` and `body.PLACE`; None means that the part is
    absent.

    When: not the first `after` of these requests, `times` of the others (None: all), and only `every` so many of them.

    What: `delay` in seconds, then one of these or none. `status` from 400 on is an error, with the name `error` that
    clients know and a `message`; another status replaces that of a success. `cut` closes the connection without an
    answer, `half` in the middle of it. `stale` returns the answer to the same request before the last change. `absent`
    operations are refused, by default as the document wants it, and the server does not name their endpoints. `fault`
    is a fault by its name. An error and a cut request are not done, unless the rule says `applied`.

    `ignored` arguments (of the query, the headers or the body) count as not sent; `given` ones are added to the query.

    Finally `lost` fields of the answer go, `changed` ones get these values, `headers` are added, and `body` replaces
    the whole text of the answer.
    """

    operation: str = ""
    where: Mapping[str, str | None] = field(default_factory=dict)
    after: int = 0
    times: int | None = None
    every: int = 1
    delay: float = 0.0
    status: int | None = None
    error: str = ""
    message: str = ""
    applied: bool = False
    cut: bool = False
    half: bool = False
    stale: bool = False
    absent: bool = False
    fault: str = ""
    ignored: tuple[str, ...] = ()
    given: Mapping[str, str] = field(default_factory=dict)
    lost: tuple[str, ...] = ()
    changed: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None

    @property
    def refuses(self) -> bool:
        """True for a rule that returns an error."""
        return self.absent or (self.status is not None and self.status >= 400)

    @property
    def fields(self) -> dict[str, Any]:
        """The fields that differ from their defaults, by name."""
        given = {name: getattr(self, name) for name, default in DEFAULTS.items() if getattr(self, name) != default}
        return {name: dict(value) if isinstance(value, Mapping) else value for name, value in given.items()}

    def __str__(self) -> str:
        if self.fault and self.fields.keys() <= {"fault", *WHEN}:
            return " ".join([self.fault, *self._when()])
        head = " ".join([self.operation or ANY, *self._where()])
        return f"{head}: {' '.join([*self._what(), *self._when()])}"

    def _where(self) -> Iterator[str]:
        for name, pattern in self.where.items():
            yield f"{ABSENT}{name}" if pattern is None else name if pattern == PRESENT else _pair(name, pattern)

    def _what(self) -> Iterator[str]:
        yield from (str(part) for part in (self.fault, self.status, self.error) if part not in ("", None))
        yield from (name for name in FLAGS if getattr(self, name))
        if self.message:
            yield _pair("message", self.message)
        if self.body is not None:
            yield _pair("body", self.body)
        yield from (f"ignored {shlex.quote(name)}" for name in self.ignored)
        yield from (f"given {_pair(name, value)}" for name, value in self.given.items())
        yield from (f"lost {shlex.quote(place)}" for place in self.lost)
        yield from (_pair(f"{BODY}{place}", orjson.dumps(value).decode()) for place, value in self.changed.items())
        yield from (_pair(f"{HEADER}{name}", text) for name, text in self.headers.items())
        if self.delay:
            yield f"delay {self.delay:g}"

    def _when(self) -> Iterator[str]:
        if self.times is not None:
            yield f"x{self.times}"
        if self.after:
            yield f"after {self.after}"
        if self.every > 1:
            yield f"every {self.every}"


def _pair(name: str, value: str) -> str:
    return f"{name}={shlex.quote(value)}"


WHEN = ("after", "times", "every")
DEFAULTS: dict[str, Any] = {field.name: field.default if field.default is not MISSING else {} for field in fields(Rule)}
