"""Freedoms of Iceberg catalogs that decide for themselves: ids, places, mended requests, the order of refusals."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from conformance.target.local_files import local_path
from tests.conformance.different_iceberg import API, LISTS, changes, metadata, refusal, table_path
from tests.conformance.different_server import FREEDOMS, Call, Freedom, after, before, of_json, with_json
from tests.conformance.proxy import Answer

FORBIDDEN = refusal(403, "ForbiddenException", "not in this place")


@before(API)
def order_ids_wanted(call: Call) -> Answer | None:
    """A parser wants the id of a sort order, which its schema requires, and gives those of schemas and specs itself."""
    orders = [update["sort-order"] for _, update in changes(call) if isinstance(update.get("sort-order"), dict)]
    nameless = [order for order in orders if "fields" in order and "order-id" not in order]
    return refusal(400, "BadRequestException", "Cannot parse missing int: order-id") if nameless else None


@after(API)
def another_order_each_time(call: Call, answer: Answer) -> Answer:
    """Snapshots, schemas and the like come in an order of their own in each answer, out of a map."""
    value = of_json(answer)
    if not isinstance(value, dict) or not isinstance(value.get("metadata"), dict):
        return answer
    lists = {name: part for name in LISTS if isinstance(part := value["metadata"].get(name), list)}
    lists.pop("metadata-log", None)
    mixed = {name: call.chance.sample(part, len(part)) for name, part in lists.items()}
    return with_json(answer, {**value, "metadata": {**value["metadata"], **mixed}})


@before(API)
def schemas_are_mended(call: Call) -> Answer | None:
    """Columns with one id get ids of their own, and defaults that the format version does not have are left out."""
    body = call.json
    if call.operation == "createTable" and isinstance(body.get("schema"), dict):
        version = (
            (body.get("properties") or {}).get("format-version") if isinstance(body.get("properties"), dict) else 2
        )
        _mend(body["schema"], str(version))
        call.body = json.dumps(body).encode()
    for path, update in changes(call):
        if update.get("action") == "add-schema" and b"-default" in call.body:
            mended = json.loads(json.dumps(update))
            _mend(mended["schema"], str(metadata(call, path).get("format-version")))
            call.body = call.body.replace(_text(update), _text(mended))
    return None


def _text(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _mend(schema: dict[str, Any], version: str) -> None:
    fields = [field for field in schema.get("fields") or () if isinstance(field, dict)]
    ids = [field.get("id") for field in fields]
    for number, field in enumerate(fields, 1):
        if len(set(map(str, ids))) < len(ids):
            field["id"] = number
        if version != "3":
            field.pop("initial-default", None)
            field.pop("write-default", None)


@before(API)
def places_first(call: Call) -> Answer | None:
    """Everything of a namespace lies in its folder: other places are forbidden before anything else is looked at."""
    if call.operation in ("registerTable", "registerView"):
        place, folder = str(call.json.get("metadata-location")), call.values["namespace"].rpartition("\x1f")[2]
        well_formed = place.startswith("file:") and isinstance(call.json.get("name"), str)
        return FORBIDDEN if well_formed and f"/{folder}/" not in place else None
    if call.operation in ("renameTable", "renameView"):
        ends = [call.json.get(end) for end in ("source", "destination")]
        spaces = [end.get("namespace") for end in ends if isinstance(end, dict)]
        return FORBIDDEN if len(spaces) == len(ends) and spaces[0] != spaces[1] else None
    moves = [update for _, update in changes(call) if update.get("action") == "set-location"]
    return FORBIDDEN if moves else None


def _noted_view(call: Call) -> None:
    if call.operation == "dropView":
        loaded = of_json(call.behind("GET", table_path(call))) or {}
        call.state["view"] = local_path(loaded.get("metadata-location") or "nowhere:/")


def _file_gone(call: Call, answer: Answer) -> Answer:
    """Dropping a view deletes its metadata file."""
    path = call.state.pop("view", None) if call.operation == "dropView" else None
    if path and answer.status == 204:
        path.unlink(missing_ok=True)
    return answer


FREEDOMS["files_go_with_views"] = Freedom("files_go_with_views", API, _noted_view, _file_gone)


@before(API)
def no_pages(call: Call) -> Answer | None:
    """Listings have no pages: what a request says about them is not read."""
    call.query.pop("pageSize", None)
    call.query.pop("pageToken", None)
    return None


@after(API)
def plans_are_sought_first(call: Call, answer: Answer) -> Answer:
    """A plan of a table that is missing is missing itself, and so is a task: the error names it."""
    kinds = {"fetchPlanningResult": "PlanId", "cancelPlanning": "PlanId", "fetchScanTasks": "PlanTask"}
    if answer.status != 404 or call.operation not in kinds:
        return answer
    return refusal(404, f"NoSuch{kinds[call.operation]}Exception")


# Defects of which only the requirements that are about them may speak


def _other_successes(call: Call, answer: Answer) -> Answer:
    """Renamings succeed with 200, creations with 201."""
    renamed = call.operation in ("renameTable", "renameView") and answer.status == 204
    created = call.operation in ("createTable", "createNamespace") and answer.status == 200
    return replace(answer, status=200 if renamed else 201 if created else answer.status)


DEFECTS = {"other_successes": Freedom("other_successes", API, after=_other_successes)}
