"""Profiles of several documents, and of those of another API."""

from __future__ import annotations

import pytest

import specs
from specs.clauses import Clause
from specs.composition import Mounted, compose
from specs.openapi import Document
from specs.problems import Problem
from specs.profiles import Profile, every_operation, find_profile, newest_operations

FILES = {
    "api.toml": """
title = "Twin"
revisions = ["9", "10"]
[dialects]
odd = "9"

[[document]]
mount = "/api/people"
file = "people.yaml"

[[document]]
mount = "/api/catalog"
follows = "iceberg/1.6"
file = "catalog.yaml"
revisions = ["9", "odd"]

[[document]]
mount = "/api/catalog"
follows = "iceberg/1.11"
revisions = ["10"]
""",
    "catalog.yaml": "x-lakeproof-pruned: true\npaths: {/v1/config: null, /v1/more: {get: {operationId: more}}}\n",
    "people.yaml": """
openapi: 3.1.0
info: {title: People, version: '1'}
paths: {/v1/me: {get: {operationId: getMe}}}
""",
}


@pytest.fixture
def twin(tmp_path, monkeypatch):
    folder = tmp_path / "specs" / "twin"
    folder.mkdir(parents=True)
    for name, text in FILES.items():
        (folder / name).write_text(text)
    monkeypatch.setattr(specs, "__path__", [*specs.__path__, str(tmp_path / "specs")])
    return folder


def document(operation_id: str, schema: str, path: str = "/v1/x") -> Document:
    get = {
        "operationId": operation_id,
        "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}}},
    }
    components = {"schemas": {"Thing": {"type": schema}, "Same": {"type": "object"}}}
    return Document({"openapi": "3.1.0", "paths": {path: {"get": get}}, "components": components}, operation_id)


def test_a_single_document_stays_what_it_is():
    only = document("a", "string")
    assert compose("both", [Mounted(only)]) is only


def test_paths_are_below_their_mounts_and_other_components_get_another_name():
    both = compose("both", [Mounted(document("a", "string"), "/a"), Mounted(document("b", "integer"), "/to/b")])
    assert {operation.path: operation.id for operation in both.operations.values()} == {
        "/a/v1/x": "a",
        "/to/b/v1/x": "b",
    }
    assert set(both.raw["components"]["schemas"]) == {"Thing", "b.Thing", "Same"}
    shown = {
        name: operation.responses["200"].content["application/json"]["$ref"]
        for name, operation in both.operations.items()
    }
    assert shown == {"a": "#/components/schemas/Thing", "b": "#/components/schemas/b.Thing"}
    assert both.raw["components"]["schemas"]["b.Thing"] == {"type": "integer"}


def test_an_operation_is_in_one_document_unless_it_is_renamed():
    with pytest.raises(Problem, match="also has the operation a"):
        compose("both", [Mounted(document("a", "string"), "/a"), Mounted(document("a", "string"), "/b")])
    renamed = Mounted(document("a", "string"), "/b", {"a": "otherA"})
    assert list(compose("both", [Mounted(document("a", "string"), "/a"), renamed]).operations) == ["a", "otherA"]


def test_two_documents_cannot_have_one_path():
    with pytest.raises(Problem, match="also has the path /v1/x"):
        compose("both", [Mounted(document("a", "string")), Mounted(document("b", "string"))])


def test_a_document_of_another_api_brings_its_suite(twin):
    newest = find_profile("twin")
    assert newest.name == "twin/10"
    assert newest.suites == ("twin", "iceberg")
    assert [profile.name for profile in newest.tested_by()] == ["twin/10", "iceberg/1.11"]
    there, followed = newest.document().operations, find_profile("iceberg/1.11").document().operations
    assert there.keys() == {"getMe", *followed}
    assert there["loadTable"].path == "/api/catalog" + followed["loadTable"].path
    assert there["loadTable"].own_path == followed["loadTable"].own_path == followed["loadTable"].path
    assert (newest.suite_of("loadTable"), newest.suite_of("getMe")) == ("iceberg", "twin")
    assert newest.document().raw["components"]["schemas"].keys() >= {"TableMetadata"}


@pytest.mark.usefixtures("twin")
def test_rules_hold_until_a_later_revision_has_others():
    assert find_profile("twin/9").in_force({"9": "old", "10": "new"}) == "old"
    assert find_profile("twin/odd").in_force({"9": "old", "10": "new"}) == "old"
    assert find_profile("twin/10").in_force({"9": "old", "10": "new"}) == "new"
    assert find_profile("twin/10").in_force({"9": "old"}) == "old"
    with pytest.raises(Problem, match="twin/9"):
        find_profile("twin/9").in_force({"10": "new"})


@pytest.mark.usefixtures("twin")
def test_operations_are_as_the_newest_revision_has_them():
    newest = newest_operations("twin")
    assert next(iter(newest)) == "getMe"
    assert newest["getMe"][0].revision == "10"
    assert newest["more"][0].revision == "9"
    assert [operation.id for operation in every_operation("twin")] == list(newest)


def test_it_may_say_something_else_than_that_api(twin):
    older = find_profile("twin/9")
    followed = find_profile("iceberg/1.6").document().operations
    assert older.document().operations.keys() == {"getMe", "more", *followed} - {"getConfig"}
    assert "CatalogConfig" not in older.document().raw["components"]["schemas"]
    assert "CatalogConfig" in find_profile("iceberg/1.6").document().raw["components"]["schemas"]


def test_what_holds_since_a_revision_is_read_off_the_stated_order(twin):
    clause = Clause("a", "MUST", ("getMe",), "here", "So it is.", "", since="10")
    holding = {name: clause.holds_in(Profile("twin", name)) for name in ("9", "odd", "10")}
    assert holding == {"9": False, "odd": False, "10": True}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('revisions = ["1"]', "lacks `title` or `revisions`"),
        ('title = "T"\nrevisions = ["1"]\ncolour = 1', "unknown fields: colour"),
        ('title = "T"\nrevisions = ["1"]\ndialects = {odd = "2"}', "dialect odd"),
        ('title = "T"\nrevisions = ["1"]\n[[document]]\nwhere = "x"', "an entry with unknown fields"),
    ],
)
def test_a_malformed_api_says_what_is_wrong(twin, monkeypatch, text, words):
    (twin / "api.toml").write_text(text)
    monkeypatch.setattr(specs, "__path__", [*specs.__path__, "another"])  # what was read is read again
    with pytest.raises(Problem, match=words):
        find_profile("twin")
