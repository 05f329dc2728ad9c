"""Policies on their targets: inheritance from level to level, overriding, detaching, and namesakes.

Each requirement has a catalog of its own with nested namespaces and a table, so that nobody else attaches to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conformance.author.checks import equal, listed, same_items
from conformance.author.requirement import must, should
from conformance.http.client import Expected
from conformance.http.operation_client import DECLARED
from conformance.iceberg.client import IcebergClient
from conformance.iceberg.support.content import SCHEMA
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.client import PolarisClient
from conformance.polaris.entities import CATALOG, SINCE, Names
from conformance.polaris.support.policies import COMPACTION, EXPIRY, OFF, ON, create, on_namespace, on_table
from conformance.values.outcomes import Unoffered
from specs.identifiers import UNIT_SEPARATOR

ATTACH, DETACH, APPLICABLE, DROP = ["attachPolicy"], ["detachPolicy"], ["getApplicablePolicies"], ["dropPolicy"]
LEVELS: Mapping[str, Names] = {"catalog": (), "namespace": ("a",), "nested": ("a", "b"), "table": ("a", "b", "t")}
BESIDE: Mapping[str, Names] = {"namespace": ("aa",), "nested": ("a", "bb"), "table": ("a", "b", "tt")}
TABLES = (LEVELS["table"], BESIDE["table"])
MISSING, TAKEN, IN_USE = 404, 409, 400


def target_of(id: Names) -> dict[str, Any]:
    """Return the body of a target: the catalog, a namespace, or one of the two tables."""
    if not id:
        return {"type": "catalog"}
    return on_table(id) if id in TABLES else on_namespace(id)


@dataclass(frozen=True, slots=True)
class Tree:
    """Catalog with the objects of LEVELS, and the operations in it. `prefix` is that of the run."""

    polaris: PolarisClient
    tables: IcebergClient
    catalog: PolarisCatalog

    def new(self, policy_type: str = COMPACTION, space: Names = ("a",), name: str = "") -> Names:
        """Create a policy as preparation and return its id."""
        id = (*space, name or self.catalog.target.new_name())
        with self.polaris.client.preparing():
            self.create(id, policy_type)
        return id

    def create(self, id: Names, policy_type: str = COMPACTION, *, expect: Expected = DECLARED, **fields: Any) -> Any:
        """Send createPolicy."""
        sent = {"content": ON, **fields}
        return self.polaris.create_policy(id[:-1], name=id[-1], type=policy_type, expect=expect, **sent)

    def load(self, id: Names) -> Any:
        """Load a policy."""
        return self.polaris.load_policy(id[:-1], id[-1])["policy"]

    def update(self, id: Names, version: int | None = None, *, expect: Expected = DECLARED, **changes: Any) -> Any:
        """Send updatePolicy for a version, by default the one that the policy has."""
        version = self.load(id)["version"] if version is None else version
        return self.polaris.update_policy(id[:-1], id[-1], current_policy_version=version, expect=expect, **changes)

    def attach(self, id: Names, target: Names, *, expect: Expected = DECLARED) -> None:
        """Attach a policy to an object."""
        self.polaris.attach_policy(id[:-1], id[-1], target_of(target), expect=expect)

    def detach(self, id: Names, target: Names, *, expect: Expected = DECLARED) -> None:
        """Detach a policy from an object."""
        self.polaris.detach_policy(id[:-1], id[-1], target_of(target), expect=expect)

    def applicable(self, target: Names, **query: str) -> list[Any]:
        """Return the run's policies that apply to an object."""
        space = target[:-1] if target in TABLES else target
        asked: dict[str, Any] = {"namespace": UNIT_SEPARATOR.join(space)} if space else {}
        named: dict[str, Any] = {"target_name": target[-1]} if target in TABLES else {}
        answer = self.polaris.get_applicable_policies(**{**asked, **named, **query})
        policies = listed(answer["applicable-policies"], "the applicable-policies")
        return [policy for policy in policies if str(policy["name"]).startswith(self.catalog.target.prefix)]

    def holds(self, target: Names, *expected: tuple[Names, bool], **query: str) -> None:
        """Check which policies apply to an object, by their ids, and whether they are inherited."""
        got = [
            [[*policy["namespace"], policy["name"]], policy["inherited"]] for policy in self.applicable(target, **query)
        ]
        same_items(got, [[list(id), inherited] for id, inherited in expected], "the applicable policies")

    def inheritable(self, id: Names) -> None:
        """Raise Unoffered for a policy that the server does not inherit."""
        with self.polaris.client.preparing():
            if not self.load(id)["inheritable"]:
                raise Unoffered("the type of the policy is not inheritable")


def _tree(catalog: PolarisCatalog) -> Tree:
    """Create a catalog with the objects of LEVELS and BESIDE. Raises Unoffered without nested namespaces."""
    catalog.tables.require_nested()
    (name,) = catalog.new(CATALOG)
    tables = catalog.within(name)
    with catalog.client.preparing():
        for id in (*list(LEVELS.values())[1:3], *list(BESIDE.values())[:2]):
            tables.create_namespace(id)
        for id in TABLES:
            tables.create_table(id, SCHEMA)
    return Tree(PolarisClient(tables.client), tables, catalog)


# One target


@must(
    "polaris.policy.target.{}",
    operations=[*ATTACH, *DETACH, *APPLICABLE],
    clause="policy-attached",
    each=LEVELS,
    since=SINCE,
)
def test_policy_of_a_target(catalog: PolarisCatalog, case: Names) -> None:
    """A policy applies to its target until it is detached, and to nothing around or beside that: {}."""
    tree = _tree(catalog)
    id = tree.new()
    tree.attach(id, case)
    tree.holds(case, (id, False))
    outside = [level for level in LEVELS.values() if case[: len(level)] == level and level != case]
    for other in (*outside, *(beside for beside in BESIDE.values() if len(beside) == len(case))):
        tree.holds(other)
    tree.detach(id, case)
    for level in LEVELS.values():
        tree.holds(level)
    tree.detach(id, case, expect=MISSING)


@must("polaris.policy.target.empty_path", operations=[*ATTACH, *DETACH], clause="policy-path-of-a-catalog", since=SINCE)
def test_empty_path_of_a_catalog(catalog: PolarisCatalog) -> None:
    """attachPolicy and detachPolicy accept a catalog with an empty path as the catalog."""
    tree = _tree(catalog)
    id, target = tree.new(), {**target_of(LEVELS["catalog"]), "path": []}
    tree.polaris.attach_policy(id[:-1], id[-1], target)
    tree.holds(LEVELS["catalog"], (id, False))
    tree.polaris.detach_policy(id[:-1], id[-1], target)
    tree.holds(LEVELS["catalog"])


PAIRS = [("catalog", "namespace"), ("catalog", "nested"), ("catalog", "table")]
PAIRS += [("namespace", "nested"), ("namespace", "table"), ("nested", "table")]
FROM_TO = {f"{outer}_to_{inner}": (LEVELS[outer], LEVELS[inner]) for outer, inner in PAIRS}


@must(
    "polaris.policy.override.{}",
    operations=[*APPLICABLE, *ATTACH, *DETACH],
    clause="policy-overrides",
    each=FROM_TO,
    since=SINCE,
)
def test_nearer_policy(catalog: PolarisCatalog, case: tuple[Names, Names]) -> None:
    """A policy is inherited unless a nearer one of its type overrides it, and again when that is detached: {}."""
    outer, inner = case
    tree = _tree(catalog)
    wide, near, other = tree.new(), tree.new(), tree.new(EXPIRY)
    for id in (wide, other):
        tree.inheritable(id)
        tree.attach(id, outer)
    tree.holds(inner, (wide, True), (other, True))
    tree.attach(near, inner)
    tree.holds(inner, (near, False), (other, True))
    tree.holds(inner, (other, True), policyType=EXPIRY)
    tree.holds(outer, (wide, False), (other, False))
    tree.detach(near, inner)
    tree.holds(inner, (wide, True), (other, True))
    tree.detach(wide, outer)
    tree.holds(inner, (other, True))


@must("polaris.policy.attach.after_detach", operations=[*ATTACH, *DETACH], clause="policy-one-of-a-type", since=SINCE)
def test_next_policy_of_a_type(catalog: PolarisCatalog) -> None:
    """After detachPolicy the target takes another policy of the type, and then rejects the former one with 409."""
    tree = _tree(catalog)
    first, second = tree.new(), tree.new()
    target = LEVELS["nested"]
    tree.inheritable(first)
    tree.attach(first, target)
    tree.attach(second, target, expect=TAKEN)
    tree.detach(first, target)
    tree.attach(second, target)
    tree.attach(first, target, expect=TAKEN)
    tree.holds(target, (second, False))


# Dropping


@must("polaris.policy.in_use.{}", operations=DROP, clause="policy-in-use", kind="error", each=LEVELS, since=SINCE)
def test_policy_in_use_anywhere(catalog: PolarisCatalog, case: Names) -> None:
    """dropPolicy returns 400 for an attached policy, also with detach-all=false, and leaves it attached: {}."""
    tree = _tree(catalog)
    id = tree.new()
    tree.attach(id, case)
    tree.polaris.drop_policy(id[:-1], id[-1], expect=IN_USE)
    tree.polaris.drop_policy(id[:-1], id[-1], detach_all=False, expect=IN_USE)
    tree.holds(case, (id, False))
    tree.detach(id, case)
    tree.polaris.drop_policy(id[:-1], id[-1])


@must("polaris.policy.remade", operations=[*DROP, "createPolicy"], clause="policy-dropped", since=SINCE)
def test_policy_made_again(catalog: PolarisCatalog) -> None:
    """A policy under the name of a dropped one has its own type and content, and version 0."""
    tree = _tree(catalog)
    id = tree.new()
    catalog.control(lambda: tree.new(EXPIRY))
    tree.update(id, content=OFF, description="first")
    tree.polaris.drop_policy(id[:-1], id[-1])
    if not tree.create(id, EXPIRY, expect=(200, 409)).succeeded:
        raise Unoffered("the server does not give the name of a dropped policy again")
    policy = tree.load(id)
    equal([policy["policy-type"], policy["content"], policy["version"]], [EXPIRY, ON, 0], "the policy")
    equal(policy.get("description") or "", "", "the description")


DROPPED = {"namespace": ("aa",), "table": LEVELS["table"]}


@should(
    "polaris.policy.target_remade.{}",
    operations=["dropTable", "dropNamespace"],
    clause="policy-follows",
    each=DROPPED,
    since=SINCE,
)
def test_target_made_again(catalog: PolarisCatalog, case: Names) -> None:
    """A policy on a dropped {} is not on a new one of the same name, and can be dropped."""
    tree = _tree(catalog)
    id = tree.new()
    tree.attach(id, case)
    if case in TABLES:
        tree.tables.drop_table(case)
        tree.tables.create_table(case, SCHEMA)
    else:
        tree.tables.drop_namespace(case)
        tree.tables.create_namespace(case)
    tree.holds(case)
    tree.polaris.drop_policy(id[:-1], id[-1])


# Namesakes


@must("polaris.policy.namesake", operations=["updatePolicy", *ATTACH, *DROP], clause="policy-in-namespace", since=SINCE)
def test_policies_of_one_name(catalog: PolarisCatalog) -> None:
    """Policies of one name in two namespaces are updated, attached and dropped one by one."""
    tree = _tree(catalog)
    first = tree.new()
    second = tree.new(space=("a", "b"), name=first[-1])
    tree.update(first, content=OFF)
    equal([tree.load(id)["content"] for id in (first, second)], [OFF, ON], "the contents")
    tree.attach(second, ("aa",))
    tree.holds(("aa",), (second, False))
    tree.polaris.drop_policy(first[:-1], first[-1])
    tree.holds(("aa",), (second, False))
    equal(tree.load(second)["content"], ON, "the content of the other policy")
    tree.polaris.load_policy(first[:-1], first[-1], expect=MISSING)


@must(
    "polaris.policy.exists.other_type", operations=["createPolicy"], clause="policy-exists", kind="error", since=SINCE
)
def test_name_of_a_policy_of_another_type(catalog: PolarisCatalog) -> None:
    """createPolicy with the name of a policy of another type returns 409 and leaves the existing policy as it is."""
    tree = _tree(catalog)
    id = tree.new()
    catalog.control(lambda: tree.new(EXPIRY))
    tree.create(id, EXPIRY, expect=TAKEN)
    equal(tree.load(id)["policy-type"], COMPACTION, "the type of the policy")


# Versions


@must("polaris.policy.versions", operations=["createPolicy", "updatePolicy"], clause="policy-updated", since=SINCE)
def test_versions_of_a_policy(catalog: PolarisCatalog) -> None:
    """A policy has version 0 when it is created, and each update of its content or description adds 1."""
    tree = _tree(catalog)
    id = ("a", catalog.target.new_name())
    equal(tree.create(id, description="first")["policy"]["version"], 0, "the version of the new policy")
    changes: list[dict[str, Any]] = [
        {"content": OFF},
        {"description": "second"},
        {"content": ON, "description": "first"},
    ]
    for version, change in enumerate(changes):
        equal(tree.update(id, version, **change)["policy"]["version"], version + 1, "the version in the answer")
        equal(tree.load(id)["version"], version + 1, "the version of the policy")
        tree.update(id, version, content=OFF, expect=TAKEN)
    policy = tree.load(id)
    equal(
        [policy["content"], policy["description"]], [ON, "first"], "the content and the description after the way back"
    )


KEPT = {"content": {"description": "second"}, "description": {"content": OFF}}


@should(
    "polaris.policy.update.keeps_{}",
    operations=["updatePolicy"],
    clause="policy-update-partial",
    each=KEPT,
    since=SINCE,
)
def test_update_of_a_part(catalog: PolarisCatalog, case: dict[str, Any]) -> None:
    """updatePolicy without a {} keeps the one that the policy has."""
    tree = _tree(catalog)
    id = ("a", catalog.target.new_name())
    tree.create(id, description="first")
    tree.update(id, **case)
    policy = tree.load(id)
    expected = {"content": ON, "description": "first", **case}
    equal({name: policy[name] for name in expected}, expected, "the policy")


@must(
    "polaris.policy.pages.of_type", operations=["listPolicies"], clause="policy-pages", kind="pagination", since=SINCE
)
def test_pages_of_policies_of_a_type(catalog: PolarisCatalog) -> None:
    """The pages of listPolicies with policyType have every policy of the type once, whatever lies between these."""
    home = catalog.tables.home
    names: dict[str, list[str]] = {COMPACTION: [], EXPIRY: []}
    for number in range(MANY):
        policy_type = EXPIRY if number % 2 else COMPACTION
        id = (*home, f"{catalog.target.new_name()}-{number}")
        with catalog.client.preparing():
            create(catalog, id, policy_type)
        names[policy_type].append(id[-1])
    for policy_type, expected in names.items():
        found: list[str] = []
        token: Any = ""
        for _ in range(2 * MANY):  # a page may be empty, and the last one may say that there are more
            page = catalog.list_policies(home, policyType=policy_type, pageToken=token, pageSize=1)
            found += catalog.own_names(page["identifiers"])
            token = page.get("next-page-token")
            if not token:
                break
        same_items(found, expected, f"the policies of the type {policy_type} on all pages")


MANY = 6
