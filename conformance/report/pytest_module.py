"""A finding as a pytest module that fails, with the sentence of the report, until the server is fixed.

The module names the requirement, which is tested anew, and shows the requests in its docstring. A requirement about all
answers of a run sends no requests of its own: its finding has those that show it.
"""

from __future__ import annotations

import pprint
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from conformance.after.reproduction import Recorded
from conformance.replay.chosen import chosen
from conformance.report.pretty import step_lines
from conformance.values.exchange import Step
from conformance.values.kinds import WIRE
from conformance.values.visible import visible

WIDTH = 116
MOST_STEPS = 8
NO_STEPS: list[Step] = []
MODULE = '''\
"""{id}: {statement}

Found by {kit} on {seen}: {due}

    BASE={url} pytest {name}.py

The last requests of the run, and the responses:

{steps}
"""

{json}import os

import lakeproof

{found}


def test_{name}():
    outcome = lakeproof.reproduce(FOUND, os.environ.get("BASE", {url!r}))
    assert not outcome.fails, outcome.why
'''
SENT = '''

# The requests, one on each line, with what later ones take from the responses.
STEPS = r"""
{}
"""
FOUND["finding"]["steps"] = [json.loads(line) for line in STEPS.split("\\n") if line]'''


def as_pytest(record: Recorded, url: str) -> str:
    """Return a pytest module that asserts that a finding is fixed."""
    finding = record.finding
    name = "".join(sign if sign.isalnum() else "_" for sign in finding.id)
    sent = _reduced(finding.steps) if finding.kind == WIRE else NO_STEPS
    evidence = finding.evidence if finding.seen_as.died else None  # of others the requirement tells it anew
    found = replace(finding, steps=(), message=record.due, evidence=evidence)
    data = msgspec.to_builtins(msgspec.structs.replace(record, finding=found, preparation=[]))
    data["finding"] = {name: value for name, value in data["finding"].items() if value or name == "steps"}
    lines = "\n".join(msgspec.json.encode(step).decode() for step in sent)
    return MODULE.format(
        id=finding.id,
        statement=_plain(record.statement),
        due=_plain(record.due),
        kit=record.kit,
        seen=record.seen,
        url=url,
        name=name,
        steps=_plain("\n".join(_shown(finding.steps))),
        json="import json\n" if sent else "",
        found=f"FOUND = {pprint.pformat(data, width=WIDTH, sort_dicts=False)}" + (SENT.format(lines) if sent else ""),
    )


def _shown(steps: Sequence[Step]) -> Iterator[str]:
    """Yield the last steps, two lines each."""
    for number, step in list(enumerate(steps, 1))[-MOST_STEPS:]:
        sent, came = step_lines(step)
        yield f"    {number}. {sent}"
        yield f"       -> {came}"


def _reduced(steps: Sequence[Step]) -> list[Step]:
    """Return steps without their commands, and with those values of the responses that later steps use."""
    used = {value.value for value in chosen(steps)}
    return [
        msgspec.structs.replace(
            step,
            request=msgspec.structs.replace(step.request, curl=""),
            response=msgspec.structs.replace(step.response, body=_used(step.response.body, used)),
        )
        for step in steps
    ]


def _used(value: Any, used: Collection[str]) -> Any:
    """Return a JSON value with these values alone, each at its place; None for one without any."""
    if isinstance(value, dict):
        return {
            name: item for name, item in ((name, _used(item, used)) for name, item in value.items()) if item
        } or None
    if isinstance(value, list):
        items = [_used(item, used) for item in value]
        return items if any(item is not None for item in items) else None
    return value if str(value) in used else None


def _plain(text: str) -> str:
    """Return a text in the form of a module's docstring."""
    return visible(text).replace("\\", "\\\\").replace('"""', "'''")
