"""Reading and writing expectations files; expectations.py describes their content."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import orjson

from conformance.replay.expectations_examples import Example, read_examples, write_examples
from conformance.replay.expectations_older import is_older, with_steps
from conformance.replay.replaying import Finding
from conformance.values.evidence import Evidence, completed
from conformance.values.exchange import Step
from conformance.values.settings import DEPTHS, EXPECTATIONS
from specs.files import read_toml
from specs.problems import Problem
from specs.writing import write_file, written

RUN = "{run}"
BASE = "{base}"
KEPT_HEADERS = ("content-type", "etag", "location")  # headers of answers that later requests may use
LITERAL = re.compile(r"[^'\x00-\x1f\x7f]*")
SEVERAL = re.compile(r"([\w.]+\.)\{([\w,]+)\}")  # ids that differ in their last part
ONE = re.compile(r"[\w.]+\.\w+")
WIDTH = 110
HEAD = """\
# Known violations of this server. `lakeproof check` reports them as known while they fail as recorded.
# `lakeproof expect RESULTS` adds new findings of a run, and with --prune removes requirements that pass now.
# a.{b,c} stands for a.b and a.c.
"""


class Entry(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Known findings of one cause, with the counterexamples that lie beside the file.

    `findings` has a sentence for each requirement, "" for one without, `evidence` the signature that identifies the
    finding. `steps` are those of `example`, `prepared` the objects that they depend on, `due` the expected statuses.
    See expectations.py, and Finding.
    """

    cause: str = ""
    reason: str = ""
    link: str = ""
    expires: date | None = None
    example: str = ""
    due: list[int] = msgspec.field(default_factory=lambda: [])
    flaky: list[str] = msgspec.field(default_factory=lambda: [])
    blocked: list[str] = msgspec.field(default_factory=lambda: [])
    findings: dict[str, str]
    evidence: dict[str, str] = msgspec.field(default_factory=lambda: {})
    prepared: dict[str, list[str]] = msgspec.field(default_factory=lambda: {})
    steps: list[Step] = msgspec.field(default_factory=lambda: [])

    def finding(self, kind: str) -> Finding:
        """Return the stored counterexample as a finding that can be replayed."""
        message = self.findings.get(self.example, "")
        known = self.example in self.evidence  # files of older kits have the statuses in their sentences alone
        stated = completed(Evidence(statuses=tuple(self.due)), self.steps, ()) if known else None
        return Finding(self.example, kind, message, self.steps, BASE, RUN, self.prepared, stated)

    def of_a_former(self, name: str) -> Entry:
        """Return the entry of a requirement that took the place of one in this entry: any failure of it is known."""
        return msgspec.structs.replace(
            self, findings={name: ""}, flaky=[name], blocked=[], evidence={}, prepared={}, steps=[], example="", due=[]
        )

    def examples(self) -> Iterator[tuple[str, Example]]:
        """Yield the parts of the entry that lie beside the file, by requirement."""
        for name, seen in self.findings.items():
            told = Example(seen=seen, evidence=self.evidence.get(name, ""))
            if name == self.example:
                told = msgspec.structs.replace(told, due=self.due, prepared=self.prepared, steps=self.steps)
            if told != Example():
                yield name, told


class ShortEntry(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Known findings of one cause as people read them: `blocked` could not be tested, `flaky` came and went."""

    cause: str = ""
    reason: str = ""
    link: str = ""
    expires: date | None = None
    requirements: list[str] = msgspec.field(default_factory=lambda: [])
    blocked: list[str] = msgspec.field(default_factory=lambda: [])
    flaky: list[str] = msgspec.field(default_factory=lambda: [])

    def entry(self, examples: dict[str, Example]) -> Entry:
        """Return the entry with its counterexamples. Raises ValueError for an entry without a requirement."""
        blocked, flaky = _spelt_out(self.blocked), _spelt_out(self.flaky)
        names = [*_spelt_out(self.requirements), *blocked]
        if not names:
            raise ValueError("an entry has no requirements")
        stored = {name: examples.get(name, Example()) for name in names}
        example = next((name for name in names if stored[name].steps), "")
        return Entry(
            cause=self.cause,
            reason=self.reason,
            link=self.link,
            expires=self.expires,
            example=example,
            due=stored[example].due if example else [],
            flaky=flaky,
            blocked=blocked,
            findings={name: told.seen for name, told in stored.items()},
            evidence={name: told.evidence for name, told in stored.items() if told.evidence},
            prepared=stored[example].prepared if example else {},
            steps=stored[example].steps if example else [],
        )


class ExpectationFile(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """The content of an expectations file; `unsteady` is true for a server that answers equal requests differently."""

    profile: str
    depth: str = "gate"
    unsteady: bool = False
    known: list[Entry] = msgspec.field(default_factory=lambda: [])


def read_expectations(path: Path) -> ExpectationFile:
    """Parse an expectations file with its counterexamples, also one of an older kit.

    Raises Problem for an unreadable file, and for two entries of one requirement.
    """
    raw, examples = read_toml(path), read_examples(path)
    try:
        raw["known"] = [_entry(entry, examples) for entry in raw.get("known", [])]
        file = msgspec.convert(raw, ExpectationFile)
    except (msgspec.MsgspecError, orjson.JSONDecodeError, TypeError, AttributeError, KeyError, ValueError) as error:
        raise Problem(
            f"{path} is not an expectations file: {error}.", "`lakeproof expect RESULTS` writes one."
        ) from None
    if file.depth not in DEPTHS:
        raise Problem(f"{path}: unknown depth {file.depth!r}.", f"Choose {', '.join(DEPTHS)}.")
    names = [name for entry in file.known for name in entry.findings]
    if doubled := sorted({name for name in names if names.count(name) > 1}):
        raise Problem(f"{path} has two entries for {doubled[0]}.", "Remove one of them.")
    return file


def _entry(raw: dict[str, Any], examples: dict[str, Example]) -> Entry:
    if is_older(raw):
        return msgspec.convert(with_steps(raw), Entry)
    return msgspec.convert(raw, ShortEntry).entry(examples)


def load_expectations(path: str, profile: str) -> ExpectationFile:
    """Return the expectations of a run, none without a file.

    Raises Problem for a file of another profile; the default file in the working directory is ignored in that case.
    """
    if not path:
        return ExpectationFile(profile=profile)
    file = read_expectations(Path(path))
    if file.profile != profile and path != EXPECTATIONS:
        raise Problem(
            f"{path} is for the profile {file.profile}, and this run uses {profile}.",
            "Give another file with --expect.",
        )
    return file if file.profile == profile else ExpectationFile(profile=profile)


def write_expectations(path: Path, content: ExpectationFile) -> None:
    """Write an expectations file and the counterexamples beside it. Raises Problem if they cannot be written."""
    head = [HEAD, f"profile = {_text(content.profile)}", f"depth = {_text(content.depth)}"]
    head += ["unsteady = true"] if content.unsteady else []
    with written(path, "Give another --file."):
        write_examples(path, dict(pair for entry in content.known for pair in entry.examples()))
        write_file(path, "\n".join([*head, *(line for entry in content.known for line in _lines(entry))]) + "\n")


def stored(step: Step, base: str, prefix: str) -> Step:
    """Return a recorded step with placeholders for the prefix of its run and for the server."""
    raw = msgspec.json.encode(step).decode()
    copy = msgspec.json.decode(raw.replace(prefix, RUN) if prefix else raw, type=Step)
    request, response = copy.request, copy.response
    request.url = request.url if step.beside else BASE + request.url.removeprefix(base)
    request.curl = ""
    response.headers = {name: value for name, value in response.headers.items() if name.lower() in KEPT_HEADERS}
    return msgspec.structs.replace(copy, seconds=0.0)


def _lines(entry: Entry) -> Iterator[str]:
    yield "\n[[known]]"
    for name in ("cause", "reason", "link"):
        if text := getattr(entry, name):
            yield f"{name} = {_text(text)}"
    if entry.expires:
        yield f"expires = {entry.expires.isoformat()}"
    findings = [name for name in entry.findings if name not in entry.blocked]
    for name, ids in (("requirements", findings), ("blocked", entry.blocked), ("flaky", entry.flaky)):
        if ids:
            yield from _list(name, [_text(text) for text in _together(ids)])


def _list(name: str, words: Sequence[str]) -> Iterator[str]:
    """Yield an array of TOML, on several lines if it is long."""
    line = f"{name} = [{', '.join(words)}]"
    if len(line) <= WIDTH:
        yield line
        return
    yield f"{name} = ["
    yield from (f"  {word}," for word in words)
    yield "]"


def _together(names: Iterable[str]) -> Iterator[str]:
    """Yield ids, those that differ in their last part alone as one: a.{b,c}."""
    groups: dict[str, list[str]] = {}
    for name in sorted(names):
        parent, dot, last = name.rpartition(".") if ONE.fullmatch(name) else (name, "", "")
        groups.setdefault(parent + dot, []).append(last)
    for parent, lasts in groups.items():
        yield f"{parent}{{{','.join(lasts)}}}" if len(lasts) > 1 else parent + lasts[0]


def _spelt_out(names: Iterable[str]) -> list[str]:
    """Return the ids of a list that may have some together, in order."""
    whole: list[str] = []
    for name in names:
        several = SEVERAL.fullmatch(name)
        whole += [several[1] + last for last in several[2].split(",")] if several else [name]
    return sorted(whole)


def _text(value: Any) -> str:
    """Return a text or a number as a TOML value."""
    if not isinstance(value, str):
        return str(value)
    if LITERAL.fullmatch(value) and ('"' in value or "\\" in value):
        return f"'{value}'"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
