"""getApplicablePolicies: the effective policies of a catalog, a namespace or a table."""

from __future__ import annotations

from typing import Any

from reference_server.errors import InvalidInput
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.catalog.names import levels
from reference_server.polaris.catalog.policy_mappings import CATALOG, Attachment
from reference_server.polaris.catalog.policy_targets import existing, holding
from reference_server.polaris.catalog.policy_types import check_type
from reference_server.polaris.context import CatalogContext


async def get_applicable_policies(context: CatalogContext) -> dict[str, Any]:
    """Return the effective policies of the object in the query, by default of the catalog."""
    context.reusable = True
    wanted = context.query("policyType")
    if wanted:
        check_type(wanted)
    target = existing(context.catalog, _target(context))
    applicable = holding(context.services.storage, context.catalog, target)
    policies = [policy for policy in applicable if not wanted or policy["policy-type"] == wanted]
    return {"applicable-policies": policies, "next-page-token": None}


def _target(context: CatalogContext) -> Attachment:
    namespace, name = context.query("namespace"), context.query("target-name")
    path = levels(namespace) if namespace else ()
    if name and not path:
        raise InvalidInput("A target-name needs the namespace that it is in")
    if name:
        return Attachment(Kind.TABLE, (*path, name))
    return Attachment(Kind.NAMESPACE, path) if path else Attachment(CATALOG, ())
