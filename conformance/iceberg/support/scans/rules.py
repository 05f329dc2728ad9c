"""Rules for every response of scan planning beyond its schema. Their docstrings are the statements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.http.wire import ExtraCheck, Found
from conformance.values.exchange import Exchange
from conformance.values.json_values import shown

PLANNED = ("planTableScan", "fetchPlanningResult", "fetchScanTasks")
STATES = ("planTableScan", "fetchPlanningResult")
LISTS = ("file-scan-tasks", "plan-tasks", "delete-files")
MAPS = ("column-sizes", "value-counts", "null-value-counts", "nan-value-counts", "lower-bounds", "upper-bounds")


def tasks_only_completed(exchange: Exchange, value: Any) -> Found | None:
    """Only a completed scan plan contains file-scan-tasks, plan-tasks or delete-files."""
    if exchange.operation not in STATES or not _is_answer(exchange, value):
        return None
    if value.get("status") == "completed":
        return []
    return [(f"body:/{name}", f"the scan plan is {shown(value.get('status'))}") for name in LISTS if value.get(name)]


def references_lead_somewhere(exchange: Exchange, value: Any) -> Found | None:
    """delete-file-references of a task are distinct positions in delete-files of the same response."""
    deletes = _list(value, "delete-files")
    tasks = list(_tasks(exchange, value))
    if not tasks:
        return None
    return [
        (f"{where}/delete-file-references", f"{shown(named)} are no positions among {len(deletes)} delete files")
        for where, task in tasks
        if (named := _list(task, "delete-file-references"))
        and (_has_doubles(named) or not all(index in range(len(deletes)) for index in named))
    ]


def maps_are_pairs(exchange: Exchange, value: Any) -> Found | None:
    """Statistics maps of a data file have as many values as keys, and distinct keys."""
    tasks = list(_tasks(exchange, value))
    if not tasks:
        return None
    return [
        (f"{where}/data-file/{name}", f"{len(keys)} keys and {len(values)} values")
        for where, task in tasks
        for name in MAPS
        if isinstance(pairs := task["data-file"].get(name), dict)
        and (len(keys := _list(pairs, "keys")) != len(values := _list(pairs, "values")) or _has_doubles(keys))
    ]


def _list(value: Any, name: str) -> list[Any]:
    """Return a list field of an object, [] for a value of another type, which the schema check reports."""
    items = value.get(name) if isinstance(value, dict) else None
    return items if isinstance(items, list) else []


def _has_doubles(items: list[Any]) -> bool:
    return len(set(map(shown, items))) < len(items)


def _tasks(exchange: Exchange, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the file scan tasks of an answer with their places."""
    if exchange.operation in PLANNED and _is_answer(exchange, value):
        for position, task in enumerate(_list(value, "file-scan-tasks")):
            if isinstance(task, dict) and isinstance(task.get("data-file"), dict):
                yield f"body:/file-scan-tasks/{position}", task


def _is_answer(exchange: Exchange, value: Any) -> bool:
    return exchange.status == 200 and isinstance(value, dict)


SCAN_RULES: dict[str, ExtraCheck] = {
    "plan-tasks-only-completed": tasks_only_completed,
    "plan-deletes": references_lead_somewhere,
    "plan-maps": maps_are_pairs,
}
