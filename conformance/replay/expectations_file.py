"""Reading and writing expectations files; expectations.py describes their content."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import orjson

from conformance.replay.replaying import Finding
from conformance.values.evidence import Evidence, completed
from conformance.values.exchange import Step, StepRequest, StepResponse
from conformance.values.settings import DEPTHS, EXPECTATIONS
from specs.files import read_toml
from specs.problems import Problem
from specs.writing import write_file, written

RUN = "{run}"
BASE = "{base}"
KEPT_HEADERS = ("content-type", "etag", "location")  # headers of answers that later requests may use
LITERAL = re.compile(r"[^'\x00-\x1f\x7f]*")
BARE = re.compile(r"[A-Za-z0-9_-]+")
HEAD = """\
# Known violations of this server. `lakeproof check` reports them as known while they fail as recorded here.
# `lakeproof expect RESULTS` adds new findings of a run, and with --prune removes requirements that pass now.
"""


class Entry(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Known findings of one cause.

    `steps` are those of `example`, `prepared` the objects that they depend on, `due` the expected statuses.

    `findings` has a sentence for each requirement, `evidence` the signature that identifies the finding. See
    expectations.py, and Finding.
    """

    cause: str = ""
    reason: str
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


class ExpectationFile(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """The content of an expectations file."""

    profile: str
    depth: str = "gate"
    known: list[Entry] = msgspec.field(default_factory=lambda: [])


def read_expectations(path: Path) -> ExpectationFile:
    """Parse an expectations file. Raises Problem for an unreadable file, and for two entries of one requirement."""
    raw = read_toml(path)
    try:
        for entry in raw.get("known", []):
            entry["steps"] = [_step(step) for step in entry.get("steps", [])]
        file = msgspec.convert(raw, ExpectationFile)
    except (msgspec.MsgspecError, orjson.JSONDecodeError, TypeError, AttributeError, KeyError) as error:
        raise Problem(
            f"{path} is not an expectations file: {error}.", "`lakeproof expect RESULTS` writes one."
        ) from None
    if file.depth not in DEPTHS:
        raise Problem(f"{path}: unknown depth {file.depth!r}.", f"Choose {', '.join(DEPTHS)}.")
    names = [name for entry in file.known for name in entry.findings]
    if doubled := sorted({name for name in names if names.count(name) > 1}):
        raise Problem(f"{path} has two entries for {doubled[0]}.", "Remove one of them.")
    return file


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
    """Write an expectations file. Raises Problem if it cannot be written."""
    head = [HEAD, f"profile = {_text(content.profile)}", f"depth = {_text(content.depth)}"]
    with written(path, "Give another --file."):
        write_file(path, "\n".join([*head, *(line for entry in content.known for line in _lines(entry))]) + "\n")


def stored(step: Step, base: str, prefix: str) -> Step:
    """Return a recorded step with placeholders for the prefix of its run and for the server."""
    raw = msgspec.json.encode(step).decode()
    copy = msgspec.json.decode(raw.replace(prefix, RUN) if prefix else raw, type=Step)
    request, response = copy.request, copy.response
    request.url = BASE + request.url.removeprefix(base)
    request.curl = ""
    response.headers = {name: value for name, value in response.headers.items() if name.lower() in KEPT_HEADERS}
    return msgspec.structs.replace(copy, seconds=0.0)


def _lines(entry: Entry) -> Iterator[str]:
    yield "\n[[known]]"
    for name in ("cause", "reason", "link", "example"):
        if text := getattr(entry, name):
            yield f"{name} = {_text(text)}"
    if entry.expires:
        yield f"expires = {entry.expires.isoformat()}"
    if entry.due:
        yield f"due = [{', '.join(map(str, entry.due))}]"
    for name in ("flaky", "blocked"):
        if ids := getattr(entry, name):
            yield f"{name} = [{', '.join(map(_text, ids))}]"
    yield "[known.findings]"
    yield from (f"{_key(name)} = {_text(seen)}" for name, seen in entry.findings.items())
    if entry.evidence:
        yield "[known.evidence]"
        yield from (f"{_key(name)} = {_text(signature)}" for name, signature in entry.evidence.items())
    if entry.prepared:
        yield "[known.prepared]"
        yield from (f"{_key(name)} = [{', '.join(map(_text, names))}]" for name, names in entry.prepared.items())
    for step in entry.steps:
        yield "[[known.steps]]"
        yield f"operation = {_text(step.operation)}"
        yield f"request = {_text(f'{step.request.method} {step.request.url}')}"
        yield f"headers = {_table(step.request.headers)}"
        if step.request.body:
            yield f"body = {_body(step.request.body)}"
        answer = [f"status = {step.response.status}", f"headers = {_table(step.response.headers)}"]
        answer += [f"failure = {_text(step.response.failure)}"] if step.response.failure else []
        answer += [f"body = {_body(step.response.body)}"] if step.response.body else []
        yield f"answer = {{ {', '.join(answer)} }}"
        if step.mark:
            yield f"mark = {_text(step.mark)}"


def _step(raw: Mapping[str, Any]) -> Step:
    method, _, url = raw["request"].partition(" ")
    answer = raw["answer"]
    request = StepRequest(method=method, url=url, headers=raw["headers"], body=_read_body(raw.get("body")), curl="")
    response = StepResponse(
        status=answer["status"],
        headers=answer["headers"],
        body=_read_body(answer.get("body")),
        failure=answer.get("failure", ""),
    )
    mark = raw.get("mark", "")
    return Step(operation=raw["operation"], request=request, response=response, seconds=0.0, mark=mark)


def _read_body(raw: dict[str, Any] | None) -> dict[str, Any] | None:
    return {**raw, "json": orjson.loads(raw["json"])} if raw and "json" in raw else raw


def _body(body: Mapping[str, Any]) -> str:
    if "json" in body:
        return f"{{ json = {_text(orjson.dumps(body['json']).decode())} }}"
    return f"{{ {', '.join(f'{name} = {_text(value)}' for name, value in body.items())} }}"


def _table(values: Mapping[str, str]) -> str:
    pairs = ", ".join(f"{_key(name)} = {_text(value)}" for name, value in values.items())
    return f"{{ {pairs} }}" if pairs else "{}"


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else _text(name)


def _text(value: Any) -> str:
    """Return a text or a number as a TOML value."""
    if not isinstance(value, str):
        return str(value)
    if LITERAL.fullmatch(value) and ('"' in value or "\\" in value):
        return f"'{value}'"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
