"""Policies in requirements: creation, targets, attachment and applicable policies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conformance.author.checks import listed
from conformance.http.answers import Answer
from conformance.http.client import Expected
from conformance.http.operation_client import DECLARED
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import Names
from conformance.polaris.worlds import POLICY_NAMES, other_case
from specs.identifiers import UNIT_SEPARATOR

COMPACTION, EXPIRY = "system.data-compaction", "system.snapshot-expiry"
ON, OFF = '{"enable": true}', '{"enable": false}'
CATALOG = {"type": "catalog"}


def create(
    catalog: PolarisCatalog, id: Names, policy_type: str = COMPACTION, *, expect: Expected = DECLARED, **fields: Any
) -> Answer:
    """Send createPolicy, and note the policy for the clean-up."""
    catalog.tables.sandbox.note("policy", [id])
    fields = {"content": ON, **fields}
    return catalog.create_policy(id[:-1], name=id[-1], type=policy_type, expect=expect, **fields)


def new_id(catalog: PolarisCatalog) -> Names:
    """Return an unused policy id in the home namespace; see PolarisCatalog.id for names that differ in case."""
    id = (*catalog.tables.home, catalog.policy_name())
    if catalog.target.surroundings.value(POLICY_NAMES) == "case":
        with catalog.client.preparing():
            create(catalog, (*id[:-1], catalog.beside(other_case(id[-1]))))
    return id


def new(catalog: PolarisCatalog, policy_type: str = COMPACTION, **fields: Any) -> Names:
    """Create a policy as preparation and return its id."""
    id = new_id(catalog)
    with catalog.client.preparing():
        create(catalog, id, policy_type, **fields)
    return id


def load(catalog: PolarisCatalog, id: Names) -> Any:
    """Load a policy."""
    return catalog.load_policy(id[:-1], id[-1])["policy"]


def on_namespace(id: Sequence[str]) -> dict[str, Any]:
    """Return the body of a policy target that is a namespace."""
    return {"type": "namespace", "path": list(id)}


def on_table(id: Sequence[str]) -> dict[str, Any]:
    """Return the body of a policy target that is a table."""
    return {"type": "table-like", "path": list(id)}


def attach(catalog: PolarisCatalog, id: Names, target: Any, *, expect: Expected = DECLARED) -> Answer:
    """Attach a policy to a target."""
    return catalog.attach_policy(id[:-1], id[-1], target, expect=expect)


def applicable(catalog: PolarisCatalog, namespace: Names = (), table: str = "", **query: Any) -> list[Any]:
    """Return the run's policies that apply to the catalog, a namespace or a table."""
    asked = {"namespace": UNIT_SEPARATOR.join(namespace) or None, "target_name": table or None, **query}
    answer = catalog.get_applicable_policies(**{name: value for name, value in asked.items() if value is not None})
    return [
        policy
        for policy in listed(answer["applicable-policies"], "the applicable-policies")
        if _is_own(catalog, policy)
    ]


def holding(catalog: PolarisCatalog, namespace: Names = (), table: str = "", **query: Any) -> list[Any]:
    """Return the name and the inherited flag of each applicable policy of the run, sorted."""
    return sorted([policy["name"], policy["inherited"]] for policy in applicable(catalog, namespace, table, **query))


def _is_own(catalog: PolarisCatalog, policy: Any) -> bool:
    return str(policy["name"]).startswith(catalog.target.prefix)
