"""createPolicy, listPolicies, loadPolicy, updatePolicy, dropPolicy, attachPolicy, detachPolicy.

A policy applies to its target and to everything in it, unless an inner target has one of the same type.
"""

from __future__ import annotations

from typing import Any

import orjson

from reference_server.context import Reply, json_reply
from reference_server.errors import InvalidInput
from reference_server.iceberg.catalog.catalog import WarehouseChange
from reference_server.iceberg.catalog.changes import commit
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.catalog.names import Path, show
from reference_server.polaris.catalog.policy_mappings import attach, detach, require_unattached
from reference_server.polaris.catalog.policy_targets import attachment_of, existing
from reference_server.polaris.catalog.policy_types import INHERITABLE, check_content, check_type
from reference_server.polaris.context import CatalogContext
from reference_server.polaris.errors import PolicyAlreadyExists, PolicyNotFound, PolicyVersionMismatch, policy_not_found

Policy = dict[str, Any]


async def create_policy(context: CatalogContext) -> Reply:
    """Create a policy with version 0."""
    body = context.body
    path = (*context.namespace, body["name"])
    check_type(body["type"])
    check_content(body["type"], body.get("content"))
    policy = {
        "policy-type": body["type"],
        "inheritable": body["type"] in INHERITABLE,
        "name": body["name"],
        **({"description": body["description"]} if body.get("description") is not None else {}),
        "content": body["content"],
        "version": 0,
    }

    async def build(change: WarehouseChange) -> Reply:
        change.require_namespace(path[:-1])
        if change.find(Kind.POLICY, path) is not None:
            raise PolicyAlreadyExists(f"Policy already exists: {show(path)}")
        change.add(Kind.POLICY, path, orjson.dumps(policy).decode())
        return json_reply({"policy": policy})

    return await commit(context, build)


async def list_policies(context: CatalogContext) -> dict[str, Any]:
    """List the policies of a namespace, all or those of one type."""
    context.reusable = True
    namespace, wanted = context.namespace, context.query("policyType")
    page = await context.names(Kind.POLICY, namespace)
    names = page.items
    if wanted:
        check_type(wanted)
        names = [name for name in names if _load(context, (*namespace, name))["policy-type"] == wanted]
    identifiers = [{"namespace": namespace, "name": name} for name in names]
    return {"identifiers": identifiers, "next-page-token": page.token}


async def load_policy(context: CatalogContext) -> dict[str, Any]:
    """Return a policy."""
    context.reusable = True
    return {"policy": _load(context, context.object_path("policy-name"))}


async def update_policy(context: CatalogContext) -> Reply:
    """Change the content or the description of a policy, which increments its version."""
    path, body = context.object_path("policy-name"), context.body
    version = body.get("current-policy-version")
    if version is None:
        raise InvalidInput("The change of a policy needs current-policy-version")

    async def build(change: WarehouseChange) -> Reply:
        policy = _policy(change.find(Kind.POLICY, path), path)
        if policy["version"] != version:
            raise PolicyVersionMismatch(
                f"Policy version mismatch. Given version is {version}, current version is {policy['version']}"
            )
        given = {name: body[name] for name in ("description", "content") if body.get(name) is not None}
        if "content" in given:
            check_content(policy["policy-type"], given["content"])
        changed = {**policy, **given}
        if changed != policy:
            changed["version"] = version + 1
            change.replace(Kind.POLICY, path, orjson.dumps(changed).decode())
        return json_reply({"policy": changed})

    async with context.alone([path]):
        return await commit(context, build)


async def drop_policy(context: CatalogContext) -> Reply:
    """Drop an unattached policy; with `detach-all` any policy."""
    path = context.object_path("policy-name")
    detached = context.query("detach-all")

    async def build(change: WarehouseChange) -> Reply:
        _policy(change.find(Kind.POLICY, path), path)
        if not detached:
            require_unattached(change, path)
        change.remove(Kind.POLICY, path)
        return Reply(204)

    async with context.alone([path]):
        return await commit(context, build)


async def attach_policy(context: CatalogContext) -> Reply:
    """Attach a policy to a catalog, a namespace or a table."""
    path = context.object_path("policy-name")

    async def build(change: WarehouseChange) -> Reply:
        policy = _policy(change.find(Kind.POLICY, path), path)
        target = existing(change, attachment_of(context.body["target"]))
        attach(change, path, policy["policy-type"], target)
        return Reply(204)

    return await commit(context, build)


async def detach_policy(context: CatalogContext) -> Reply:
    """Detach a policy from a target."""
    path = context.object_path("policy-name")

    async def build(change: WarehouseChange) -> Reply:
        _policy(change.find(Kind.POLICY, path), path)
        target = existing(change, attachment_of(context.body["target"]))
        if not detach(change, path, target):
            raise PolicyNotFound(f"Policy {show(path):.300} is not attached to it")
        return Reply(204)

    return await commit(context, build)


def _load(context: CatalogContext, path: Path) -> Policy:
    context.catalog.require_namespace(path[:-1])
    return _policy(context.catalog.find(Kind.POLICY, path), path)


def _policy(text: str | None, path: Path) -> Policy:
    if text is None:
        raise policy_not_found(path)
    policy: Policy = orjson.loads(text)
    return policy
