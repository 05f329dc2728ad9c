"""Differences between the revisions, beside their documents."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from reference_server.polaris.errors import InvalidValue, OlderInvalidValue


@dataclass(frozen=True)
class ManagementRules:
    """Rules since a revision.

    `realm_header` names the realm of a request; `reserved_prefix` begins properties that clients may not set.
    `unknown_revokes_fail`: revoking an absent grant is an error. `unassigned_scopes_fail`: a token for an unassigned
    role is invalid; else it only lacks the role. `exchange_narrows`: the scope of an exchange is applied.
    `federated_roles`: principal roles have a field for their origin. `connection` is the field with the address of an
    external catalog. `base_is_allowed`: the base location of a catalog is added to the allowed ones; else it must be
    within them. `role_arn` is the form of roles on AWS; `role_is_fixed`: a role cannot be changed at all, else only
    within its account. `most_locations` of a catalog, by storage type. `invalid_value` is the error of a value that the
    document forbids. `catalogs_may_overlap`, an option of the server in every revision: catalogs may share locations.
    """

    realm_header: str | None
    reserved_prefix: str
    unknown_revokes_fail: bool
    unassigned_scopes_fail: bool
    exchange_narrows: bool
    federated_roles: bool
    connection: str
    base_is_allowed: bool
    role_arn: re.Pattern[str]
    role_is_fixed: bool
    most_locations: Mapping[str, int] = field(default_factory=dict)
    invalid_value: type[InvalidValue] = InvalidValue
    catalogs_may_overlap: bool = False


RULES = {
    "2024-09": ManagementRules(
        realm_header=None,
        reserved_prefix="",
        unknown_revokes_fail=False,
        unassigned_scopes_fail=False,
        exchange_narrows=False,
        federated_roles=False,
        connection="remoteUrl",
        base_is_allowed=True,
        role_arn=re.compile(r"arn:aws:iam::(\d{12}):role/.+"),
        role_is_fixed=True,
        most_locations={"S3": 5, "AZURE": 20, "GCS": 8},
        invalid_value=OlderInvalidValue,
    ),
    "1.7": ManagementRules(
        realm_header="Polaris-Realm",
        reserved_prefix="polaris.",
        unknown_revokes_fail=True,
        unassigned_scopes_fail=True,
        exchange_narrows=True,
        federated_roles=True,
        connection="connectionConfigInfo",
        base_is_allowed=False,
        role_arn=re.compile(r"arn:(?:aws|aws-us-gov):iam::(\d{12}):role/.+"),
        role_is_fixed=False,
    ),
}
