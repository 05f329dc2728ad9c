"""Revisions that are files of differences."""

from __future__ import annotations

import pytest
import yaml

from specs.problems import Problem
from specs.revisions import BASIS, merge_patch, read_revision

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
