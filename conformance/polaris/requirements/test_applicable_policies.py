"""Applicable policies: those attached to an object and those inherited from its parents."""

from __future__ import annotations

from conformance.author.checks import equal
from conformance.author.requirement import must, should
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import SINCE
from conformance.polaris.support.policies import CATALOG, EXPIRY, attach, holding, new, on_namespace, on_table

UNKNOWN_TYPE = "lakeproof.no-such-type"
ATTACH, APPLICABLE = ["attachPolicy"], ["getApplicablePolicies"]


@should("polaris.policy.inherited", operations=APPLICABLE, clause="policy-inherited", since=SINCE)
def test_policies_are_inherited(catalog: PolarisCatalog) -> None:
    """A policy applies to everything inside its target unless a nearer policy of the same type overrides it."""
    wide, near, other, table = new(catalog), new(catalog), new(catalog, EXPIRY), catalog.tables.new_table()
    with catalog.client.preparing():
        attach(catalog, wide, on_namespace(table[:-1]))
        attach(catalog, other, on_namespace(table[:-1]))
    outer = sorted([[wide[-1], True], [other[-1], True]])
    equal(holding(catalog, table[:-1], table[-1]), outer, "the applicable policies of the table")
    attach(catalog, near, on_table(table))
    expected = sorted([[near[-1], False], [other[-1], True]])
    equal(holding(catalog, table[:-1], table[-1]), expected, "the applicable policies of the table")
    of_type = holding(catalog, table[:-1], table[-1], policyType=EXPIRY)
    equal(of_type, [[other[-1], True]], "the applicable policies of the type")


@should("polaris.policy.catalog", operations=[*ATTACH, *APPLICABLE], clause="policy-inherited", since=SINCE)
def test_policy_of_the_catalog(catalog: PolarisCatalog) -> None:
    """A policy attached to a catalog applies to the catalog and, inherited, to its namespaces."""
    id = new(catalog)
    attach(catalog, id, CATALOG)
    equal(holding(catalog), [[id[-1], False]], "the applicable policies of the catalog")
    equal(holding(catalog, catalog.tables.home), [[id[-1], True]], "the applicable policies of the namespace")
    catalog.detach_policy(id[:-1], id[-1], CATALOG)


@must(
    "polaris.policy.applicable.missing",
    operations=APPLICABLE,
    clause="policy-missing",
    kind="error",
    since=SINCE,
    reads=True,
)
def test_policies_of_nothing(catalog: PolarisCatalog) -> None:
    """getApplicablePolicies for a namespace or a table that does not exist returns 404."""
    home, missing = catalog.tables.home, catalog.target.missing_name
    catalog.control(lambda: catalog.get_applicable_policies(namespace=catalog.tables.separator.join(home)))
    catalog.get_applicable_policies(namespace=missing, expect=404)
    catalog.get_applicable_policies(namespace=catalog.tables.separator.join(home), target_name=missing, expect=404)


@should(
    "polaris.policy.applicable.target_alone",
    operations=APPLICABLE,
    clause="policy-target-alone",
    kind="error",
    since=SINCE,
)
def test_target_without_a_namespace(catalog: PolarisCatalog) -> None:
    """getApplicablePolicies with a target-name but without a namespace returns 400."""
    table = catalog.tables.new_table()
    catalog.control(lambda: holding(catalog, table[:-1], table[-1]))
    catalog.get_applicable_policies(target_name=table[-1], expect=400)


@should(
    "polaris.policy.listed.unknown_type",
    operations=["listPolicies", *APPLICABLE],
    clause="policy-type",
    kind="error",
    since=SINCE,
)
def test_policies_of_an_unknown_type(catalog: PolarisCatalog) -> None:
    """listPolicies and getApplicablePolicies with an unknown policyType return 400."""
    home = catalog.tables.home
    catalog.list_policies(home, policyType=UNKNOWN_TYPE, expect=400)
    catalog.get_applicable_policies(policyType=UNKNOWN_TYPE, expect=400)
