"""The documents that the kit ships, and how documents are read."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import yaml

from specs.diff import diff_documents
from specs.lint import lint_document
from specs.openapi import Document, snake_case
from specs.problems import Problem
from specs.profiles import find_profile, profiles

LANCE = find_profile("lance/2026-03")


def test_lance_has_48_operations():
    assert len(LANCE.document().operations) == 48


@pytest.mark.parametrize("profile", profiles().values(), ids=lambda profile: profile.name)
def test_corrected_documents_have_no_defects(profile):
    assert lint_document(profile.document()) == []


def test_names_follow_operation_ids():
    assert snake_case("AlterTableAddColumns") == "alter_table_add_columns"
    assert snake_case("listNamespaces") == "list_namespaces"
    assert snake_case("BatchCreateTableVersions") == "batch_create_table_versions"


def test_declared_statuses_include_ranges():
    operation = LANCE.document().operation("CreateNamespace")
    assert operation.declared(200) == "200"
    assert operation.declared(502) == "5XX"
    assert operation.declared(418) is None


def test_unknown_operation_names_near_ones():
    with pytest.raises(Problem) as caught:
        LANCE.document().operation("createtable")
    assert "CreateTable" in caught.value.hint


def test_unknown_profile_names_known_ones():
    with pytest.raises(Problem) as caught:
        find_profile("lance/2026-30")
    assert "lance/2026-03" in caught.value.hint


def write(path, value):
    path.write_text(yaml.safe_dump(value))
    return path


@pytest.mark.parametrize(
    "value", [{"swagger": "2.0"}, [], "text", {"openapi": "3.1.0"}, {"openapi": "3.1.0", "paths": []}]
)
def test_what_is_no_openapi_document_is_a_problem(tmp_path, value):
    with pytest.raises(Problem):
        Document.load(write(tmp_path / "x.yaml", value))


def test_integer_statuses_are_read_as_strings(tmp_path):
    path = tmp_path / "x.yaml"
    operation = "{operationId: A, responses: {200: {description: d}}}"
    path.write_text(f"openapi: 3.1.0\npaths: {{/a: {{get: {operation}}}}}\n")
    assert list(Document.load(path).operation("A").responses) == ["200"]


def test_reference_to_nowhere_is_a_problem(tmp_path):
    operation = {"operationId": "A", "parameters": [{"$ref": "#/components/parameters/none"}], "responses": {}}
    with pytest.raises(Problem, match="has no target"):
        Document.load(write(tmp_path / "x.yaml", {"openapi": "3.1.0", "paths": {"/a": {"get": operation}}}))


@pytest.mark.parametrize("operation", [{"responses": 5}, {"responses": {"200": {"content": 5}}}, {"parameters": [{}]}])
def test_malformed_operation_is_a_problem(tmp_path, operation):
    with pytest.raises(Problem, match="malformed"):
        Document.load(write(tmp_path / "x.yaml", {"openapi": "3.1.0", "paths": {"/a": {"get": operation}}}))


def test_another_copy_of_the_document_gets_the_same_corrections(tmp_path):
    path = tmp_path / "copy.yaml"
    path.write_text(LANCE.file(".yaml").read_text())
    copied = LANCE.document_from(path)
    assert copied.raw == LANCE.document().raw
    assert copied.unused_actions == ()


def test_a_copy_that_is_corrected_already_is_accepted(tmp_path):
    raw = Document.load(LANCE.file(".yaml")).raw
    raw["components"]["schemas"]["AlterColumnsEntry"]["required"] = ["path"]
    copied = LANCE.document_from(write(tmp_path / "x.yaml", raw))
    (unused,) = copied.unused_actions
    assert unused.target == "$.components.schemas.AlterColumnsEntry.required[?@ == 'data_type']"


# Differences


def test_a_document_does_not_differ_from_itself_whatever_its_words():
    raw = Document.load(LANCE.file(".yaml")).raw
    other = copy.deepcopy(raw)
    other["paths"]["/v1/table"]["get"]["summary"] = "other words"
    other["components"]["schemas"]["ErrorResponse"]["description"] = "other words"
    assert diff_documents(raw, other) == []


def test_what_a_scope_means_is_prose_and_that_there_is_one_is_not():
    def document(scopes):
        return {"components": {"securitySchemes": {"o": {"flows": {"clientCredentials": {"scopes": scopes}}}}}}

    assert diff_documents(document({"a": "one"}), document({"a": "other"})) == []
    (difference,) = diff_documents(document({"a": "one"}), document({"a": "one", "b": "two"}))
    assert (difference.pointer.rpartition("/")[2], difference.kind) == ("b", "added")


@pytest.mark.parametrize(
    ("change", "pointer", "kind"),
    [
        (lambda raw: raw["paths"].pop("/v1/table"), "/paths/~1v1~1table", "removed"),
        (
            lambda raw: raw["components"]["schemas"]["ErrorResponse"]["required"].append("error"),
            "/components/schemas/ErrorResponse/required/1",
            "added",
        ),
        (
            lambda raw: raw["components"]["schemas"]["PageLimit"].update(type="string"),
            "/components/schemas/PageLimit/type",
            "changed",
        ),
        (
            lambda raw: raw["components"]["schemas"]["ErrorResponse"]["properties"].update(title={"type": "string"}),
            "/components/schemas/ErrorResponse/properties/title",
            "added",
        ),
    ],
)
def test_structural_differences_are_found(change, pointer, kind):
    raw = Document.load(LANCE.file(".yaml")).raw
    other = copy.deepcopy(raw)
    change(other)
    assert [(difference.pointer, difference.kind) for difference in diff_documents(raw, other)] == [(pointer, kind)]


# Defects

DEFECTS: dict[str, dict[str, Any]] = {
    "void-nullable": {"components": {"schemas": {"A": {"type": "string", "nullable": True}}}},
    "reference": {"components": {"schemas": {"A": {"$ref": "#/components/schemas/B"}}}},
    "discriminator": {"components": {"schemas": {"A": {"discriminator": {"propertyName": "kind"}}}}},
    "required-property": {"components": {"schemas": {"A": {"required": ["b"], "properties": {"c": {}}}}}},
    "example": {"components": {"schemas": {"A": {"type": "string", "example": 1}}}},
    "path-parameter": {"paths": {"/a/{id}": {"get": {"operationId": "A", "responses": {"200": {"description": "d"}}}}}},
    "operation-id": {"paths": {"/a": {"get": {"responses": {"200": {"description": "d"}}}}}},
    "second-opinion": {"paths": {"/a": {"get": {"operationId": "A", "responses": {"200": {}}}}}},
}


@pytest.mark.parametrize("name", DEFECTS)
def test_defects_are_found(tmp_path, name):
    raw = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {}, **DEFECTS[name]}
    checks = {defect.check for defect in lint_document(Document(raw, "test"))}
    assert name in checks
