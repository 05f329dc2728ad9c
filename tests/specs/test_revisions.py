"""Revisions that are files of differences."""

from __future__ import annotations

import pytest
import yaml

import specs
from specs.problems import Problem
from specs.profiles import find_profile
from specs.revisions import BASIS, lineage, merge_patch, read_revision

# target, patch, result: the test cases of RFC 7396, appendix A
MERGES = [
    ({"a": "b"}, {"a": "c"}, {"a": "c"}),
    ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
    ({"a": "b"}, {"a": None}, {}),
    ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
    ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
    ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
    ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
    ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
    (["a", "b"], ["c", "d"], ["c", "d"]),
    ({"a": "b"}, ["c"], ["c"]),
    ({"a": "foo"}, None, None),
    ({"a": "foo"}, "bar", "bar"),
    ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
    ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
    ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
]


@pytest.mark.parametrize(("target", "patch", "result"), MERGES)
def test_merge_patches_follow_the_standard(target, patch, result):
    assert merge_patch(target, patch) == result


def test_the_target_is_left_alone():
    target = {"a": {"b": 1}}
    merge_patch(target, {"a": {"b": 2}})
    assert target == {"a": {"b": 1}}


def write(folder, name, value):
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(value))
    return path


def test_a_basis_may_have_a_basis(tmp_path):
    write(tmp_path, "3", {"a": 1, "b": 1, "responses": {200: "ok"}})
    write(tmp_path, "2", {BASIS: "3", "a": None})
    oldest = write(tmp_path, "1", {BASIS: "2", "c": {"d": 1}, "responses": {200: "fine"}})
    assert read_revision(oldest) == {"b": 1, "c": {"d": 1}, "responses": {"200": "fine"}}


def test_a_document_without_basis_is_read_as_it_is(tmp_path):
    assert read_revision(write(tmp_path, "1", {"a": None})) == {"a": None}
    assert read_revision(write(tmp_path, "2", [1])) == [1]


def test_a_basis_that_is_not_there_is_a_problem(tmp_path):
    with pytest.raises(Problem, match="cannot be read"):
        read_revision(write(tmp_path, "1", {BASIS: "2"}))


def test_revisions_that_are_each_others_basis_are_a_problem(tmp_path):
    write(tmp_path, "2", {BASIS: "1"})
    with pytest.raises(Problem, match="basis of itself"):
        read_revision(write(tmp_path, "1", {BASIS: "2"}))


def test_a_revision_written_as_differences_has_the_overlay_of_its_basis(tmp_path, monkeypatch):
    """Also where the overlay names the document that it extends."""
    api = tmp_path / "revised"
    (api / "overlays").mkdir(parents=True)
    (api / "api.toml").write_text('title = "Toy"\nrevisions = ["1", "2"]\n')
    operation = {"operationId": "A", "responses": {"200": {"description": "d"}}}
    write(api, "1", {"openapi": "3.1.0", "info": {"title": "t"}, "paths": {"/a": {"get": operation}}})
    write(api, "2", {BASIS: "1", "info": {"version": "2"}})
    action = {"target": "$.info", "description": "It has none.", "update": {"contact": {"name": "me"}}}
    write(api / "overlays", "1", {"overlay": "1.0.0", "extends": "../1.yaml", "actions": [action]})
    monkeypatch.setattr(specs, "__path__", [str(tmp_path)])
    for revision in ("1", "2"):
        assert find_profile(f"revised/{revision}").document().raw["info"]["contact"] == {"name": "me"}


def test_the_files_of_a_revision_are_its_own_and_those_of_its_basis(tmp_path):
    files = [write(tmp_path, "1", {BASIS: "2"}), write(tmp_path, "2", {BASIS: "3"}), write(tmp_path, "3", {"a": 1})]
    assert lineage(files[0]) == files
    assert lineage(files[2]) == files[2:]
    assert lineage(write(tmp_path, "4", {BASIS: "4"})) == [tmp_path / "4.yaml"]
