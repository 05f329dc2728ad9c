"""Requirements of a commit: conditions on the metadata that it was made from.

All of them are checked before any update is applied. Repeating the same request cannot cure a failed one: the client
has to load the table again. Clients match the messages, so these are Iceberg's words: the expected number before the
actual one, but the uuid of the table before the expected one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from reference_server.iceberg.metadata.errors import InvalidMetadata, InvalidRequirement, RequirementFailed
from reference_server.iceberg.metadata.reading import Json, integer, long, optional, text

CREATE = "assert-create"
Check = Callable[[Json, Json], None]


def _same_uuid(key: str, subject: str) -> Check:
    def check(metadata: Json, requirement: Json) -> None:
        given = text(requirement, "uuid")
        if given.lower() != metadata[key].lower():
            raise RequirementFailed(f"{subject} does not match: expected {metadata[key]} != {given:.100}")

    return check


def _same_number(key: str, field: str, subject: str) -> Check:
    def check(metadata: Json, requirement: Json) -> None:
        expected, actual = integer(requirement, key), metadata[field]
        if expected != actual:
            raise RequirementFailed(f"{subject} changed: expected id {expected} != {actual}")

    return check


def _same_ref(metadata: Json, requirement: Json) -> None:
    """Check that a ref points to the snapshot that the client saw; null means that the ref does not exist."""
    name, expected = text(requirement, "ref"), optional(long, requirement, "snapshot-id")
    ref = metadata["refs"].get(name)
    if ref is None:
        if expected is not None:
            raise RequirementFailed(f"branch or tag {name:.100} is missing, expected {expected}")
        return
    if expected is None:
        raise RequirementFailed(f"{ref['type']} {name:.100} was created concurrently")
    if expected != ref["snapshot-id"]:
        raise RequirementFailed(
            f"{ref['type']} {name:.100} has changed: expected id {expected} != {ref['snapshot-id']}"
        )


def _absent(metadata: Json, requirement: Json) -> None:
    raise RequirementFailed("table already exists")


TABLE_REQUIREMENTS: dict[str, Check] = {
    CREATE: _absent,
    "assert-table-uuid": _same_uuid("table-uuid", "UUID"),
    "assert-ref-snapshot-id": _same_ref,
    "assert-last-assigned-field-id": _same_number("last-assigned-field-id", "last-column-id", "last assigned field id"),
    "assert-current-schema-id": _same_number("current-schema-id", "current-schema-id", "current schema"),
    "assert-last-assigned-partition-id": _same_number(
        "last-assigned-partition-id", "last-partition-id", "last assigned partition id"
    ),
    "assert-default-spec-id": _same_number("default-spec-id", "default-spec-id", "default partition spec"),
    "assert-default-sort-order-id": _same_number(
        "default-sort-order-id", "default-sort-order-id", "default sort order"
    ),
}
VIEW_REQUIREMENTS: dict[str, Check] = {"assert-view-uuid": _same_uuid("view-uuid", "view UUID")}


def is_creation(requirements: Sequence[Any]) -> bool:
    """Return whether a commit creates its table.

    Raises InvalidRequirement for a second requirement: a table that does not exist cannot fulfil it.
    """
    kinds = [_kind(requirement) for requirement in requirements]
    if CREATE in kinds and set(kinds) != {CREATE}:
        raise InvalidRequirement(f"{CREATE} must be the only requirement.")
    return CREATE in kinds


def check_table_requirements(metadata: Json, requirements: Sequence[Any]) -> None:
    """Raise RequirementFailed unless a table fulfils all requirements, InvalidRequirement for a malformed one."""
    _check(metadata, requirements, TABLE_REQUIREMENTS)


def check_view_requirements(metadata: Json, requirements: Sequence[Any]) -> None:
    """Raise RequirementFailed unless a view fulfils all requirements, InvalidRequirement for a malformed one."""
    _check(metadata, requirements, VIEW_REQUIREMENTS)


def _check(metadata: Json, requirements: Sequence[Any], checks: dict[str, Check]) -> None:
    for requirement in requirements:
        check = checks.get(_kind(requirement))
        if check is None:
            raise InvalidRequirement(f"There is no requirement {_kind(requirement)!r:.100} here.")
        try:
            check(metadata, requirement)
        except InvalidMetadata as error:
            raise InvalidRequirement(f"{_kind(requirement)}: {error.message}") from None


def _kind(requirement: Any) -> str:
    if not isinstance(requirement, dict) or not isinstance(requirement.get("type"), str):
        raise InvalidRequirement("A requirement is an object with a type.")
    return str(requirement["type"])
