"""Expectations files of older kits, which have the counterexamples and messages in the entries themselves.

[known.findings]   by requirement: the message
[known.evidence]   by requirement: the signature of the finding; the oldest files have none
[known.prepared]   the objects that the steps depend on
[[known.steps]]    the steps of `example`, whose expected statuses are `due`
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from conformance.values.exchange import Step, StepRequest, StepResponse


def is_older(raw: Mapping[str, Any]) -> bool:
    """True for an entry in the older form."""
    return "findings" in raw


def with_steps(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return an older entry with its steps as values of Step. Raises errors of Python for an invalid one."""
    return {**raw, "steps": [_step(step) for step in raw.get("steps", [])]}


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
