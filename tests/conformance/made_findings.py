"""Findings made by hand, for tests of causes."""

from __future__ import annotations

from msgspec import structs

from conformance.values.exchange import Step, StepRequest, StepResponse
from conformance.values.results import ClauseRecord, Result


def finding(name, message="GetIt: expected 400, got 500", *, body=None, status=500, mark="status", **fields):
    """A requirement that failed in its only step."""
    request = StepRequest(method="GET", url="http://x/", headers={}, body=None, curl=f"curl http://x/{name}")
    response = StepResponse(status=status, headers={}, body=body, failure="" if status else "it broke")
    step = Step(operation="GetIt", request=request, response=response, seconds=0, mark=mark)
    result = Result(
        id=f"api.it.{name}", level="MUST", kind="error", operations=["GetIt"],
        statement=f"What is {name} is refused with 400.",
        clause=clause("get-it"), where="conformance.api:test_it",
        needs=[], verdict="fail", message=message, seconds=0, requests=1, steps=[step], reached=[], blocked_by=None,
    )  # fmt: skip
    return structs.replace(result, **fields)


def clause(name):
    return ClauseRecord(id=name, text="It is got.", source="document")
