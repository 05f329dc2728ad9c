"""Policies: made, changed by version, attached to one thing each of a type, and inherited from the outside in."""

from __future__ import annotations

from conformance.author.checks import contains, equal, lacks, same_items
from conformance.author.requirement import must, should
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.support.paged import paged
from conformance.polaris.support.policies import (
    COMPACTION,
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

SINCE = "1.7"
CREATE, LOAD, UPDATE, DROP = ["createPolicy"], ["loadPolicy"], ["updatePolicy"], ["dropPolicy"]
ATTACH, DETACH, APPLICABLE = ["attachPolicy"], ["detachPolicy"], ["getApplicablePolicies"]
SEVERAL = 3
AGAIN = (204, 409)  # to who attaches what is attached: the document has both
NO_CONTENT = ("", "no json", "[]", "{}", '{"enable": "yes"}')
NO_NAMES = ("a b", "a.b", "a/b", "ä")


@must("polaris.policy.created", operations=[*CREATE, *LOAD], clause="policy-kept", since=SINCE)
def test_policy_is_kept(catalog: PolarisCatalog) -> None:
    """A policy is what was sent: its name, type, description and content, in the answer and when it is loaded."""
    id = new_id(catalog)
    made = create(catalog, id, description="nightly")["policy"]
    for policy in (made, load(catalog, id)):
        shown = [policy["name"], policy["policy-type"], policy["description"], policy["content"]]
        equal(shown, [id[-1], COMPACTION, "nightly", ON], "the policy")


@must("polaris.policy.same", operations=[*CREATE, *UPDATE, *APPLICABLE], clause="policy-answered", since=SINCE)
def test_policy_is_the_same_in_every_answer(catalog: PolarisCatalog) -> None:
    """A policy that was made, that was changed or that holds for something is answered as it is when it is loaded."""
    id, home = new_id(catalog), catalog.tables.home
    made = create(catalog, id, description="nightly")["policy"]
    equal(catalog.stated(made), catalog.stated(load(catalog, id)), "the policy in the answer to its creation")
    changes = {"description": "weekly", "content": OFF, "current_policy_version": made["version"]}
    changed = catalog.update_policy(id[:-1], id[-1], **changes)["policy"]
    policy = catalog.stated(load(catalog, id))
    equal(policy["description"], "weekly", "the description")
    equal(catalog.stated(changed), policy, "the policy in the answer to its update")
    attach(catalog, id, on_namespace(home))
    expected = {**policy, "inherited": False, "namespace": list(home)}
    equal(catalog.stated(applicable(catalog, home)), [expected], "the applicable policies")


@must("polaris.policy.pages", operations=["listPolicies"], clause="policy-pages", kind="pagination", since=SINCE)
def test_pages_of_policies(catalog: PolarisCatalog) -> None:
    """The pages of a listing of policies together hold every policy exactly once."""
    ids = [new(catalog) for _ in range(SEVERAL)]
    same_items(paged(catalog, catalog.list_policies), [id[-1] for id in ids], "the names on all pages")


@must("polaris.policy.listed", operations=["listPolicies"], clause="policy-listed", since=SINCE)
def test_policies_are_listed(catalog: PolarisCatalog) -> None:
    """The policies of a namespace are listed, and those of one type where it is asked for."""
    home = catalog.tables.home
    catalog.list_policies(home)  # what is listed later is not what was listed before
    policy, other = new(catalog), new(catalog, EXPIRY)
    identifiers = [{"namespace": list(home), "name": id[-1]} for id in (policy, other)]
    contains(catalog.stated(catalog.list_policies(home)["identifiers"]), identifiers, "the listed policies")
    of_type = catalog.stated(catalog.list_policies(home, policyType=EXPIRY)["identifiers"])
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
    """In a namespace that does not exist no policy is made or listed: 404."""
    missing = catalog.tables.missing_namespace()
    create(catalog, (*missing, catalog.target.new_name()), expect=404)
    catalog.list_policies(missing, expect=404)


@must("polaris.policy.missing", operations=[*LOAD, *UPDATE], clause="policy-missing", kind="error", since=SINCE)
def test_policy_that_is_missing(catalog: PolarisCatalog) -> None:
    """A policy that does not exist is neither found nor changed: 404."""
    id = new_id(catalog)
    catalog.load_policy(id[:-1], id[-1], expect=404)
    catalog.update_policy(id[:-1], id[-1], content=OFF, current_policy_version=0, expect=404)
    catalog.load_policy(id[:-1], id[-1], expect=404)


@must("polaris.policy.exists", operations=CREATE, clause="policy-exists", kind="error", since=SINCE)
def test_policy_that_exists(catalog: PolarisCatalog) -> None:
    """Creating a policy that exists is refused with 409, and it stays as it is."""
    id = new(catalog)
    create(catalog, id, content=OFF, expect=409)
    equal(load(catalog, id)["content"], ON, "the content")


@must("polaris.policy.name", operations=CREATE, clause="policy-name", kind="error", since=SINCE)
def test_policy_name(catalog: PolarisCatalog) -> None:
    """A name with other characters than the document allows is refused with 400."""
    id = new_id(catalog)
    catalog.control(lambda: create(catalog, id))
    for name in NO_NAMES:
        create(catalog, (*id[:-1], f"{id[-1]}{name}"), expect=400)


@should("polaris.policy.type", operations=CREATE, clause="policy-type", kind="error", since=SINCE)
def test_unknown_policy_type(catalog: PolarisCatalog) -> None:
    """A policy of an unknown type is refused with 400, and not made."""
    id = new_id(catalog)
    catalog.control(lambda: new(catalog))
    create(catalog, id, "system.lakeproof", expect=400)
    catalog.load_policy(id[:-1], id[-1], expect=404)


@should("polaris.policy.content", operations=[*CREATE, *UPDATE], clause="policy-content", kind="error", since=SINCE)
def test_policy_content(catalog: PolarisCatalog) -> None:
    """Content that is no JSON object with what its type needs is refused with 400, at first and as an update."""
    id, other = new(catalog), new_id(catalog)
    for content in NO_CONTENT:
        create(catalog, other, content=content, expect=400)
        if content:
            _update(catalog, id, content, 0, expect=400)
    equal(load(catalog, id)["content"], ON, "the content")
    catalog.load_policy(other[:-1], other[-1], expect=404)


@must("polaris.policy.updated", operations=UPDATE, clause="policy-updated", since=SINCE)
def test_policy_is_updated(catalog: PolarisCatalog) -> None:
    """An update of the version that a policy has gives it the content, and a later version."""
    id = new(catalog)
    version = load(catalog, id)["version"]
    _update(catalog, id, OFF, version)
    policy = load(catalog, id)
    equal(policy["content"], OFF, "the content")
    equal(policy["version"], version + 1, "the version")


@must("polaris.policy.version", operations=UPDATE, clause="policy-version", kind="error", since=SINCE)
def test_policy_of_another_version(catalog: PolarisCatalog) -> None:
    """An update that is meant for another version than the policy has is refused with 409, and changes nothing."""
    id = new(catalog)
    version = load(catalog, id)["version"]
    catalog.control(lambda: _update(catalog, id, OFF, version))
    for other in (version, version + 2):
        _update(catalog, id, ON, other, expect=409)
    equal(load(catalog, id)["content"], OFF, "the content")


@must("polaris.policy.dropped", operations=DROP, clause="policy-dropped", since=SINCE)
def test_policy_is_dropped(catalog: PolarisCatalog) -> None:
    """A policy that was dropped is not found any more: 404."""
    id = new(catalog)
    catalog.drop_policy(id[:-1], id[-1])
    catalog.load_policy(id[:-1], id[-1], expect=404)
    catalog.drop_policy(id[:-1], id[-1], expect=404)


@must("polaris.policy.in_use", operations=DROP, clause="policy-in-use", kind="error", since=SINCE)
def test_policy_in_use(catalog: PolarisCatalog) -> None:
    """A policy that is attached to something is not dropped: 400; with detach-all it is, and holds no more."""
    id = new(catalog)
    home = catalog.tables.home
    with catalog.client.preparing():
        attach(catalog, id, on_namespace(home))
    catalog.drop_policy(id[:-1], id[-1], expect=400)
    equal(load(catalog, id)["name"], id[-1], "the name of the policy")
    catalog.drop_policy(id[:-1], id[-1], detach_all=True)
    equal(holding(catalog, home), [], "the applicable policies")


@must("polaris.policy.attached", operations=[*ATTACH, *DETACH, *APPLICABLE], clause="policy-attached", since=SINCE)
def test_policy_is_attached(catalog: PolarisCatalog) -> None:
    """A policy holds for what it is attached to, until it is detached; attaching it again changes nothing."""
    id, table = new(catalog), catalog.tables.new_table()
    for target, place in ((on_namespace(table[:-1]), (table[:-1],)), (on_table(table), (table[:-1], table[-1]))):
        attach(catalog, id, target)
        attach(catalog, id, target, expect=AGAIN)
        equal(holding(catalog, *place), [[id[-1], False]], "the applicable policies")
        catalog.detach_policy(id[:-1], id[-1], target)
        equal(holding(catalog, *place), [], "the applicable policies")


@must("polaris.policy.attach.same_type", operations=ATTACH, clause="policy-one-of-a-type", kind="error", since=SINCE)
def test_second_policy_of_a_type(catalog: PolarisCatalog) -> None:
    """A second policy of one type on the same target is refused with 409, and one of another type is taken."""
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
    """Detaching a policy that is not attached to the target is refused with 404."""
    id, table = new(catalog), catalog.tables.new_table()
    with catalog.client.preparing():
        attach(catalog, id, on_table(table))
    catalog.detach_policy(id[:-1], id[-1], on_namespace(table[:-1]), expect=404)
    catalog.detach_policy(id[:-1], id[-1], on_table(table))
    catalog.detach_policy(id[:-1], id[-1], on_table(table), expect=404)


@must("polaris.policy.attach.missing", operations=ATTACH, clause="policy-attach-missing", kind="error", since=SINCE)
def test_attaching_to_nothing(catalog: PolarisCatalog) -> None:
    """A policy cannot be attached to a namespace or a table that does not exist: 404."""
    id, table = new(catalog), catalog.tables.new_table()
    catalog.control(lambda: attach(catalog, id, on_table(table)))
    missing = catalog.target.missing_name
    for target in (on_namespace((*table[:-1], missing)), on_table((*table[:-1], missing))):
        attach(catalog, id, target, expect=404)


@should("polaris.policy.follows", operations=["renameTable", "dropTable"], clause="policy-follows", since=SINCE)
def test_policies_follow_a_table(catalog: PolarisCatalog) -> None:
    """What is attached to a table is so under its new name, and a table that is dropped frees its policies."""
    id, table = new(catalog), catalog.tables.new_table()
    renamed = (*table[:-1], f"{table[-1]}_renamed")
    with catalog.client.preparing():
        attach(catalog, id, on_table(table))
    catalog.tables.rename_table(table, renamed)
    equal(holding(catalog, renamed[:-1], renamed[-1]), [[id[-1], False]], "the applicable policies")
    catalog.tables.drop_table(renamed)
    catalog.drop_policy(id[:-1], id[-1])


def _update(catalog: PolarisCatalog, id: tuple[str, ...], content: str, version: int, expect: int = 200) -> None:
    catalog.update_policy(id[:-1], id[-1], content=content, current_policy_version=version, expect=expect)
