"""How an operation is asked, where other privileges are needed for it: the words after `when` in `privileges.toml`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from reference_server.api import Target
from reference_server.iceberg.handlers.credentials import HEADER, VENDED
from reference_server.iceberg.metadata.requirements import CREATE
from reference_server.polaris.access.targets import Targets
from reference_server.polaris.securables import Securable, SecurableType

Exists = Callable[[Securable], bool]
Condition = Callable[[Target, Targets, Exists], bool]


def _delegated(target: Target, _targets: Targets, _exists: Exists) -> bool:
    """Credentials for the files are wanted."""
    words = target.request.headers.get(HEADER, "").split(",")
    return VENDED in {word.strip().lower() for word in words}


def _staged(target: Target, _targets: Targets, _exists: Exists) -> bool:
    """The table is only prepared, not created."""
    return bool(target.body.get("stage-create"))


def _overwriting(target: Target, targets: Targets, exists: Exists) -> bool:
    """The table that has the name is replaced."""
    return bool(target.body.get("overwrite")) and exists(targets[SecurableType.TABLE])


def _creating(target: Target, _targets: Targets, _exists: Exists) -> bool:
    """The commit requires that there is no such table."""
    return creates(target.body)


def _purging(target: Target, _targets: Targets, _exists: Exists) -> bool:
    """The files go with the table."""
    return target.request.query.get("purgeRequested", [""])[-1].lower() == "true"


def _scanned(target: Target, _targets: Targets, _exists: Exists) -> bool:
    """The report is about a scan, not about a commit."""
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
