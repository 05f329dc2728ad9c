"""ListTableTags, GetTableTagVersion, CreateTableTag, UpdateTableTag, DeleteTableTag."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from conformance.author.checks import above, equal, one_of
from conformance.author.requirement import given, must, should
from conformance.author.strategies import tables
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.lance.support.checks import table_is_missing
from conformance.lance.support.ordinary import accepts
from conformance.lance.support.versions import any_tagged, check_tag, new_tagged

LIST, GET = ["ListTableTags"], ["GetTableTagVersion"]
CREATE, UPDATE, DELETE = ["CreateTableTag"], ["UpdateTableTag"], ["DeleteTableTag"]


def check_tags(catalog: LanceCatalog, id: Names, expected: dict[str, int]) -> None:
    """Check the listed tags and their versions."""
    tags = catalog.list_table_tags(id)["tags"]
    equal({name: tag["version"] for name, tag in tags.items()}, expected, "the versions of the listed tags")


# CreateTableTag


@must("lance.tag.create.stays", operations=CREATE, clause="tag-stays")
@given(changes=st.integers(1, 3))
def test_tag_stays_where_it_is(catalog: LanceCatalog, changes: int) -> None:
    """A tag keeps its version, and that version its rows, while the table changes."""
    id, first, _ = new_tagged(catalog)
    for _ in range(changes):
        catalog.insert_into_table(id, stream(tables(1)))
    check_tag(catalog, id, "old", first)
    equal(catalog.count_table_rows(id, version=first).json, 3, "the count of rows")


ON_VERSION = {"create": "CreateTableTag", "update": "UpdateTableTag"}
NO_VERSIONS = {
    f"{name}.{size}": (operation, number)
    for name, operation in ON_VERSION.items()
    for size, number in (("negative", -1), ("zero", 0), ("largest", 2**63 - 1))
}


@must("lance.tag.{}", operations=lambda case: [case[0]], clause="version-numbers", kind="hostile", each=NO_VERSIONS)
def test_tags_of_no_version(catalog: LanceCatalog, case: tuple[str, int]) -> None:
    """A tag request with a version number that the table lacks ({}) returns 400 or 404 and changes no tag."""
    operation, number = case
    id, first, _ = new_tagged(catalog)
    name = "new" if operation == "CreateTableTag" else "old"
    refused = catalog.send(operation, id, {"tag": name, "version": number}, expect=(400, 404))
    one_of(refused.code, (11, 13), "the code of the error")
    check_tags(catalog, id, {"old": first})


# DeleteTableTag


# ListTableTags


@should("lance.tag.list.size", operations=LIST, clause="list-tags-size")
def test_list_has_sizes(catalog: LanceCatalog) -> None:
    """ListTableTags returns a positive manifestSize for a tag."""
    id, _, _ = new_tagged(catalog)
    above(catalog.list_table_tags(id)["tags"]["old"]["manifestSize"], 0, "the manifestSize of the tag")


# All operations

BODIES: dict[str, dict[str, Any]] = {
    "get": {"tag": "missing"},
    "update": {"tag": "missing", "version": 1},
    "delete": {"tag": "missing"},
    "create": {"tag": "new", "version": 1},
}
METHODS = {
    "get": "GetTableTagVersion",
    "update": "UpdateTableTag",
    "delete": "DeleteTableTag",
    "create": "CreateTableTag",
    "list": "ListTableTags",
}
ON_TAG = {name: METHODS[name] for name in ("get", "update", "delete")}


@must(
    "lance.tag.{}.tag_missing",
    operations=lambda case: [case],
    clause="tag-not-found",
    kind="error",
    each=ON_TAG,
    reads=True,
)
def test_missing_tag(catalog: LanceCatalog, case: str) -> None:
    """A request for a missing tag ({}) returns 404 with code 8."""
    id = any_tagged(catalog)
    body = {"tag": catalog.target.missing_name} | ({"version": 1} if case == "UpdateTableTag" else {})
    equal(catalog.send(case, id, body, expect=404).code, 8, "the code of the error")


@must(
    "lance.tag.{}.missing",
    operations=lambda case: [case],
    clause="table-not-found",
    kind="error",
    each=METHODS,
    reads=True,
)
def test_tags_of_missing_table(catalog: LanceCatalog, case: str) -> None:
    """A request for tags ({}) on a missing table returns 404 with code 4, or the one for its tag or version."""
    name = next(name for name, operation in METHODS.items() if operation == case)
    table_is_missing(catalog.send(case, catalog.table_id("missing"), BODIES.get(name), expect=404), case)


WRONG: dict[str, tuple[str, dict[str, Any]]] = {
    "create_without_tag": ("CreateTableTag", {"version": 1}),
    "create_without_version": ("CreateTableTag", {"tag": "x"}),
    "update_without_version": ("UpdateTableTag", {"tag": "old"}),
    "update_version_text": ("UpdateTableTag", {"tag": "old", "version": "1"}),
    "get_without_tag": ("GetTableTagVersion", {}),
    "delete_without_tag": ("DeleteTableTag", {}),
}


@must("lance.tag.body.{}", operations=lambda case: [case[0]], clause="request-schemas", kind="error", each=WRONG)
def test_wrong_bodies(catalog: LanceCatalog, case: tuple[str, dict[str, Any]]) -> None:
    """A tag request that violates its schema ({}) returns 400 with code 13."""
    accepts(catalog, case[0])
    id, first, _ = new_tagged(catalog)
    equal(catalog.send(case[0], id, case[1], expect=400).code, 13, "the code of the error")
    check_tag(catalog, id, "old", first)


ON_TABLE: dict[str, tuple[str, dict[str, Any] | None]] = {
    "create": ("CreateTableTag", {"tag": "x", "version": 1}),
    "get": ("GetTableTagVersion", {"tag": "x"}),
    "list": ("ListTableTags", None),
}


@should(
    "lance.tag.{}.declared", operations=lambda case: [case[0]], clause="tags-of-declared", kind="error", each=ON_TABLE
)
def test_tags_of_declared_table(catalog: LanceCatalog, case: tuple[str, Any]) -> None:
    """A request for tags ({}) on a declared-only table returns 400, 404 or no tags."""
    id = catalog.new_declared_table()
    answer = catalog.send(case[0], id, case[1], expect=(200, 400, 404))
    if answer.succeeded:
        equal(answer.get("tags"), {}, "the listed tags")
