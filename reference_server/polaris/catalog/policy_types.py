"""Known types of policies, and the valid content of each: JSON with typed fields."""

from __future__ import annotations

from typing import Any

import orjson

from reference_server.errors import InvalidInput
from reference_server.polaris.errors import InvalidPolicy

COMMON: dict[str, type] = {"version": str, "enable": bool, "config": dict}
FIELDS: dict[str, dict[str, type]] = {
    "system.data-compaction": COMMON,
    "system.metadata-compaction": COMMON,
    "system.orphan-file-removal": {**COMMON, "max_orphan_file_age_in_days": int, "locations": list},
    "system.snapshot-expiry": COMMON,
}
REQUIRED = "enable"
VERSIONS = ("2025-02-03",)
INHERITABLE = frozenset(FIELDS)


def check_type(policy_type: str) -> None:
    """Raise InvalidInput for an unknown type."""
    if policy_type not in FIELDS:
        raise InvalidInput(f"Unknown policy type: {policy_type:.300}")


def check_content(policy_type: str, content: str | None) -> None:
    """Raise InvalidPolicy for invalid content of a policy of a known type."""
    if not content:
        raise InvalidPolicy("Policy is empty")
    try:
        value: Any = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise InvalidPolicy(f"Invalid policy: the content is not JSON: {error}") from None
    if not isinstance(value, dict) or not isinstance(value.get(REQUIRED), bool):
        raise InvalidPolicy(f"Invalid policy: the content must be an object with {REQUIRED}, true or false")
    fields = FIELDS[policy_type]
    for name, setting in value.items():
        if name not in fields or (setting is not None and not isinstance(setting, fields[name])):
            raise InvalidPolicy(f"Invalid policy: the field {name:.100} is unknown or has another type")
    if value.get("version") not in (None, *VERSIONS):
        raise InvalidPolicy(f"Invalid policy: the version must be {' or '.join(VERSIONS)}")
