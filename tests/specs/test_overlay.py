"""Corrections: each kind of change, and what makes an entry an error."""

from __future__ import annotations

import pytest

from specs.apis import apis
from specs.files import read_toml
from specs.overlay import Change, OverlayError, apply_overlay, parse_pointer, read_overlay
from specs.profiles import profiles

DOCUMENT = {"a": {"list": [1, 2], "name": "x"}, "schema": {"type": "string", "nullable": True}, "ref": {"$ref": "#/a"}}


def changed(at, action, argument):
    return apply_overlay(DOCUMENT, [Change(at, "because", action, argument)])


def test_set_replaces_and_adds():
    assert changed("/a/name", "set", "y")["a"]["name"] == "y"
    assert changed("/a/new", "set", 1)["a"]["new"] == 1
    assert changed("/a/list/-", "set", 3)["a"]["list"] == [1, 2, 3]
    assert changed("/a/list/1", "set", 3)["a"]["list"] == [1, 3]


def test_merge_adds_keys():
    assert changed("/a", "merge", {"more": True})["a"]["more"] is True


def test_drop_takes_members_or_the_whole():
    assert changed("/a/list", "drop", [2])["a"]["list"] == [1]
    assert changed("/a", "drop", ["name"])["a"] == {"list": [1, 2]}
    assert "name" not in changed("/a/name", "drop", [])["a"]


def test_nullable_allows_null():
    assert changed("/schema", "nullable", True)["schema"] == {"type": ["string", "null"]}
    assert changed("/ref", "nullable", True)["ref"] == {"anyOf": [{"$ref": "#/a"}, {"type": "null"}]}


def test_paths_match_many_places():
    found = changed("$..[?@.nullable == true]", "nullable", True)
    assert found["schema"]["type"] == ["string", "null"]


def test_the_document_itself_is_left_alone():
    changed("/a/name", "set", "y")
    assert DOCUMENT["a"]["name"] == "x"


@pytest.mark.parametrize(
    ("at", "action", "argument"),
    [
        ("/a/name", "set", "x"),
        ("/nowhere/x", "set", 1),
        ("/a/list/2", "set", 1),
        ("/a/list/-", "set", 2),
        ("/a/list/0", "set", 1),
        ("/a", "merge", {"name": "x"}),
        ("/a/list", "drop", [9]),
        ("/a/none", "drop", []),
        ("/a", "nullable", True),
        ("$..[?@.nothing == 1]", "nullable", True),
    ],
)
def test_an_entry_that_changes_nothing_is_an_error(at, action, argument):
    with pytest.raises(OverlayError, match="no longer applies"):
        changed(at, action, argument)


@pytest.mark.parametrize(
    "text",
    [
        'at = "/a"\nset = 1',
        'reason = "r"\nset = 1',
        'at = "/a"\nreason = " "\nset = 1',
        'at = "/a"\nreason = "r"',
        'at = "/a"\nreason = "r"\nset = 1\nmerge_file = "x.yaml"',
    ],
)
def test_an_entry_without_reason_place_or_action_is_an_error(tmp_path, text):
    path = tmp_path / "x.toml"
    path.write_text(f"[[change]]\n{text}\n")
    with pytest.raises(OverlayError):
        read_overlay(path)


def test_an_entry_is_for_all_revisions_or_for_those_it_names(tmp_path):
    path = tmp_path / "x.toml"
    entry = '[[change]]\nat = "/{}"\nreason = "r"\nset = 1\n'
    path.write_text(entry.format("all") + entry.format("one") + 'revisions = ["1.6"]\n')
    assert [change.at for change in read_overlay(path, "1.6")] == ["/all", "/one"]
    assert [change.at for change in read_overlay(path, "1.11")] == ["/all"]


def test_a_long_table_to_merge_is_a_file(tmp_path):
    (tmp_path / "more.yaml").write_text("more: {very: much}\n")
    path = tmp_path / "x.toml"
    path.write_text('[[change]]\nat = "/a"\nreason = "r"\nmerge_file = "more.yaml"\n')
    assert apply_overlay(DOCUMENT, read_overlay(path))["a"]["more"] == {"very": "much"}


def test_pointers_are_unescaped():
    assert parse_pointer("/paths/~1v1~1table/a~0b") == ("paths", "/v1/table", "a~b")


@pytest.mark.parametrize("place", ["paths", "#/paths", "/a~2b"])
def test_what_is_no_pointer_is_an_error(place):
    with pytest.raises(OverlayError, match="has no place"):
        parse_pointer(place)


@pytest.mark.parametrize("profile", profiles().values(), ids=lambda profile: profile.name)
def test_every_correction_of_ours_applies_and_has_a_reason(profile):
    assert all(len(change.reason) > 20 for change in profile.overlay())
    assert profile.document().unused_changes == ()


@pytest.mark.parametrize("api", apis())
def test_corrections_are_for_revisions_that_there_are(api):
    known = {profile.revision for profile in profiles().values() if profile.api == api}
    path = apis()[api].folder / "overlay.toml"
    for entry in read_toml(path).get("change", []) if path.exists() else []:
        assert entry.get("revisions", ["any"]), entry["at"]
        assert set(entry.get("revisions", [])) <= known, entry["at"]
