"""What a finding rests on: what its failing step expected, and what it got."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jsonpointer import JsonPointerException, resolve_pointer

from conformance.values.exchange import ERROR_STATUS, Step
from conformance.values.verdict import Result

STATUSES = re.compile(r"^(?:\S+: expected|who lost should be told) (\d+(?: or \d+)*), (?:got|not) ")
PAGE = re.compile(r"<(?:!doctype )?html", re.IGNORECASE)
TITLE = re.compile(r"<title>([^<]*)</title>", re.IGNORECASE)
VARIABLE = re.compile(
    r"\{.*\}"  # objects, also those of other languages
    r"|\[.*\]|\"[^\"]*\"|'[^']*'|`[^`]*`|<[^<>]*>"
    r"|(?:\w+:)?/*(?:[\w.$…-]+/)+[\w.$…-]*(?::\d+)*"  # paths, and places in sources
    r"|\b[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}\b|\b\w*\d\w*\b|\b[A-Z][A-Z_]{2,}\b|\w+_\w+|\w{40,}",
    re.DOTALL,
)
LABEL = re.compile(r": expected |: lacks |: has |: there should |assert |this does not hold: ")
MORE = re.compile(r" \(and \d+ more\)$")
RUN = re.compile(r"[\w./:$-]*\d[\w./:$-]*")
OPEN = re.compile(r"[\"'`{\[].*", re.DOTALL)  # what a cut left open
GAP = "…"
GAPS = re.compile(rf"{GAP}(?:[\s,.:;=()-]*{GAP})+")
RIGHT, WRONG, ODD, UNKNOWN = "right", "wrong", "odd", "unknown"
SERVER_ERRORS = 500


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the failing step of a finding expected and got.

    `wanted` are the statuses that the requirement allows, none where it is about something else; `got` is 0 where
    no answer came. `text` is what the server said in an error, `type` the type or code of it, `page` says that it
    came as HTML. `about_status` is true where the status is what was wrong.
    """

    result: Result
    operation: str
    wanted: tuple[int, ...]
    got: int
    type: str
    text: str
    page: bool
    about_status: bool
    place: str

    @classmethod
    def of(cls, result: Result) -> Evidence:
        """Return the evidence of a finding."""
        step = shown_step(result.steps)
        match = STATUSES.match(result.message)
        wanted = tuple(int(text) for text in match[1].split(" or ")) if match else ()
        if step is None:
            return cls(
                result,
                (result.operations or [""])[0],
                wanted,
                0,
                "",
                "",
                page=False,
                about_status=bool(wanted),
                place="",
            )
        kind, text = error_of(step)
        return cls(
            result,
            step.operation,
            wanted,
            step.response.status,
            kind,
            text,
            page=_is_page(step),
            about_status=bool(wanted) or step.mark == "status",
            place=_place(step),
        )

    @property
    def request(self) -> str:
        """What the requirement thinks of the request: it is right, wrong, odd (may be refused), or it does not say."""
        if not self.wanted:
            return UNKNOWN
        kinds = {status < ERROR_STATUS for status in self.wanted}
        return ODD if len(kinds) > 1 else RIGHT if kinds == {True} else WRONG

    @property
    def message(self) -> str:
        """What the kit said, on one line, without the count of what is alike."""
        return MORE.sub("", self.result.message.partition("\n")[0])

    @property
    def label(self) -> str:
        """What a check was about: its message up to what was expected."""
        return LABEL.split(self.message, maxsplit=1)[0].replace(self.operation or GAP, GAP)

    @property
    def says_all(self) -> bool:
        """True when the message of a check names no values that were expected: it says the same of any operation."""
        return not LABEL.search(self.message)

    @property
    def refused(self) -> bool:
        """True when an error came, or no answer at all."""
        return self.got >= ERROR_STATUS or not self.got

    @property
    def done(self) -> bool:
        """True when a right request was done, whatever its status of success."""
        return self.request == RIGHT and not self.refused


def shown_step(steps: Sequence[Step]) -> Step | None:
    """Return the step that shows a finding: the last one that is marked."""
    shown = [step for step in steps if step.mark] or steps
    return shown[-1] if shown else None


def pattern(text: str) -> str:
    """Return a text without what changes from request to request: names, values, numbers, paths."""
    return GAPS.sub(GAP, OPEN.sub(GAP, VARIABLE.sub(GAP, text))).strip(" .,:")


def raw_pattern(text: str) -> str:
    """Return a text without what only a run gives: its names, which have digits, and ids."""
    return RUN.sub(GAP, text)


def _place(step: Step) -> str:
    """Return the pointer of the marked field, where that has one value or none: of lists and objects it says little."""
    pointer = step.mark.removeprefix("body:") if step.mark.startswith("body:/") else ""
    try:
        value = resolve_pointer((step.response.body or {}).get("json"), pointer, None)
    except JsonPointerException:  # a name with a tilde is no pointer
        return ""
    return "" if isinstance(value, dict | list) else pointer


def said(step: Step) -> tuple[str, str]:
    """Return what an error has in common with others: its type or code, and its words without names and values.

    Of a page, it is only that it is one.
    """
    if step.response.status and step.response.status < ERROR_STATUS:
        return "", ""
    if _is_page(step):
        return "", "page"
    kind, text = error_of(step)
    return kind, pattern(text)


def _is_page(step: Step) -> bool:
    return bool(PAGE.search((step.response.body or {}).get("text", "")[:1000]))


def error_of(step: Step) -> tuple[str, str]:
    """Return the type or code of an error, and what it says."""
    body = step.response.body or {}
    if not step.response.status:
        return "", step.response.failure
    if "text" in body:
        title = TITLE.search(body["text"])
        return "", title[1] if title else body["text"]
    value: Any = body.get("json")
    error = value.get("error") if isinstance(value, dict) else None
    inner = error if isinstance(error, dict) else value if isinstance(value, dict) else {}
    said = inner.get("message") or (error if isinstance(error, str) else "")
    kind = inner.get("type") or inner.get("code") or ""
    return str(kind), str(said or "")
