"""The storage of a catalog: which locations and settings it may have, and what of them can be changed.

Locations are compared as texts, each a folder: one lies in another if it begins with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from reference_server.errors import InvalidInput
from reference_server.iceberg.errors import IllegalArgument
from reference_server.polaris.errors import ValidationFailed
from reference_server.polaris.rules import Rules

Json = dict[str, Any]
BASE = "default-base-location"
SCHEMES = {
    "S3": ("s3://", "s3a://"),
    "AZURE": ("abfs://", "abfss://"),
    "GCS": ("gs://",),
    "FILE": ("file:/", "/"),
}
KINDS = {scheme.partition(":")[0]: kind for kind, schemes in SCHEMES.items() for scheme in schemes}
DOTS = frozenset({".", ".."})
FIXED = {"externalId": "S3", "tenantId": "AZURE"}  # what cannot be changed, and of which storage it is


def folder(location: str) -> str:
    """Return a location as a folder, so that one folder lies in another if it begins with it.

    A local path is the same with its scheme and without, and schemes of one storage are the same.
    """
    scheme, path = ("file", location) if location.startswith("/") else location.split(":", 1)
    return "/".join([KINDS[scheme], *filter(None, path.split("/")), ""])


def overlap(location: str, other: str) -> bool:
    """Return whether one of two locations lies in the other."""
    first, second = folder(location), folder(other)
    return first.startswith(second) or second.startswith(first)


def locations(catalog: Json) -> list[str]:
    """Return all locations of a catalog's record."""
    base = catalog["properties"][BASE]
    return list(dict.fromkeys([base, *(catalog["storageConfigInfo"].get("allowedLocations") or ())]))


def check_overlap(catalog: Json, others: Iterable[Json]) -> None:
    """Raise ValidationFailed where a catalog and another one would share a location."""
    for other in others:
        if other["name"] == catalog["name"]:
            continue
        if any(overlap(own, foreign) for own in locations(catalog) for foreign in locations(other)):
            raise ValidationFailed(
                f"Cannot create or change Catalog {catalog['name']}. One or more of its locations overlaps with an "
                "existing catalog"
            )


def checked(catalog: Mapping[str, Any], rules: Rules) -> Json:
    """Return the storage of a catalog as it is kept: with its allowed locations. Raises InvalidInput."""
    base, storage = catalog["properties"].get(BASE), catalog["storageConfigInfo"]
    if not base:
        raise InvalidInput(f"Must specify default base location: the property {BASE}")
    allowed = list(dict.fromkeys(storage.get("allowedLocations") or ()))
    _check_schemes(storage["storageType"], [base, *allowed])
    if rules.base_is_allowed or not allowed:
        allowed = list(dict.fromkeys([base, *allowed]))
    if not any(folder(base).startswith(folder(location)) for location in allowed):
        raise InvalidInput(f"The {BASE} {base:.300} is not within any of the allowed locations")
    most = rules.most_locations.get(storage["storageType"])
    if most is not None and len(allowed) > most:
        raise InvalidInput(f"A catalog on {storage['storageType']} has at most {most} allowed locations")
    _account(storage, rules)
    return {**storage, "allowedLocations": allowed}


def check_change(present: Json, changed: Json, rules: Rules) -> None:
    """Raise InvalidInput for a change of a storage that is never made."""
    if present["storageType"] != changed["storageType"]:
        raise InvalidInput(
            f"Cannot modify storage type of storage config from {present['storageType']} to {changed['storageType']}"
        )
    for name, kind in FIXED.items():
        before = present.get(name) if kind == present["storageType"] else None
        if before is not None and before != changed.get(name):
            raise InvalidInput(f"Cannot modify {name} of the storage config")
    if rules.role_is_fixed and present.get("roleArn") != changed.get("roleArn"):
        raise InvalidInput("Cannot modify Role ARN of the storage config")
    if _account(present, rules) not in (None, _account(changed, rules)):
        raise InvalidInput("Cannot modify AWS account ID of the storage config")


def _check_schemes(kind: str, uris: Iterable[str]) -> None:
    for location in uris:
        if not location.startswith(SCHEMES[kind]):
            raise IllegalArgument(
                f"Location prefix not allowed: {location:.300}, expected prefixes: {', '.join(SCHEMES[kind])}"
            )
        if not DOTS.isdisjoint(location.split("/")):
            raise IllegalArgument(f"Location has a part that is not a name: {location:.300}")


def _account(storage: Json, rules: Rules) -> str | None:
    """Return the AWS account of a storage's role, None without one. Raises InvalidInput for what is no role."""
    role = storage.get("roleArn") if storage["storageType"] == "S3" else None
    if role is None:
        return None
    match = rules.role_arn.fullmatch(role)
    if match is None:
        raise InvalidInput(f"Invalid role ARN format: {role:.300}")
    return match[1]
