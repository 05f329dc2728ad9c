"""Forms of a request that need other privileges: the words after `when` in `privileges.toml`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from reference_server.api import RequestTarget
from reference_server.iceberg.catalog.delegation import VENDED, access_modes
from reference_server.iceberg.metadata.requirements import CREATE
from reference_server.polaris.access.targets import Targets
from reference_server.polaris.securables import Securable, SecurableType

Exists = Callable[[Securable], bool]
Condition = Callable[[RequestTarget, Targets, Exists], bool]


def _delegated(target: RequestTarget, _targets: Targets, _exists: Exists) -> bool:
    """Return whether the request asks for credentials for the files."""
    return VENDED in access_modes(target.request)


def _staged(target: RequestTarget, _targets: Targets, _exists: Exists) -> bool:
    """Return whether the request only stages the table."""
    return bool(target.body.get("stage-create"))


def _overwriting(target: RequestTarget, targets: Targets, exists: Exists) -> bool:
    """Return whether the request replaces an existing table."""
    return bool(target.body.get("overwrite")) and exists(targets[SecurableType.TABLE])


def _creating(target: RequestTarget, _targets: Targets, _exists: Exists) -> bool:
    """Return whether the commit requires that the table does not exist."""
    return creates(target.body)


def _purging(target: RequestTarget, _targets: Targets, _exists: Exists) -> bool:
    """Return whether the files are deleted with the table."""
    return target.request.query.get("purgeRequested", [""])[-1].lower() == "true"


def _scanned(target: RequestTarget, _targets: Targets, _exists: Exists) -> bool:
    """Return whether the report is about a scan, not about a commit."""
    return bool(target.body.get("report-type") == "scan-report")


def creates(commit: Mapping[str, Any]) -> bool:
    """Return whether a commit creates its table."""
    return any(requirement.get("type") == CREATE for requirement in commit["requirements"])


def _of(kind: SecurableType) -> Condition:
    return lambda _target, targets, _exists: targets["securable"].kind == kind


CONDITIONS: dict[str, Condition] = {
    "delegated": _delegated,
    "staged": _staged,
    "overwriting": _overwriting,
    "creating": _creating,
    "purging": _purging,
    "scanned": _scanned,
    **{
        f"of-{kind}": _of(kind)
        for kind in (SecurableType.CATALOG, SecurableType.NAMESPACE, SecurableType.VIEW, SecurableType.POLICY)
    },
}
