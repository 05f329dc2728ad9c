"""Names of tags: plain, unusual and invalid."""

from __future__ import annotations

from conformance.author.checks import contains, one_of, same_items
from conformance.author.requirement import must, should
from conformance.common.names import TOO_LONG
from conformance.lance.catalog import LanceCatalog
from conformance.lance.support.versions import any_tagged, check_tag, new_tagged
from conformance.target import hostile

CREATE, GET = ["CreateTableTag"], ["GetTableTagVersion"]
GOOD_NAMES = {
    "dash": "v1-rc",
    "dot": "v1.2",
    "digits": "2026",
    "upper": "Release",
    "underscore": "my_tag",
    "long": "t" * 100,
}


@should("lance.tag.create.name.{}", operations=CREATE, clause="tag-names", kind="hostile", each=GOOD_NAMES)
def test_names_of_tags(catalog: LanceCatalog, case: str) -> None:
    """CreateTableTag accepts an ordinary name ({}); ListTableTags and GetTableTagVersion find the tag by it."""
    id, first, _ = new_tagged(catalog)
    catalog.create_table_tag(id, tag=case, version=first)
    contains(catalog.list_table_tags(id)["tags"], [case], "the listed tags")
    check_tag(catalog, id, case, first)


BAD_NAMES = {
    **{"empty": "", "dot": ".", "dot_dot": "..", "slash": "a/b", "climbing": "../../{prefix}_x", "backslash": "a\\b"},
    **{"leading_dot": ".hidden", "space": "two words", "nul": "a\x00b", "lock": "x.lock"},
}


@should("lance.tag.create.no_name.{}", operations=CREATE, clause="tag-names-bad", kind="hostile", each=BAD_NAMES)
def test_names_that_no_tag_has(catalog: LanceCatalog, case: str) -> None:
    """CreateTableTag with a name that files or references cannot have ({}) returns 400 and keeps the other tags."""
    id, first, _ = new_tagged(catalog)
    catalog.create_table_tag(id, tag=hostile.own(case, catalog.target.prefix), version=first, expect=400)
    same_items(catalog.list_table_tags(id)["tags"], ["old"], "the listed tags")


ODD_NAMES = {
    "umlaut": "größe",
    "cjk": "標籤",
    "emoji": "🏷",
    "accent": "e\u0301",
    "at": "a@{1}",
}


@must("lance.tag.create.odd_name.{}", operations=CREATE, clause="tag-names-odd", kind="hostile", each=ODD_NAMES)
def test_odd_names_of_tags(catalog: LanceCatalog, case: str) -> None:
    """CreateTableTag with an unusual name ({}) creates the tag or returns 400; other tags stay readable."""
    _leaves_others(catalog, case, (400,))


LONG = {"very_long": "t" * 5000}


@should("lance.tag.create.odd_name.{}", operations=CREATE, clause="long-texts", kind="hostile", each=LONG)
def test_long_name_of_a_tag(catalog: LanceCatalog, case: str) -> None:
    """CreateTableTag with 5,000 letters ({}) creates the tag or returns 4xx; other tags stay readable."""
    _leaves_others(catalog, case, TOO_LONG)


def _leaves_others(catalog: LanceCatalog, case: str, refusals: tuple[int, ...]) -> None:
    id, first, _ = new_tagged(catalog)
    created = catalog.create_table_tag(id, tag=case, version=first, expect=(200, *refusals))
    expected = {"old", case} if created.succeeded else {"old"}
    same_items(catalog.list_table_tags(id)["tags"], expected, "the listed tags")
    check_tag(catalog, id, "old", first)


NO_TAGS = {name: BAD_NAMES[name] for name in ("empty", "dot_dot", "slash", "climbing", "nul")}


@must("lance.tag.get.no_name.{}", operations=GET, clause="tag-not-found", kind="hostile", each=NO_TAGS, reads=True)
def test_look_up_names_that_no_tag_has(catalog: LanceCatalog, case: str) -> None:
    """GetTableTagVersion with an invalid name ({}) returns 400 or 404 with code 8 or 13."""
    id = any_tagged(catalog)
    tag = hostile.own(case, catalog.target.prefix)
    one_of(catalog.get_table_tag_version(id, tag=tag, expect=(400, 404)).code, (8, 13), "the code of the error")


@should("lance.tag.case", operations=[*CREATE, *GET], clause="tag-names")
def test_tags_differ_by_case(catalog: LanceCatalog) -> None:
    """CreateTableTag keeps tags whose names differ only by case apart."""
    id, first, latest = new_tagged(catalog)
    catalog.create_table_tag(id, tag="OLD", version=latest)
    check_tag(catalog, id, "OLD", latest)
    check_tag(catalog, id, "old", first)
