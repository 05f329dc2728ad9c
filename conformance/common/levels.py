"""Namespaces within others: what lies there is like anything else."""

from __future__ import annotations

from typing import Any

from conformance.author.requirement import should
from conformance.common.bodies import Body
from conformance.common.ordinary import is_success
from conformance.common.template import template


@template("levels.nested.{}", should, clause="levels-alike")
def nested_namespaces_are_like_others(catalog: Any, case: Body) -> None:
    """{} is answered for what lies in a namespace within another one as it is elsewhere."""
    with catalog.deeper():
        answer = case.prepare(catalog, "t").send(catalog, case.operation.id)
    nested = catalog.client.steps[-1]
    if not is_success(answer):
        usual = case.prepare(catalog, "t").send(catalog, case.operation.id)
        catalog.client.check_status(nested, usual.status)
