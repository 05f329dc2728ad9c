"""Evidence of a finding: the fields that a check states. Sentences are made from it; nothing parses a sentence.

A check states what it read, the expected relation, and the two values. The run adds the rest from the exchanges:
operation, aspect, place, the server's words, and the place of the check in the code.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal
from zlib import crc32

import msgspec
from jsonpointer import JsonPointerException, resolve_pointer

from conformance.values.exchange import ERROR_STATUS, Step
from conformance.values.patterns import pattern, raw_pattern

Aspect = Literal["", "status", "header", "schema", "body", "effect", "history", "connection"]
Request = Literal["unknown", "valid", "invalid", "unusual"]
State = Literal[
    "",
    "unsteady",
    "not done",
    "half done",
    "more done",
    "done",
    "stale",
    "answer",
    "state",
    "old",
    "short",
    "doubled",
    "earlier",
]
Relation = Literal[
    "stated", "status", "equal", "unequal", "one of", "items", "none of", "no", "holds", "present", "died", "suspect"
]
DIED: Relation = "died"
SUSPECT: Relation = "suspect"
SENTENCES: dict[Relation, str] = {
    "stated": "{thing}",
    "status": "{operation}: expected {expected}, got {actual}",
    "equal": "{thing}: expected {expected}, got {actual}",
    "unequal": "{thing}: expected anything but {expected}",
    "one of": "{thing}: expected {expected}, got {actual}",
    "items": "{thing}: {difference}",
    "none of": "{thing}: unexpected {actual}",
    "no": "unexpected {thing}: {actual}",
    "holds": "this does not hold: {thing}",
    "present": "{thing} is missing",
    "died": "the server died while it processed {actual}",
    "suspect": "the server went away while it processed {actual}; no request is known to have caused it",
}
PAGE = re.compile(r"<(?:!doctype )?html", re.IGNORECASE)
TITLE = re.compile(r"<title>([^<]*)</title>", re.IGNORECASE)
PAGE_HEAD = 1000
IN = "in:"  # starts a value of a world in a signature
CLASS = 100  # statuses
NOTHING = "nothing"  # an absent value in the words of a check


class Said(msgspec.Struct, kw_only=True, omit_defaults=True, frozen=True):
    """A server's words in an error: its type or code, and its message; `page` is true for an HTML page."""

    type: str = ""
    message: str = ""
    page: bool = False

    @classmethod
    def of(cls, step: Step) -> Said:
        """Return the words of the answer of a step, none for a successful one."""
        done = 0 < step.response.status < ERROR_STATUS
        kind, text = ("", "") if done else error_of(step)
        return cls(type=kind, message=text, page=is_page(step))


class Evidence(msgspec.Struct, kw_only=True, omit_defaults=True, frozen=True):
    """The observation of a failed check, as fields.

    `operation`   the operation that behaves wrongly
    `aspect`      the wrong part: "effect" is a body in which another operation shows it
    `place`       the header, the JSON pointer, or the schema's place and keyword
    `field`       the field in which two documents differ first, that an object lacks, or the pointer of the object or
                  list that was read
    `relation`    the expected relation between `expected` and `actual`, two values as JSON or in words; of a server
                  that died, `actual` are the operations that it processed
    `thing`       the object of the check, in words: for sentences alone
    `statuses`    the expected ones; `status` is the one received, 0 for none
    `request`     valid, invalid by its `feature`, or unusual by it
    `caller`      who sent the request, where its privileges decide
    `said`        the server's words
    `state`       the outcome of experiments: the same request again is answered differently ("unsteady"); the `write`
                  was accepted and changed nothing ("not done"), a part ("half done") or more than it names ("more
                  done"), or failed and changed something ("done"); its answer is the one before it ("stale"), wrong
                  where `reader` shows another value ("answer"), or as `reader` shows it ("state"); `reader` alone
                  shows what was before ("old"), or its list lacks an entry ("short") or has one twice ("doubled"); or
                  the same is wrong where the last request is not sent ("earlier")
    `check`       the place of the check in the code
    `world`       the smallest world in which the requirement fails, by dimension; in the plain one it passes. `only`
                  tells it in words
    `others`      the messages of further findings of the same kind, which are listed below the first
    `more`        the number of such findings in results of an older kit, which did not store them
    `worded`      true for a finding of an older kit, whose only evidence is the sentence in `thing`
    """

    operation: str = ""
    aspect: Aspect = ""
    place: str = ""
    field: str = ""
    relation: Relation = "stated"
    thing: str = ""
    expected: str = ""
    actual: str = ""
    statuses: tuple[int, ...] = ()
    status: int = 0
    request: Request = "unknown"
    feature: str = ""
    caller: str = ""
    said: Said = Said()
    state: State = ""
    write: str = ""
    reader: str = ""
    check: str = ""
    world: tuple[tuple[str, str], ...] = ()
    only: str = ""
    others: tuple[str, ...] = ()
    more: int = 0
    worded: bool = False

    @property
    def about_status(self) -> bool:
        """True when the status was wrong, or no answer came."""
        return self.aspect in ("status", "connection")

    @property
    def died(self) -> bool:
        """True when the server died during the requests."""
        return self.relation == DIED or self.suspected

    @property
    def suspected(self) -> bool:
        """True when the server went away during the requests, and none is known to have caused it."""
        return self.relation == SUSPECT

    @property
    def omits(self) -> bool:
        """True for a list in a successful answer that lacks items."""
        return self.relation == "items" and bool(self.expected) and not self.refused

    @property
    def signature(self) -> str:
        """The evidence without values: equal in two runs for the same defect."""
        statuses = f"{' or '.join(map(str, self.statuses))} -> {self.status}" if self.about_status else str(self.status)
        place = raw_pattern(self.place) or "-"
        check = self.check.partition("+")[0] or "-"
        features = [f"{crc32(pattern(self.feature).encode()):08x}"] if self.feature else []
        world = [f"{IN}{dimension}={value}" for dimension, value in self.world]
        return " ".join([self.operation or "-", self.aspect or "-", place, statuses, check, *features, *world])

    @property
    def actual_type(self) -> str:
        """The first character of the actual value, which shows its JSON type; one digit stands for all numbers."""
        first = self.actual[:1]
        return "0" if first.isdigit() or first == "-" else first

    @property
    def leaf(self) -> str:
        """The name of the wrong field, "" when the evidence names none."""
        names = [name for name in (self.place or self.field).split("/") if name and not name.isdigit()]
        return "".join(names[-1:])

    @property
    def states_all(self) -> bool:
        """True when a check names no values: its sentence is the same for any operation."""
        return self.relation == "stated"

    @property
    def refused(self) -> bool:
        """True when the request returned an error, or no answer."""
        return self.status >= ERROR_STATUS or not self.status

    @property
    def done(self) -> bool:
        """True when a valid request succeeded, with any 2xx or 3xx status."""
        return self.request == "valid" and not self.refused


def world_of(signature: str) -> dict[str, str]:
    """Return the world that a signature names, by dimension."""
    tokens = (token.removeprefix(IN).partition("=") for token in signature.split() if token.startswith(IN))
    return {dimension: value for dimension, _, value in tokens}


def sentence(evidence: Evidence) -> str:
    """Return the evidence of a check as a sentence, and a line for each further finding."""
    lost = [f"missing {evidence.expected}"] if evidence.expected else []
    besides = [f"unexpected {evidence.actual}"] if evidence.actual else []
    text = SENTENCES[evidence.relation].format(
        thing=evidence.thing,
        operation=evidence.operation,
        expected=evidence.expected,
        actual=evidence.actual,
        difference="; ".join([*lost, *besides]),
    )
    text += f" for {evidence.caller}" if evidence.caller and evidence.relation == "status" else ""
    count = len(evidence.others) or evidence.more
    first = f"{text} (and {count} more)" if count else text
    return "\n".join([first, *(f"also: {other}" for other in evidence.others)])


def completed(stated: Evidence, steps: Sequence[Step], subjects: Sequence[str]) -> Evidence:
    """Return the evidence of a check, completed from its steps.

    `subjects` are the operations of the requirement: a body of another operation shows their effect.
    """
    step = shown_step(steps)
    request = stated.request if stated.request != "unknown" else kind_of_request(stated.statuses)
    if step is None:
        operation, aspect = stated.operation or "".join(subjects[:1]), stated.aspect or _status_aspect(stated, "")
        return msgspec.structs.replace(stated, operation=operation, aspect=aspect, request=request)
    of_body: Aspect = "body" if step.operation in subjects or not step.operation else "effect"
    aspect = stated.aspect or _status_aspect(stated, step.mark) or (aspect_of(step.mark, of_body) if step.mark else "")
    if aspect == "status" and not step.response.status:
        aspect = "connection"
    place, container = place_of(step, stated)
    return msgspec.structs.replace(
        stated,
        operation=step.operation,
        aspect=aspect,
        place=stated.place or place,
        field=stated.field or container,
        status=step.response.status,
        request=request,
        said=Said.of(step),
    )


def _status_aspect(stated: Evidence, mark: str) -> Aspect:
    """Return the aspect of a finding about the status, "" for other findings."""
    return "status" if stated.statuses or mark == "status" else ""


def alternatives(statuses: Sequence[int]) -> list[str]:
    """Return statuses as texts; a class stands for all of its statuses: `200`, `4xx`."""
    whole = {status // CLASS for status in statuses if set(range(status, status + CLASS)) <= set(statuses)}
    single = [str(status) for status in statuses if status // CLASS not in whole]
    return [*single, *(f"{kind}xx" for kind in sorted(whole))]


def kind_of_request(statuses: Sequence[int]) -> Request:
    """Return the kind of request that these expected statuses imply: an unusual one may be accepted or rejected."""
    if not statuses:
        return "unknown"
    kinds = {status < ERROR_STATUS for status in statuses}
    return "unusual" if len(kinds) > 1 else "valid" if kinds == {True} else "invalid"


def aspect_of(mark: str, of_body: Aspect) -> Aspect:
    """Return the aspect of an exchange's mark; `of_body` is the aspect of a place in a body."""
    kind = mark.partition(":")[0]
    return "status" if kind == "status" else "header" if kind == "header" else of_body


def shown_step(steps: Sequence[Step]) -> Step | None:
    """Return the step that shows a finding: the last one that is marked, else the last request."""
    shown = [step for step in steps if step.mark] or [step for step in steps if not step.beside]
    return shown[-1] if shown else None


def place_of(step: Step, stated: Evidence) -> tuple[str, str]:
    """Return the pointers of the marked field: as a scalar or absent value, and as an object or a list.

    One of them is "", or both: a field that is absent was read last, but a check of a list or of a sum is not about it.
    """
    pointer = step.mark.removeprefix("body:") if step.mark.startswith("body:/") else ""
    try:
        value = resolve_pointer((step.response.body or {}).get("json"), pointer, None)
    except JsonPointerException:  # a name with a tilde is no pointer
        return "", ""
    if value is None and not (stated.states_all or stated.relation == "present" or stated.actual.endswith(NOTHING)):
        return "", ""
    return ("", pointer) if isinstance(value, dict | list) else (pointer, "")


def is_page(step: Step) -> bool:
    """True for an answer that is an HTML page."""
    return bool(PAGE.search((step.response.body or {}).get("text", "")[:PAGE_HEAD]))


def error_of(step: Step) -> tuple[str, str]:
    """Return the type or code of an error, and its message."""
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
