"""Policy mappings: a target has at most one policy of each type.

attached    / <catalog> / <kind> / <path of the target> / <type>      ->  path of the policy, JSON
attached-to / <catalog> / <path of the policy> / <kind> / <path of the target>  ->  its type, UTF-8

The kind of a catalog is `catalog`, its path is empty. A mapping is dropped with its target and with its policy.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import orjson

from reference_server.iceberg.catalog.catalog import WarehouseChange
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.catalog.names import Path, show
from reference_server.polaris.errors import MappingAlreadyExists, PolicyInUse
from reference_server.storage import Readable, pack, unpack

ATTACHED, ATTACHED_TO = "attached", "attached-to"
CATALOG = "catalog"
TARGETS = (Kind.NAMESPACE, Kind.TABLE, Kind.GENERIC_TABLE)


class Attachment(NamedTuple):
    """Target of a policy: a catalog (with an empty path), a namespace or a table."""

    kind: str
    path: Path


def policies_on(store: Readable[bytes], catalog: str, target: Attachment) -> dict[str, Path]:
    """Return the policies of a target by their types."""
    rows = store.scan(_on(catalog, target))
    return {unpack(key)[-1].decode(): tuple(orjson.loads(value)) for key, value in rows}


def attach(change: WarehouseChange, policy: Path, policy_type: str, target: Attachment) -> None:
    """Attach a policy; attaching it twice is allowed. Raises MappingAlreadyExists for another policy of its type."""
    key = _on(change.warehouse, target) + pack(policy_type)
    present = change.transaction.get(key)
    if present is not None and tuple(orjson.loads(present)) != policy:
        raise MappingAlreadyExists(
            f"The policy mapping of same type ({policy_type}) for {show(target.path) or change.warehouse:.300} already "
            f"exists"
        )
    change.transaction.put(key, orjson.dumps(policy))
    change.transaction.put(_of(change.warehouse, policy) + _target(target), policy_type.encode())


def detach(change: WarehouseChange, policy: Path, target: Attachment) -> bool:
    """Detach a policy; return whether it was attached."""
    back = _of(change.warehouse, policy) + _target(target)
    policy_type = change.transaction.get(back)
    if policy_type is None:
        return False
    change.transaction.put(back, None)
    change.transaction.put(_on(change.warehouse, target) + pack(policy_type), None)
    return True


def require_unattached(change: WarehouseChange, policy: Path) -> None:
    """Raise PolicyInUse for a policy that is attached to something."""
    prefix = _of(change.warehouse, policy)
    if change.transaction.scan(prefix, limit=1):
        raise PolicyInUse(f"Policy {show(policy):.300} is still attached to entities")
    change.transaction.require_empty(prefix)


class PolicyFollower:
    """Drops mappings with their policy or target, and moves them with a renamed target; see Follower."""

    def started(self, _change: WarehouseChange) -> None:
        """Check nothing."""

    def removed(self, change: WarehouseChange, kind: Kind, path: Path) -> None:
        """Remove the mappings of a policy, or on a target."""
        if kind is Kind.POLICY:
            for target in _targets(change, path):
                detach(change, path, target)
            change.transaction.require_empty(_of(change.warehouse, path))
        elif kind in TARGETS:
            self._take_off(change, Attachment(kind, path))

    def moved(self, change: WarehouseChange, kind: Kind, path: Path, target: Path) -> None:
        """Move the mappings of a target to its new name."""
        if kind in TARGETS:
            for policy_type, policy in self._take_off(change, Attachment(kind, path)).items():
                attach(change, policy, policy_type, Attachment(kind, target))

    def _take_off(self, change: WarehouseChange, target: Attachment) -> dict[str, Path]:
        attached = policies_on(change.transaction, change.warehouse, target)
        for policy in attached.values():
            detach(change, policy, target)
        change.transaction.require_empty(_on(change.warehouse, target))
        return attached


def _targets(change: WarehouseChange, policy: Path) -> Iterator[Attachment]:
    for key, _ in change.transaction.scan(_of(change.warehouse, policy)):
        kind, path = unpack(key)[-2:]
        yield Attachment(kind.decode(), tuple(level.decode() for level in unpack(path)))


def _target(target: Attachment) -> bytes:
    return pack(target.kind, pack(*target.path))


def _on(catalog: str, target: Attachment) -> bytes:
    return pack(ATTACHED, catalog) + _target(target)


def _of(catalog: str, policy: Path) -> bytes:
    return pack(ATTACHED_TO, catalog, pack(*policy))
