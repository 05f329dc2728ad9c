"""Storage of a catalog: its valid locations and settings, and the changes that are allowed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import orjson

from reference_server.backends import OWN_FOLDER
from reference_server.errors import InvalidInput, invalid_at
from reference_server.iceberg.errors import IllegalArgument
from reference_server.polaris.catalog.places import LOCAL, check_plain, is_within, place_of
from reference_server.polaris.errors import ValidationFailed
from reference_server.polaris.rules import ManagementRules
from reference_server.storage.places import Place

Json = dict[str, Any]
BASE = "default-base-location"
SCHEMES = {
    "S3": ("s3://", "s3a://"),
    "AZURE": ("abfs://", "abfss://"),
    "GCS": ("gs://",),
    "FILE": ("file:/", "/"),
}
FIXED = {"externalId": ("S3", "ExternalId"), "tenantId": ("AZURE", "TenantId")}
"""Settings that can be neither changed nor added, with their storage type and their name in messages."""


def check_overlap(catalog: Json, others: Iterable[Json]) -> None:
    """Raise ValidationFailed for a catalog that would share a location with another one."""
    own = _places(catalog)
    for other in others:
        if other["name"] == catalog["name"]:
            continue
        foreign = _places(other).values()
        for location, place in own.items():
            if any(is_within(place, outer) or is_within(outer, place) for outer in foreign):
                raise ValidationFailed(
                    f"Cannot create or change Catalog {catalog['name']}. One or more of its locations overlaps with an "
                    f"existing catalog: {location:.300}"
                )


def _places(catalog: Json) -> dict[str, Place]:
    """Return the places of a catalog's locations; an invalid one, which older servers accepted, has none."""
    places = {}
    for location in (catalog["properties"][BASE], *(catalog["storageConfigInfo"].get("allowedLocations") or ())):
        with suppress(InvalidInput):
            places[location] = place_of(location)
    return places


def checked(catalog: Mapping[str, Any], rules: ManagementRules, at: str = "") -> Json:
    """Return the storage of a catalog in its stored form: with its allowed locations.

    `at` is the position of the catalog in the request body. Raises InvalidInput with the position of an invalid field.
    """
    base, storage = catalog["properties"].get(BASE), catalog["storageConfigInfo"]
    base_at, allowed_at = f"{at}/properties/{BASE}", f"{at}/storageConfigInfo/allowedLocations"
    if not base:
        raise InvalidInput(invalid_at(base_at, "Must specify default base location"))
    _check_location(storage["storageType"], base, base_at)
    for index, location in enumerate(storage.get("allowedLocations") or ()):
        _check_location(storage["storageType"], location, f"{allowed_at}/{index}")
    allowed = list(dict.fromkeys(storage.get("allowedLocations") or ()))
    if rules.base_is_allowed or not allowed:
        allowed = list(dict.fromkeys([base, *allowed]))
    if not any(is_within(place_of(base), place_of(location)) for location in allowed):
        raise InvalidInput(invalid_at(base_at, f"{base:.300} is not within any of the allowed locations"))
    most = rules.most_locations.get(storage["storageType"])
    if most is not None and len(allowed) > most:
        message = f"A catalog on {storage['storageType']} has at most {most} allowed locations"
        raise InvalidInput(invalid_at(allowed_at, message))
    _account(storage, rules, at)
    return {**storage, "allowedLocations": allowed}


def check_change(present: Json, changed: Json, rules: ManagementRules) -> None:
    """Raise InvalidInput for a change of a storage that is not allowed."""
    if present["storageType"] != changed["storageType"]:
        raise InvalidInput(
            f"Cannot modify storage type of storage config from {present['storageType']} to {changed['storageType']}"
        )
    for name, (kind, label) in FIXED.items():
        if kind == present["storageType"] and present.get(name) != changed.get(name):
            raise InvalidInput(_unmodifiable(label, present, changed))
    if rules.role_is_fixed and present.get("roleArn") != changed.get("roleArn"):
        raise InvalidInput(_unmodifiable("Role ARN", present, changed))
    if _account(present, rules) != _account(changed, rules):
        raise InvalidInput(_unmodifiable("AWS account ID", present, changed))


def _unmodifiable(label: str, present: Json, changed: Json) -> str:
    before, after = (orjson.dumps(storage).decode() for storage in (present, changed))
    return f"Cannot modify {label} in storage config from {before:.300} to {after:.300}"


def _check_location(kind: str, location: str, at: str) -> None:
    """Raise IllegalArgument for a location that a catalog of a storage type cannot have."""
    if not location.startswith(SCHEMES[kind]):
        message = f"Location prefix not allowed: {location:.300}, expected prefixes: {', '.join(SCHEMES[kind])}"
        raise IllegalArgument(invalid_at(at, message))
    try:
        place = place_of(location)
        check_plain(location)
    except InvalidInput as error:
        raise IllegalArgument(invalid_at(at, error.message.rstrip("."))) from None
    if place[0] == LOCAL and OWN_FOLDER in place:
        raise IllegalArgument(invalid_at(at, f"{location:.300} is in the folder of the server itself"))


def _account(storage: Json, rules: ManagementRules, at: str = "") -> str | None:
    """Return the AWS account of a storage's role, None without one. Raises InvalidInput for an invalid role."""
    role = storage.get("roleArn") if storage["storageType"] == "S3" else None
    if role is None:
        return None
    match = rules.role_arn.fullmatch(role)
    if match is None:
        raise InvalidInput(invalid_at(f"{at}/storageConfigInfo/roleArn", f"Invalid role ARN format: {role:.300}"))
    return match[1]
