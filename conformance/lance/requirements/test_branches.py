"""ListTableBranches, CreateTableBranch, DeleteTableBranch, and the branch of every other operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from conformance.author.checks import contains, equal, lacks, one_of, same_items, status_is, unequal
from conformance.author.requirement import must, should
from conformance.author.strategies import tables
from conformance.common.ordinary import accepted, refuses_each
from conformance.http.answers import Answer
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.operations import BRANCHED, reads
from conformance.lance.support.arrow import stream
from conformance.lance.support.branching import (
    MORE,
    NO_BRANCH,
    ROWS,
    branch_version,
    new_branched,
    on_branch,
    picture,
)
from conformance.lance.support.checks import NAMED_PARTS
from conformance.lance.support.clocks import check_recent
from conformance.lance.support.columns import fields
from conformance.lance.support.indexing import index_names, wait_for_index
from conformance.lance.support.ordinary import ordinary
from conformance.lance.worlds import OFF_BRANCHES
from conformance.values.outcomes import Unoffered
from specs.openapi import Operation

CREATE, LIST, DELETE = ["CreateTableBranch"], ["ListTableBranches"], ["DeleteTableBranch"]
COUNT = "the count of rows"


def branches(catalog: LanceCatalog, id: Names) -> Any:
    """Return the listed branches of a table."""
    return catalog.list_table_branches(id)["branches"]


# CreateTableBranch


@must("lance.branch.create.from_branch", operations=CREATE, clause="create-branch-source")
def test_branch_of_a_branch(catalog: LanceCatalog) -> None:
    """CreateTableBranch with from_branch makes a branch with the rows of that branch, or of a version of it."""
    id = new_branched(catalog)
    version = branch_version(catalog, id, "dev")
    catalog.insert_into_table(id, stream(tables(1, first=9)), _query={"branch": "dev"})
    catalog.create_table_branch(id, name="latest", from_branch="dev")
    catalog.create_table_branch(id, name="older", from_branch="dev", from_version=version)
    equal(catalog.count_table_rows(id, branch="latest").json, ROWS + MORE + 1, COUNT)
    equal(catalog.count_table_rows(id, branch="older").json, ROWS + MORE, COUNT)


@must("lance.branch.create.branch_missing", operations=CREATE, clause="branch-not-found", kind="error")
def test_branch_of_nothing(catalog: LanceCatalog) -> None:
    """CreateTableBranch from a missing branch returns 404 with its code and makes no branch."""
    id = catalog.new_table()
    refused = catalog.create_table_branch(id, name="dev", from_branch="missing", expect=404)
    one_of(refused.code, NO_BRANCH, "the code of the error")
    lacks(branches(catalog, id), ["dev"], "the listed branches")


# ListTableBranches


@must("lance.branch.list.parent", operations=LIST, clause="branch-parent")
def test_listed_branch_names_its_parent(catalog: LanceCatalog) -> None:
    """A listed branch has the version that it started from, and the branch unless that is the main one."""
    id = new_branched(catalog)
    first, later = catalog.version(id), branch_version(catalog, id, "dev")
    catalog.create_table_branch(id, name="inner", from_branch="dev")
    listed = branches(catalog, id)
    equal(listed["dev"].get("parentBranch"), None, "the parentBranch of a branch of the main one")
    equal(listed["dev"]["parentVersion"], first, "the parentVersion of a branch of the main one")
    equal(listed["inner"].get("parentBranch"), "dev", "the parentBranch of a branch of dev")
    equal(listed["inner"]["parentVersion"], later, "the parentVersion of a branch of dev")


@must("lance.branch.list.time", operations=LIST, clause="branch-time")
def test_listed_branch_has_its_time(catalog: LanceCatalog) -> None:
    """The createAt of a new branch is near the present, in seconds since 1970."""
    id = new_branched(catalog)
    check_recent(branches(catalog, id)["dev"]["createAt"], "createAt")


# DeleteTableBranch


@should("lance.branch.delete.in_use", operations=DELETE, clause="delete-branch-in-use")
def test_delete_branch_that_others_need(catalog: LanceCatalog) -> None:
    """DeleteTableBranch of the source of another branch returns 400 or 409 or deletes it; the other keeps its rows."""
    id = new_branched(catalog)
    catalog.create_table_branch(id, name="inner", from_branch="dev")
    catalog.delete_table_branch(id, name="dev", expect=(200, 400, 409))
    equal(catalog.count_table_rows(id, branch="inner").json, ROWS + MORE, COUNT)


# The branch of other operations


@must("lance.branch.unknown.{}", clause="branch-not-found", kind="error", each=BRANCHED)
def test_unknown_branch(catalog: LanceCatalog, case: Operation) -> None:
    """{} on a missing branch returns 404 with code 22, 4 or that of the part it names, and changes nothing."""
    good, codes = ordinary(catalog, case.id), {*NO_BRANCH, *NAMED_PARTS.get(case.id, ())}
    catalog.create_table_branch(tuple(good.id or ()), name="dev")
    unknown = on_branch(case, good, "missing")

    def is_refused(_defect: str, answer: Answer) -> bool:
        return answer.status == 404 and answer.code in codes

    told = f"404 and one of the codes {sorted(codes)}"
    refuses_each(catalog, case.id, [("a branch that is missing", unknown)], good, is_refused, told)


@must("lance.branch.main.{}", clause="branch-selected", each=BRANCHED)
def test_main_branch_beside_another(catalog: LanceCatalog, case: Operation) -> None:
    """{} without a branch is accepted on a table that has a branch, and leaves the branch as it is."""
    good = ordinary(catalog, case.id)
    table = tuple(good.id or ())
    catalog.create_table_branch(table, name="dev")
    before = picture(catalog, table, branch="dev")
    accepted(catalog, case.id, good)
    equal(picture(catalog, table, branch="dev"), before, "version, columns and rows of the branch")


# Without what needs files or versions of the branch itself, whose numbers follow from the server.
WRITES = {
    name: operation
    for name, operation in BRANCHED.items()
    if not reads(operation) and operation.id not in ("CreateTableVersion", "BatchDeleteTableVersions")
}
CHANGES = (
    *("InsertIntoTable", "UpdateTable", "DeleteFromTable"),
    *("AlterTableAddColumns", "AlterTableAlterColumns", "AlterTableDropColumns", "AlterTableBackfillColumns"),
)


@must("lance.branch.write.{}", clause="branch-selected", each=WRITES, world=OFF_BRANCHES)
def test_write_on_a_branch(catalog: LanceCatalog, case: Operation) -> None:
    """{} on a branch changes the branch and leaves the main branch as it is."""
    good = ordinary(catalog, case.id)
    table = tuple(good.id or ())
    catalog.create_table_branch(table, name="dev")
    main, branch = picture(catalog, table), picture(catalog, table, branch="dev")
    request = on_branch(case, good, "dev")
    if isinstance(good.body, dict) and "version" in good.body:
        request = request.with_body(version=branch[0])
    accepted(catalog, case.id, request)
    equal(picture(catalog, table), main, "version, columns and rows of the main branch")
    if case.id in CHANGES:
        unequal(picture(catalog, table, branch="dev")[1:], branch[1:], "columns and rows of the branch")


Read = tuple[list[str], Callable[..., Any], Any, Any]
READS: dict[str, Read] = {
    "count": (["CountTableRows"], lambda catalog, id, **on: catalog.count_table_rows(id, **on).json, ROWS, ROWS + MORE),
    "query": (["QueryTable"], lambda catalog, id, **on: len(catalog.rows(id, **on)), ROWS, ROWS + MORE),
    "stats": (["GetTableStats"], lambda catalog, id, **on: catalog.get_table_stats(id, **on)["num_rows"], ROWS, 5),
    "describe": (["DescribeTable"], lambda catalog, id, **on: len(fields(catalog, id, **on)), 2, 3),
}


@must("lance.branch.read.{}", operations=lambda case: case[0], clause="branch-selected", each=READS, world=OFF_BRANCHES)
def test_read_of_a_branch(catalog: LanceCatalog, case: Read) -> None:
    """A read ({}) with a branch returns what the branch has, and without one what the main branch has."""
    _, read, main, dev = case
    id = new_branched(catalog)
    catalog.alter_table_add_columns(id, branch="dev", new_columns=[{"name": "more", "expression": "id + 1"}])
    equal(read(catalog, id, branch="dev"), dev, "what the branch shows")
    equal(read(catalog, id), main, "what the main branch shows")


@must("lance.branch.read.indices", operations=["ListTableIndices"], clause="branch-selected")
def test_indices_of_a_branch(catalog: LanceCatalog) -> None:
    """ListTableIndices with a branch lists the indices of the branch, and without one those of the main branch."""
    id = new_branched(catalog)
    main = index_names(catalog, id)
    catalog.create_table_scalar_index(id, branch="dev", column="id", index_type="BTREE", name="idx")
    wait_for_index(catalog, id, "idx", branch="dev")
    same_items(index_names(catalog, id), main, "the indices of the main branch")


@must(
    "lance.branch.read.versions",
    operations=["ListTableVersions", "DescribeTableVersion"],
    clause="branch-selected",
)
def test_versions_of_a_branch(catalog: LanceCatalog) -> None:
    """ListTableVersions and DescribeTableVersion with a branch know the version that a write on the branch made."""
    id = new_branched(catalog)
    latest = branch_version(catalog, id, "dev")
    listed = catalog.list_table_versions(id, branch="dev")["versions"]
    contains([version["version"] for version in listed], [latest], "the listed versions of the branch")
    described = catalog.describe_table_version(id, branch="dev", version=latest)["version"]
    equal(described["version"], latest, "the described version")
    main = catalog.list_table_versions(id)["versions"]
    equal(max(version["version"] for version in main), catalog.version(id), "the latest listed version of main")


@must(
    "lance.branch.merge", operations=["MergeInsertIntoTable"], clause="branch-selected", kind="data", world=OFF_BRANCHES
)
def test_merge_on_a_branch(catalog: LanceCatalog) -> None:
    """MergeInsertIntoTable on a branch matches the rows of the branch, not those of the main one."""
    id = new_branched(catalog)
    source = stream(tables(MORE + 1, first=ROWS))
    query = {"branch": "dev"}
    answer = catalog.merge_insert_into_table(id, source, on="id", when_not_matched_insert_all=True, _query=query)
    equal(answer.get("num_inserted_rows"), 1, "num_inserted_rows")
    equal(catalog.count_table_rows(id, branch="dev").json, ROWS + MORE + 1, COUNT)


@must("lance.branch.vector", operations=["QueryTable"], clause="branch-selected", kind="data")
def test_vector_search_on_a_branch(catalog: LanceCatalog) -> None:
    """A vector search on a branch finds a row that only the branch has."""
    far, near = [[9.0, 9.0]], [[1.0, 1.0]]
    kind = pa.list_(pa.float32(), 2)
    id = catalog.new_table_of(pa.table({"id": [1], "place": pa.array(far, kind)}))
    catalog.create_table_branch(id, name="dev")
    added = pa.table({"id": pa.array([2]), "place": pa.array(near, kind)})
    catalog.insert_into_table(id, stream(added), _query={"branch": "dev"})
    search = {"vector": {"single_vector": [1.0, 1.0]}, "vector_column": "place", "k": 1}
    equal([row["id"] for row in catalog.rows(id, branch="dev", **search)], [2], "the nearest row of the branch")
    equal([row["id"] for row in catalog.rows(id, **search)], [1], "the nearest row of the main branch")


# Tags


@must(
    "lance.branch.tag",
    operations=["CreateTableTag", "GetTableTagVersion", "ListTableTags"],
    clause="tag-branch",
    world=OFF_BRANCHES,
)
def test_tag_on_a_branch(catalog: LanceCatalog) -> None:
    """A tag of a version on a branch has the version and the branch; a tag of the main branch has no branch."""
    id = new_branched(catalog)
    version = branch_version(catalog, id, "dev")
    catalog.create_table_tag(id, tag="ours", version=version, branch="dev")
    catalog.create_table_tag(id, tag="plain", version=catalog.version(id))
    tag = catalog.get_table_tag_version(id, tag="ours")
    equal((tag["version"], tag.get("branch")), (version, "dev"), "version and branch of the tag")
    equal(catalog.get_table_tag_version(id, tag="plain").get("branch"), None, "the branch of a tag of the main branch")
    equal(catalog.list_table_tags(id)["tags"]["ours"].get("branch"), "dev", "the branch of the listed tag")


@must("lance.branch.tag.moved", operations=["UpdateTableTag"], clause="tag-branch", world=OFF_BRANCHES)
def test_tag_moved_to_a_branch(catalog: LanceCatalog) -> None:
    """UpdateTableTag moves a tag to a version on a branch, and back to the main branch."""
    id = new_branched(catalog)
    first, version = catalog.version(id), branch_version(catalog, id, "dev")
    catalog.create_table_tag(id, tag="moving", version=first)
    for at, branch in ((version, "dev"), (first, None)):
        place: dict[str, Any] = {"branch": branch} if branch else {}
        catalog.update_table_tag(id, tag="moving", version=at, **place)
        tag = catalog.get_table_tag_version(id, tag="moving")
        equal((tag["version"], tag.get("branch")), (at, branch), "version and branch of the tag")


@must("lance.branch.describe_tag", operations=["DescribeTable"], clause="describe-tag")
def test_describe_at_a_tag(catalog: LanceCatalog) -> None:
    """DescribeTable with a tag describes the version of the tag, also of a tag on a branch."""
    id = catalog.new_table(rows=1)
    first = catalog.version(id)
    catalog.create_table_tag(id, tag="first", version=first)
    catalog.insert_into_table(id, stream(tables(1)))
    catalog.create_table_branch(id, name="dev")
    catalog.insert_into_table(id, stream(tables(1)), _query={"branch": "dev"})
    latest = branch_version(catalog, id, "dev")
    catalog.create_table_tag(id, tag="ours", version=latest, branch="dev")
    for tag, version in (("first", first), ("ours", latest)):
        described = catalog.describe_table(id, tag=tag, _query={"load_detailed_metadata": True})
        equal(described["version"], version, f"the version of the table at the tag {tag}")


@must("lance.branch.describe_tag.missing", operations=["DescribeTable"], clause="describe-tag-missing", kind="error")
def test_describe_at_a_missing_tag(catalog: LanceCatalog) -> None:
    """DescribeTable with a missing tag returns 404 with code 8."""
    refused = catalog.describe_table(catalog.new_table(), tag="missing", expect=None)
    if catalog.client.refuses(catalog.client.steps[-1]):
        raise Unoffered("the server describes no table at a tag")
    status_is(refused.status, 404)
    equal(refused.code, 8, "the code of the error")


@must("lance.branch.describe_tag.alone", operations=["DescribeTable"], clause="describe-tag-alone", kind="error")
def test_describe_at_a_tag_and_elsewhere(catalog: LanceCatalog) -> None:
    """DescribeTable with a tag and a version or a branch returns 400 with code 13."""
    id = new_branched(catalog)
    version = catalog.version(id)
    catalog.create_table_tag(id, tag="old", version=version)
    catalog.control(lambda: catalog.describe_table(id, tag="old"))
    for other in ({"version": version}, {"branch": "dev"}):
        refused = catalog.describe_table(id, tag="old", **other, expect=400)
        equal(refused.code, 13, "the code of the error")
