"""Policies with their attachments, and generic tables: their commands and views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.common.model.rows import (
    MISSING,
    Command,
    ModelState,
    ModelView,
    Precondition,
    Refusal,
    Symbols,
    Thing,
    again,
    taken,
    two,
)
from conformance.http.answers import Answer
from conformance.http.client import Expected
from conformance.polaris.catalog import NOT_AGAIN
from conformance.polaris.inventory import GENERIC_TABLE, POLICY
from conformance.polaris.model.entities import known
from conformance.polaris.model.kinds import ATTACHMENT, KINDS, NAMESPACES, THERE_OR_NOT, PolarisRun, ended
from conformance.polaris.support import policies
from conformance.polaris.support.policies import COMPACTION, OFF, ON
from conformance.polaris.support.readables import FORMAT, new_generic_table

DETACH_ALL = "with detach-all"
POLICIES: Mapping[str, Any] = {"on": {"content": ON, "description": "1"}, "off": {"content": OFF, "description": "2"}}
UPDATES: Mapping[str, Any] = {
    "off": (0, {"content": OFF, "description": "3"}),
    "on": (0, {"content": ON, "description": "4"}),
    "a later version": (1, {"content": OFF, "description": "5"}),
    "an earlier version": (-1, {"content": OFF, "description": "6"}),
}
OF_A_TYPE, IN_A_FORMAT = {"policy-type": COMPACTION}, {"format": FORMAT}
TABLES: Mapping[str, Any] = {
    "documented": {"doc": "1", "properties": {"first": "1"}},
    "other properties": {"doc": "2", "properties": {"first": "2", "second": "3"}},
}


# Policies


def _policy(on: Symbols) -> Thing:
    return POLICY, on[:1]


def _create(run: PolarisRun, on: Symbols, value: Any, expect: Expected) -> Answer:
    return policies.create(run.catalog, run.name(on[0]), expect=expect, **value)


def _update(run: PolarisRun, on: Symbols, value: Any, expect: Expected) -> Answer:
    id, (distance, changed) = run.name(on[0]), value
    loaded = run.catalog.load_policy(id[:-1], id[-1], expect=THERE_OR_NOT)
    version = (loaded["policy"]["version"] if loaded.succeeded else 0) + distance
    return run.catalog.update_policy(id[:-1], id[-1], expect=expect, current_policy_version=version, **changed)


def _drop(run: PolarisRun, on: Symbols, detach_all: Any, expect: Expected) -> Answer:
    id = run.name(on[0])
    query = {"detach-all": "true"} if detach_all else None
    return run.catalog.drop_policy(id[:-1], id[-1], expect=expect, _query=query)


def _content(policy: Any) -> Any:
    shown = {name: policy[name] for name in ("policy-type", "content", "version")}
    return {**shown, "description": policy.get("description")}


def _load(run: PolarisRun, on: Symbols) -> Any:
    id = run.name(on[0])
    answer = run.catalog.load_policy(id[:-1], id[-1], expect=THERE_OR_NOT)
    return _content(answer["policy"]) if answer.succeeded else MISSING


def _listed(run: PolarisRun, answer: Answer) -> list[str]:
    home = run.catalog.tables.home
    return run.symbols([(*home, entry["name"]) for entry in answer["identifiers"]])


def _list(run: PolarisRun, _: Symbols) -> Any:
    return _listed(run, run.catalog.list_policies(run.catalog.tables.home))


def _updated(state: ModelState, on: Symbols, changes: Mapping[str, Any]) -> ModelState:
    """Return the state after an update of a policy: it has the next version if something has changed."""
    held = state.fields(_policy(on))
    changed = any(held[name] != value for name, value in changes.items())
    return state.put(_policy(on), **{**held, **changes, "version": held["version"] + changed})


# Attachments


def _attachment(on: Symbols) -> Thing:
    return ATTACHMENT, on


def _attach(run: PolarisRun, on: Symbols, _: Any, expect: Expected) -> Answer:
    return policies.attach(run.catalog, run.name(on[0]), policies.on_namespace(run.name(on[1])), expect=expect)


def _detach(run: PolarisRun, on: Symbols, _: Any, expect: Expected) -> Answer:
    id = run.name(on[0])
    return run.catalog.detach_policy(id[:-1], id[-1], policies.on_namespace(run.name(on[1])), expect=expect)


def _applicable(run: PolarisRun, on: Symbols) -> Any:
    found = policies.applicable(run.catalog, run.name(on[0]))
    named = {(*policy["namespace"], policy["name"]): _content(policy) for policy in found}
    symbols = run.symbols([(*policy["namespace"], policy["name"]) for policy in found])
    return [[symbol, named[run.name(symbol)]] for symbol in symbols]


def _holding(state: ModelState, on: Symbols) -> Any:
    attached = sorted(id[:1] for id in state.of(ATTACHMENT) if id[1:] == on)
    return [[id[0], dict(state.fields((POLICY, id)))] for id in attached]


def _another_holds(state: ModelState, on: Symbols, _: Any) -> bool:
    return any(id[1] == on[1] and id[0] != on[0] for id in state.of(ATTACHMENT))


# Generic tables


def _table(on: Symbols) -> Thing:
    return GENERIC_TABLE, on


def _create_table(run: PolarisRun, on: Symbols, value: Any, expect: Expected) -> Answer:
    return new_generic_table(run.catalog, run.name(on[0]), expect=expect, **value)


def _drop_table(run: PolarisRun, on: Symbols, _: Any, expect: Expected) -> Answer:
    id = run.name(on[0])
    return run.catalog.drop_generic_table(id[:-1], id[-1], expect=expect)


def _description(table: Any) -> Any:
    return {"format": table["format"], "doc": table.get("doc"), "properties": known(table)}


def _load_table(run: PolarisRun, on: Symbols) -> Any:
    id = run.name(on[0])
    answer = run.catalog.load_generic_table(id[:-1], id[-1], expect=THERE_OR_NOT)
    return _description(answer["table"]) if answer.succeeded else MISSING


def _list_tables(run: PolarisRun, _: Symbols) -> Any:
    return _listed(run, run.catalog.list_generic_tables(run.catalog.tables.home))


def _ids(kind: str) -> Any:
    return lambda state, _: [id[0] for id in state.of(kind)]


COMMANDS: Sequence[Command] = [
    Command(
        "create_policy",
        "createPolicy",
        "policy-kept",
        two(POLICY),
        _create,
        lambda state, on, value: state.put(_policy(on), version=0, **OF_A_TYPE, **value),
        makes=_policy,
        refusals=[
            taken(_policy, "under the name of an existing policy", "policy-exists"),
            again(_policy, "under the name of a dropped policy", NOT_AGAIN, "policy-exists"),
        ],
        values=POLICIES,
        answered=("loadPolicy", lambda answer: answer["policy"]),
    ),
    Command(
        "update_policy",
        "updatePolicy",
        "policy-updated",
        two(POLICY),
        _update,
        lambda state, on, value: _updated(state, on, value[1]),
        needs=[Precondition(_policy, "policy-missing", "on a missing policy")],
        refusals=[
            Refusal(
                "stale",
                "with another version than the current one",
                (409,),
                "policy-version",
                lambda _, __, value: value[0] != 0,
            )
        ],
        values=UPDATES,
        answered=("loadPolicy", lambda answer: answer["policy"]),
    ),
    Command(
        "attach_policy",
        "attachPolicy",
        "policy-attached",
        KINDS[ATTACHMENT].ids,
        _attach,
        lambda state, on, _: state.put(_attachment(on)),
        needs=[
            Precondition(_policy, "policy-missing", "with a missing policy"),
        ],
        makes=_attachment,
        refusals=[
            Refusal(
                "second", "to the target of another policy of its type", (409,), "policy-one-of-a-type", _another_holds
            ),
            Refusal(
                "attached",
                "to its target again",
                (409,),
                "policy-attached",
                lambda state, on, _: state.has(_attachment(on)),
                optional=True,
            ),
        ],
    ),
    Command(
        "detach_policy",
        "detachPolicy",
        "policy-attached",
        KINDS[ATTACHMENT].ids,
        _detach,
        lambda state, on, _: ended(state, _attachment(on)),
        needs=[Precondition(_policy, "policy-missing", "with a missing policy")],
        refusals=[
            Refusal(
                "absent",
                "from a target without it",
                (404,),
                "policy-detach-absent",
                lambda state, on, _: state.has(_policy(on)) and not state.has(_attachment(on)),
            )
        ],
    ),
    Command(
        "drop_policy",
        "dropPolicy",
        "policy-dropped",
        two(POLICY),
        _drop,
        lambda state, on, _: ended(state, _policy(on)),
        needs=[Precondition(_policy, "policy-dropped", "on a missing policy")],
        refusals=[
            Refusal(
                "attached",
                "on an attached policy",
                (400,),
                "policy-in-use",
                lambda state, on, detach_all: not detach_all and bool(state.of(ATTACHMENT, on)),
            )
        ],
        values={"": False, DETACH_ALL: True},
    ),
    Command(
        "create_generic_table",
        "createGenericTable",
        "generic-table-kept",
        two(GENERIC_TABLE),
        _create_table,
        lambda state, on, value: state.put(_table(on), **IN_A_FORMAT, **value),
        makes=_table,
        refusals=[
            taken(_table, "under the name of an existing generic table", "generic-table-exists"),
            again(_table, "under the name of a dropped generic table", NOT_AGAIN, "generic-table-dropped"),
        ],
        values=TABLES,
        answered=("loadGenericTable", lambda answer: answer["table"]),
    ),
    Command(
        "drop_generic_table",
        "dropGenericTable",
        "generic-table-dropped",
        two(GENERIC_TABLE),
        _drop_table,
        lambda state, on, _: ended(state, _table(on)),
        needs=[Precondition(_table, "generic-table-dropped", "on a missing generic table")],
    ),
]
VIEWS: Sequence[ModelView] = [
    ModelView(
        "loadPolicy",
        [POLICY],
        two(POLICY),
        lambda state, on: state.shown(_policy(on)),
        _load,
        read=lambda _, body: _content(body),
    ),
    ModelView("listPolicies", [POLICY], [()], _ids(POLICY), _list),
    ModelView("getApplicablePolicies", [ATTACHMENT, POLICY], [(name,) for name in NAMESPACES], _holding, _applicable),
    ModelView(
        "loadGenericTable",
        [GENERIC_TABLE],
        two(GENERIC_TABLE),
        lambda state, on: state.shown(_table(on)),
        _load_table,
        read=lambda _, body: _description(body),
    ),
    ModelView("listGenericTables", [GENERIC_TABLE], [()], _ids(GENERIC_TABLE), _list_tables),
]
