"""Policies: creation, versioned updates, attachment to targets, and deletion."""

from __future__ import annotations

from conformance.author.checks import contains, equal, lacks, same_items
from conformance.author.requirement import must, should
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import SINCE, Names
from conformance.polaris.support.policies import (
    EXPIRY,
    OFF,
    ON,
    applicable,
    attach,
    create,
    holding,
    load,
    new,
    new_id,
    on_namespace,
    on_table,
)

CREATE, LOAD, UPDATE, DROP = ["createPolicy"], ["loadPolicy"], ["updatePolicy"], ["dropPolicy"]
ATTACH, DETACH, APPLICABLE = ["attachPolicy"], ["detachPolicy"], ["getApplicablePolicies"]
SEVERAL = 3
AGAIN = (204, 409)  # for a policy that is attached already: the document allows both
NO_CONTENT = ("", "no json", "[]", "{}", '{"enable": "yes"}')
NO_NAMES = ("a b", "a.b", "a/b", "ä")


@must("polaris.policy.same", operations=[*CREATE, *UPDATE, *APPLICABLE], clause="policy-answered", since=SINCE)
def test_policy_is_the_same_in_every_answer(catalog: PolarisCatalog) -> None:
    """createPolicy, updatePolicy and getApplicablePolicies return the same policy as loadPolicy."""
    id, home = new_id(catalog), catalog.tables.home
    made = create(catalog, id, description="nightly")["policy"]
    equal(catalog.documented(made), catalog.documented(load(catalog, id)), "the policy in the answer to its creation")
    changes = {"description": "weekly", "content": OFF, "current_policy_version": made["version"]}
    changed = catalog.update_policy(id[:-1], id[-1], **changes)["policy"]
    policy = catalog.documented(load(catalog, id))
    equal(policy["description"], "weekly", "the description")
    equal(catalog.documented(changed), policy, "the policy in the answer to its update")
    attach(catalog, id, on_namespace(home))
    expected = {**policy, "inherited": False, "namespace": list(home)}
    equal(catalog.documented(applicable(catalog, home)), [expected], "the applicable policies")


@must("polaris.policy.pages", operations=["listPolicies"], clause="policy-pages", kind="pagination", since=SINCE)
def test_pages_of_policies(catalog: PolarisCatalog) -> None:
    """The pages of listPolicies together contain every policy exactly once."""
    ids = [new(catalog) for _ in range(SEVERAL)]
    same_items(catalog.paged_names(catalog.list_policies), [id[-1] for id in ids], "the names on all pages")


@must("polaris.policy.listed", operations=["listPolicies"], clause="policy-listed", since=SINCE)
def test_policies_are_listed(catalog: PolarisCatalog) -> None:
    """listPolicies returns the policies of a namespace, and with policyType only those of that type."""
    home = catalog.tables.home
    catalog.list_policies(home)  # a server that caches this list must not return it below
    policy, other = new(catalog), new(catalog, EXPIRY)
    identifiers = [{"namespace": list(home), "name": id[-1]} for id in (policy, other)]
    contains(catalog.documented(catalog.list_policies(home)["identifiers"]), identifiers, "the listed policies")
    of_type = catalog.documented(catalog.list_policies(home, policyType=EXPIRY)["identifiers"])
    contains(of_type, identifiers[1:], "the listed policies of the type")
    lacks(of_type, identifiers[:1], "the listed policies of the type")


@must(
    "polaris.policy.namespace_missing",
    operations=[*CREATE, "listPolicies"],
    clause="policy-missing",
    kind="error",
    since=SINCE,
)
def test_policies_in_no_namespace(catalog: PolarisCatalog) -> None:
    """createPolicy and listPolicies in a namespace that does not exist return 404."""
    missing = catalog.tables.missing_namespace()
    create(catalog, (*missing, catalog.target.new_name()), expect=404)
    catalog.list_policies(missing, expect=404)


@must("polaris.policy.name", operations=CREATE, clause="policy-name", kind="error", since=SINCE)
def test_policy_name(catalog: PolarisCatalog) -> None:
    """createPolicy returns 400 for a name with a character that the document does not allow."""
    id = new_id(catalog)
    catalog.control(lambda: create(catalog, id))
    for name in NO_NAMES:
        create(catalog, (*id[:-1], f"{id[-1]}{name}"), expect=400)


@should("polaris.policy.type", operations=CREATE, clause="policy-type", kind="error", since=SINCE)
def test_unknown_policy_type(catalog: PolarisCatalog) -> None:
    """createPolicy with an unknown type returns 400 and creates nothing."""
    id = new_id(catalog)
    catalog.control(lambda: new(catalog))
    create(catalog, id, "system.lakeproof", expect=400)
    catalog.load_policy(id[:-1], id[-1], expect=404)


@should("polaris.policy.content", operations=[*CREATE, *UPDATE], clause="policy-content", kind="error", since=SINCE)
def test_policy_content(catalog: PolarisCatalog) -> None:
    """createPolicy and updatePolicy return 400 for content that is not a JSON object valid for the policy type."""
    id, other = new(catalog), new_id(catalog)
    for content in NO_CONTENT:
        create(catalog, other, content=content, expect=400)
        if content:
            _update(catalog, id, content, 0, expect=400)
    equal(load(catalog, id)["content"], ON, "the content")
    catalog.load_policy(other[:-1], other[-1], expect=404)


@must("polaris.policy.attached", operations=[*ATTACH, *DETACH, *APPLICABLE], clause="policy-attached", since=SINCE)
def test_policy_is_attached(catalog: PolarisCatalog) -> None:
    """An attached policy is applicable until detachPolicy; attaching it again returns 204 or 409."""
    id, table = new(catalog), catalog.tables.new_table()
    for target, place in ((on_namespace(table[:-1]), (table[:-1],)), (on_table(table), (table[:-1], table[-1]))):
        attach(catalog, id, target)
        attach(catalog, id, target, expect=AGAIN)
        equal(holding(catalog, *place), [[id[-1], False]], "the applicable policies")
        catalog.detach_policy(id[:-1], id[-1], target)
        equal(holding(catalog, *place), [], "the applicable policies")


@must("polaris.policy.attach.same_type", operations=ATTACH, clause="policy-one-of-a-type", kind="error", since=SINCE)
def test_second_policy_of_a_type(catalog: PolarisCatalog) -> None:
    """attachPolicy returns 409 for a second policy of the same type on one target, and accepts another type."""
    first, second, other = new(catalog), new(catalog), new(catalog, EXPIRY)
    target = on_namespace(catalog.tables.home)
    with catalog.client.preparing():
        attach(catalog, first, target)
    attach(catalog, second, target, expect=409)
    attach(catalog, other, target)
    expected = sorted([[first[-1], False], [other[-1], False]])
    equal(holding(catalog, catalog.tables.home), expected, "the applicable policies")


@must("polaris.policy.detach.absent", operations=DETACH, clause="policy-detach-absent", kind="error", since=SINCE)
def test_detaching_what_is_not_attached(catalog: PolarisCatalog) -> None:
    """detachPolicy returns 404 for a policy that is not attached to the target."""
    id, table = new(catalog), catalog.tables.new_table()
    with catalog.client.preparing():
        attach(catalog, id, on_table(table))
    catalog.detach_policy(id[:-1], id[-1], on_namespace(table[:-1]), expect=404)
    catalog.detach_policy(id[:-1], id[-1], on_table(table))
    catalog.detach_policy(id[:-1], id[-1], on_table(table), expect=404)


@must("polaris.policy.attach.missing", operations=ATTACH, clause="policy-attach-missing", kind="error", since=SINCE)
def test_attaching_to_nothing(catalog: PolarisCatalog) -> None:
    """attachPolicy to a namespace or a table that does not exist returns 404."""
    id, table = new(catalog), catalog.tables.new_table()
    catalog.control(lambda: attach(catalog, id, on_table(table)))
    missing = catalog.target.missing_name
    for target in (on_namespace((*table[:-1], missing)), on_table((*table[:-1], missing))):
        attach(catalog, id, target, expect=404)


def _renamed_with_policy(catalog: PolarisCatalog) -> tuple[Names, Names]:
    """Create a policy, attach it to a table and rename the table; return the ids of both."""
    id, table = new(catalog), catalog.tables.new_table()
    renamed = (*table[:-1], f"{table[-1]}_renamed")
    with catalog.client.preparing():
        attach(catalog, id, on_table(table))
    catalog.tables.rename_table(table, renamed)
    return id, renamed


@should("polaris.policy.follows", operations=["renameTable", "dropTable"], clause="policy-follows", since=SINCE)
def test_policies_follow_a_table(catalog: PolarisCatalog) -> None:
    """A policy stays attached to its table after renameTable, and can be dropped after dropTable."""
    id, renamed = _renamed_with_policy(catalog)
    equal(holding(catalog, renamed[:-1], renamed[-1]), [[id[-1], False]], "the applicable policies")
    catalog.tables.drop_table(renamed)
    catalog.drop_policy(id[:-1], id[-1])


@must(
    "polaris.policy.renamed",
    operations=["renameTable", "getApplicablePolicies"],
    clause="policy-attached",
    since=SINCE,
)
def test_policy_of_a_renamed_table(catalog: PolarisCatalog) -> None:
    """A policy that is attached to a table still applies to it after renameTable."""
    id, renamed = _renamed_with_policy(catalog)
    equal(holding(catalog, renamed[:-1], renamed[-1]), [[id[-1], False]], "the applicable policies")


def _update(catalog: PolarisCatalog, id: tuple[str, ...], content: str, version: int, expect: int = 200) -> None:
    catalog.update_policy(id[:-1], id[-1], content=content, current_policy_version=version, expect=expect)
