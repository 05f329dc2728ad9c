"""Wrong policies: attachments that reach, end or last too far, and versions and parts that go wrong."""

from __future__ import annotations

from typing import Any

import orjson

from mutants.polaris.blocks import Json, by_root, read
from reference_server.context import Reply
from reference_server.errors import Conflict, InvalidInput
from reference_server.faults import Call, Proceed, fault, request_becomes
from reference_server.iceberg.faults.blocks import NEXT, SIZE, ask_page, refused, refuses_when
from specs.identifiers import UNIT_SEPARATOR

CREATE, LOAD, UPDATE, DROP = "createPolicy", "loadPolicy", "updatePolicy", "dropPolicy"
ATTACH, DETACH, APPLICABLE, LIST = "attachPolicy", "detachPolicy", "getApplicablePolicies", "listPolicies"
ATTACHED, ENDED, FORMER = "attached policies", "detached types", "former policies"
HELD_FREE = "detached policies by type"
DETACH_ALL, TYPE = "detach-all", "policyType"
Key = tuple[str, str, str]  # the catalog, the namespace and the name of a policy
Targets = dict[Key, list[Json]]


def _key(call: Call) -> Key:
    name = call.path.get("policy-name") or read(call.request.body)["name"]
    return call.path["prefix"], call.path["namespace"], name


def _at(key: Key) -> dict[str, str]:
    return dict(zip(("prefix", "namespace", "policy-name"), key, strict=True))


async def _noted(call: Call, proceed: Proceed) -> Reply:
    """Attach or detach a policy, and note its targets."""
    target = read(call.request.body)["target"]
    targets: Targets = call.state.setdefault(ATTACHED, {})
    reply = await proceed()
    if reply.status == 204:
        others = [known for known in targets.get(_key(call), []) if known != target]
        targets[_key(call)] = [*others, target] if call.operation.id == ATTACH else others
    return reply


async def _each(call: Call, proceed: Proceed, operation: str, key: Key, targets: list[Json]) -> None:
    for target in targets:
        await by_root(call, proceed, operation, {"target": target}, _at(key))


def _query(call: Call, name: str) -> str:
    return call.request.query.get(name, [""])[-1]


@fault("policies-hold-around", on=[APPLICABLE])
async def _around(call: Call, proceed: Proceed) -> Reply:
    """A policy also holds for what is around its target, and for what is beside it."""
    reply = await proceed()
    if reply.status != 200:
        return reply
    body, space = orjson.loads(reply.body), _query(call, "namespace")
    levels = space.split(UNIT_SEPARATOR) if space else []
    inner = [UNIT_SEPARATOR.join(levels[:-1])] if levels else []
    listed = await by_root(call, proceed, "listNamespaces", query={"parent": [space]} if space else {})
    inner += [UNIT_SEPARATOR.join(child) for child in listed.get("namespaces", [])]
    queries: list[Json] = [{"namespace": [other]} for other in inner if other]
    for table in (await by_root(call, proceed, "listTables", at={"namespace": space})).get("identifiers", []):
        queries.append({"namespace": [space], "target-name": [table["name"]]})
    shown = {policy["name"] for policy in body["applicable-policies"]}
    for query in queries:
        for policy in (await by_root(call, proceed, APPLICABLE, query=query)).get("applicable-policies", []):
            if policy["name"] not in shown and not policy["inherited"]:
                body["applicable-policies"].append(policy)
                shown.add(policy["name"])
    reply.body = orjson.dumps(body)
    return reply


def _target(call: Call) -> str:
    """Return the target of a request in one form."""
    if call.operation.id != APPLICABLE:
        return UNIT_SEPARATOR.join(read(call.request.body)["target"].get("path") or [])
    parts = (_query(call, "namespace"), _query(call, "target-name"))
    return UNIT_SEPARATOR.join(part for part in parts if part)


@fault("overrides-outlive-detaching", on=[DETACH, APPLICABLE])
async def _outlive(call: Call, proceed: Proceed) -> Reply:
    """A target from which a policy was detached inherits none of its type any more."""
    ended: set[Any] = call.state.setdefault(ENDED, set())
    place, reply = (call.path["prefix"], _target(call)), await proceed()
    if call.operation.id == DETACH and reply.status == 204:
        policy = (await by_root(call, proceed, LOAD)).get("policy", {})
        ended.add((*place, policy.get("policy-type")))
    elif call.operation.id == APPLICABLE and reply.status == 200:
        body = orjson.loads(reply.body)
        shown = [
            policy
            for policy in body["applicable-policies"]
            if not (policy["inherited"] and (*place, policy["policy-type"]) in ended)
        ]
        reply.body = orjson.dumps({**body, "applicable-policies": shown})
    return reply


@fault("detached-from-all-targets", on=[ATTACH, DETACH])
async def _from_all(call: Call, proceed: Proceed) -> Reply:
    """A policy that is detached from one target is detached from all."""
    reply = await _noted(call, proceed)
    if call.operation.id == DETACH and reply.status == 204:
        targets: Targets = call.state[ATTACHED]
        await _each(call, proceed, DETACH, _key(call), targets.pop(_key(call), []))
    return reply


@fault("detached-types-stay-taken", on=[ATTACH, DETACH])
async def _taken(call: Call, proceed: Proceed) -> Reply:
    """A target from which a policy was detached takes no other one of its type."""
    ended: dict[Any, Key] = call.state.setdefault(HELD_FREE, {})
    where = (call.path["prefix"], _target(call))
    policy = (await by_root(call, proceed, LOAD)).get("policy", {})
    place = (*where, policy.get("policy-type"))
    if call.operation.id == ATTACH and ended.get(place, _key(call)) != _key(call):
        return refused(call, Conflict("There is a policy of this type."))
    reply = await proceed()
    if call.operation.id == DETACH and reply.status == 204:
        ended[place] = _key(call)
    return reply


@fault("detach-all-by-name", on=[DROP])
async def _by_name(call: Call, proceed: Proceed) -> Reply:
    """A drop that names detach-all detaches from all targets, whatever its value is."""
    if DETACH_ALL in call.request.query:
        call.request = call.request.altered(query={**call.request.query, DETACH_ALL: ["true"]})
    return await proceed()


GONE = {"dropTable": "createTable", "dropNamespace": "createNamespace"}


@fault("attachments-stay-with-names", on=[ATTACH, DETACH, DROP, CREATE, *GONE, *GONE.values()])
async def _stay(call: Call, proceed: Proceed) -> Reply:
    """A policy, a table or a namespace under the name of a dropped one has the attachments of that."""
    if call.operation.id in (ATTACH, DETACH):
        return await _noted(call, proceed)
    reply = await proceed()
    targets: Targets = call.state.setdefault(ATTACHED, {})
    if call.operation.id == CREATE and reply.status == 200:
        await _each(call, proceed, ATTACH, _key(call), targets.get(_key(call), []))
    if call.operation.id in GONE.values() and reply.status == 200:
        body = read(call.request.body)
        levels = call.path["namespace"].split(UNIT_SEPARATOR) if "namespace" in call.path else []
        path = [*levels, body["name"]] if levels else body["namespace"]
        for key, known in targets.items():
            again = [target for target in known if target.get("path") == path]
            await _each(call, proceed, ATTACH, key, again if key[0] == call.path["prefix"] else [])
    return reply


@fault("policies-remembered", on=[CREATE, DROP])
async def _remembered(call: Call, proceed: Proceed) -> Reply:
    """A policy under the name of a dropped one has the description of that, and a later version."""
    former: dict[Key, Json] = call.state.setdefault(FORMER, {})
    key = _key(call)
    if call.operation.id == DROP:
        policy, reply = (await by_root(call, proceed, LOAD)).get("policy", {}), await proceed()
        if reply.status == 204:
            former[key] = policy
        return reply
    reply = await proceed()
    if reply.status == 200 and key in former:
        body = {"description": former[key].get("description") or "former", "current-policy-version": 0}
        await by_root(call, proceed, UPDATE, body, _at(key))
    return reply


@fault("policies-by-name", on=[UPDATE, ATTACH, DETACH, DROP])
async def _all_of_the_name(call: Call, proceed: Proceed) -> Reply:
    """A request on a policy also changes the policies of its name in the namespaces around and inside."""
    body, reply = read(call.request.body) or None, await proceed()
    if reply.status >= 300:
        return reply
    catalog, space, name = _key(call)
    levels = space.split(UNIT_SEPARATOR)
    others = [levels[:count] for count in range(1, len(levels))]
    listed = await by_root(call, proceed, "listNamespaces", at={"prefix": catalog}, query={"parent": [space]})
    for other in [*others, *listed.get("namespaces", [])]:
        key = (catalog, UNIT_SEPARATOR.join(other), name)
        await by_root(call, proceed, call.operation.id, body, _at(key), query=dict(call.request.query))
    return reply


@fault("policies-of-types-apart", on=[CREATE])
async def _types_apart(call: Call, proceed: Proceed) -> Reply:
    """A name can be given to a policy of each type: the last one counts."""
    reply = await proceed()
    body = read(call.request.body)
    if reply.status == 409:
        known = (await by_root(call, proceed, LOAD, at=_at(_key(call)))).get("policy", {})
        if known.get("policy-type") != body.get("type"):
            return Reply(200, orjson.dumps({"policy": {**known, "policy-type": body["type"]}}))
    return reply


@fault("descriptions-keep-versions", on=[UPDATE])
async def _keep_versions(call: Call, proceed: Proceed) -> Reply:
    """An update of the description alone leaves the version of a policy."""
    content, reply = read(call.request.body).get("content"), await proceed()
    if reply.status == 200 and content is None:
        policy = orjson.loads(reply.body)["policy"]
        reply.body = orjson.dumps({"policy": {**policy, "version": policy["version"] - 1}})
    return reply


fault("policy-parts-lost", "An update of a policy clears what it leaves out.", on=[UPDATE])(
    request_becomes(lambda body: {"description": "", "content": '{"enable": false}', **body})
)


@fault("updates-detach", on=[ATTACH, DETACH, UPDATE])
async def _detach(call: Call, proceed: Proceed) -> Reply:
    """A policy that is updated is detached from its targets."""
    if call.operation.id != UPDATE:
        return await _noted(call, proceed)
    reply = await proceed()
    if reply.status == 200:
        targets: Targets = call.state.setdefault(ATTACHED, {})
        await _each(call, proceed, DETACH, _key(call), targets.pop(_key(call), []))
    return reply


@fault("pages-of-a-type-cut", on=[LIST])
async def _cut(call: Call, proceed: Proceed) -> Reply:
    """The policies of a type are listed on one page, and those that do not fit there are not."""
    if TYPE in call.request.query and SIZE in call.request.query:
        ask_page(call, **{SIZE: "3"})
        reply = await proceed()
        if reply.status == 200:
            reply.body = orjson.dumps({**orjson.loads(reply.body), NEXT: None})
        return reply
    return await proceed()


fault("empty-paths-refused", "The target of a policy must not have an empty path.", on=[ATTACH, DETACH])(
    refuses_when(
        lambda call: read(call.request.body).get("target", {}).get("path") == [], InvalidInput("The path is empty.")
    )
)
