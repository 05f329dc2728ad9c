"""Policies that are attached again with other parameters."""

from __future__ import annotations

from conformance.author.checks import equal
from conformance.author.requirement import must
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.support.policies import holding, new, on_namespace, on_table

AGAIN = (204, 409)  # the document allows both


@must(
    "polaris.attached_again.detached",
    operations=["attachPolicy", "detachPolicy", "getApplicablePolicies"],
    clause="policy-attached",
    since="1.7",
)
def test_detached_after_other_parameters(catalog: PolarisCatalog) -> None:
    """One detachPolicy ends an attachment that was made again with other parameters."""
    id, table = new(catalog), catalog.tables.new_table()
    for target, place in ((on_namespace(table[:-1]), (table[:-1],)), (on_table(table), (table[:-1], table[-1]))):
        catalog.attach_policy(id[:-1], id[-1], target, parameters={"n": "1"})
        catalog.attach_policy(id[:-1], id[-1], target, parameters={"n": "2"}, expect=AGAIN)
        equal(holding(catalog, *place), [[id[-1], False]], "the applicable policies")
        catalog.detach_policy(id[:-1], id[-1], target)
        equal(holding(catalog, *place), [], "the applicable policies after detachPolicy")
