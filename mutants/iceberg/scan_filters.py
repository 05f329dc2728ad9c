"""Scan plans that misread filters, selections and column names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reference_server.context import Reply
from reference_server.errors import InvalidInput
from reference_server.faults import Around, Call, Proceed, arguments_lost, content, fault, request_becomes
from reference_server.iceberg.faults.blocks import again, refuses_when, tasks_become

START = ["planTableScan"]
TRUTHS = ("true", "false")


def filtered(around: Around) -> Around:
    """Misbehave where a scan plan has a filter."""

    async def chosen(call: Call, proceed: Proceed) -> Reply:
        return await (around(call, proceed) if "filter" in (content(call) or {}) else proceed())

    return chosen


def _anywhere(node: Any, wrong: Callable[[Any], bool]) -> bool:
    parts = list(node.values()) if isinstance(node, dict) else node if isinstance(node, list) else []
    return wrong(node) or any(_anywhere(part, wrong) for part in parts)


def refused_filters(wrong: Callable[[Any], bool]) -> Around:
    """Refuse filters that are, or in which something is, wrong."""
    return refuses_when(lambda call: _anywhere((content(call) or {}).get("filter"), wrong), InvalidInput("Bad filter."))


def _then(outer: Around, inner: Around) -> Around:
    async def both(call: Call, proceed: Proceed) -> Reply:
        return await outer(call, lambda: inner(call, proceed))

    return both


@fault("scan-nothing-pruned", on=START)
async def _filter_kept(call: Call, proceed: Proceed) -> Reply:
    """All files stay, whatever the filter: what does not fit is for the client to find out."""
    # Plan all files, and leave the whole filter to the client.
    wanted = (content(call) or {}).get("filter")
    if wanted is None:
        return await proceed()
    checked = await proceed()
    if checked.status != 200:
        return checked
    edit = tasks_become(lambda tasks: [{**task, "residual-filter": wanted} for task in tasks])
    return await _then(edit, arguments_lost("filter"))(call, proceed)


def _half_read(node: Any) -> Any:
    """Return a filter of which only the left sides and no opposites are looked at."""
    if isinstance(node, dict) and node.get("type") in ("and", "or"):
        return _half_read(node.get("left"))
    return _half_read(node["child"]) if isinstance(node, dict) and node.get("type") == "not" else node


fault("scan-filter-loses", "With a filter the first file of an answer is left out.", on=START)(
    filtered(tasks_become(lambda tasks: tasks[1:]))
)
fault(
    "scan-filter-half-read",
    "Of two conditions only the first is looked at, and an opposite is taken for what it negates.",
    on=START,
)(request_becomes(lambda body: {**body, "filter": _half_read(body["filter"])} if "filter" in body else body))
fault(
    "scan-residual-true",
    "Nothing is left of a filter in the tasks, as if files had no other rows than those that fit.",
    on=START,
)(filtered(tasks_become(lambda tasks: [{**task, "residual-filter": True} for task in tasks])))
fault("scan-bad-filter-ignored", "A filter that cannot be read is ignored.", on=START)(
    again(arguments_lost("filter"), 400)
)
fault("scan-plain-truth-refused", "A filter must be an object that compares something.", on=START)(
    refused_filters(lambda node: isinstance(node, bool) or (isinstance(node, dict) and node.get("type") in TRUTHS))
)
fault("scan-case-ignored", "Names match in any case.", on=START)(
    request_becomes(lambda body: {**body, "case-sensitive": False})
)
