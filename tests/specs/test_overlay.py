"""Overlays: what each kind of action does, and what makes one an error."""

from __future__ import annotations

from typing import Any

import pytest

from specs.apis import apis
from specs.expansions import expand_nullable
from specs.files import read_yaml
from specs.overlay import REVISIONS, OverlayAction, OverlayError, apply_overlay, read_overlay
from specs.profiles import profiles

DOCUMENT: dict[str, Any] = {
    "title": "t",
    "a": {"list": [1, 2], "name": "x", "deep": {"b": 1}},
    "items": [{"n": 1}, {"n": 2}, {"n": 3}],
}
FILES = sorted(path for api in apis().values() for path in api.folder.glob("overlays/*.yaml"))


def changed(target, update=None):
    return apply_overlay(DOCUMENT, [OverlayAction(target, "because", update)])


def test_an_update_is_merged_into_an_object_at_every_depth():
    result = changed("$.a", {"more": True, "name": "y", "deep": {"c": 2}})["a"]
    assert result == {"list": [1, 2], "name": "y", "deep": {"b": 1, "c": 2}, "more": True}
    assert changed("$", {"title": "u"})["title"] == "u"


def test_an_update_is_appended_to_a_list():
    assert changed("$.a.list", 3)["a"]["list"] == [1, 2, 3]
    assert changed("$.items", {"n": 4})["items"][-1] == {"n": 4}


def test_a_removal_takes_every_match_away():
    assert changed("$.a.list[?@ == 2]")["a"]["list"] == [1]
    assert changed("$.items[?@.n > 1]")["items"] == [{"n": 1}]
    assert "name" not in changed("$.a.name")["a"]


def test_keys_stay_in_their_order():
    assert list(changed("$.a", {"list": [3]})["a"]) == ["list", "name", "deep"]


def test_the_document_itself_is_left_alone():
    changed("$.a", {"deep": {"b": 2}})
    assert DOCUMENT["a"]["deep"] == {"b": 1}


@pytest.mark.parametrize(
    ("target", "update"),
    [("$.a", {"name": "x"}), ("$.a.list", 2), ("$.none", {"a": 1}), ("$.a.none", None), ("$..[?@.nothing == 1]", {})],
)
def test_an_action_that_changes_nothing_is_an_error(target, update):
    with pytest.raises(OverlayError, match="no longer applies"):
        changed(target, update)


def test_a_target_that_is_no_path_is_an_error():
    with pytest.raises(OverlayError, match="not a valid JSONPath"):
        changed("/a/name", "y")


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "overlay: 2.0.0\nactions: [{target: $.a, description: d, remove: true}]",
        "overlay: 1.0.0\nactions: []",
        "overlay: 1.0.0\nactions: [{target: $.a, update: 1}]",
        "overlay: 1.0.0\nactions: [{description: d, update: 1}]",
        "overlay: 1.0.0\nactions: [{target: $.a, description: ' ', update: 1}]",
        "overlay: 1.0.0\nactions: [{target: $.a, description: d}]",
        "overlay: 1.0.0\nactions: [{target: $.a, description: d, remove: false}]",
        "overlay: 1.0.0\nactions: [{target: $.a, description: d, update: 1, remove: true}]",
    ],
)
def test_what_is_no_overlay_is_an_error(tmp_path, text):
    path = tmp_path / "x.yaml"
    path.write_text(text)
    with pytest.raises(OverlayError):
        read_overlay(path)


def test_an_action_is_for_all_revisions_or_for_those_it_names(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text(
        "overlay: 1.0.0\nextends: d.yaml\nactions:\n"
        "  - {target: $.all, description: d, remove: true}\n"
        "  - {target: $.one, description: d, remove: true, x-revisions: ['1.6']}\n"
    )
    assert [action.target for action in read_overlay(path, "1.6").actions] == ["$.all", "$.one"]
    assert [action.target for action in read_overlay(path, "1.11").actions] == ["$.all"]
    assert read_overlay(path).extends == tmp_path / "d.yaml"


def test_nullable_allows_null():
    document = {"a": {"type": "string", "nullable": True}, "b": [{"$ref": "#/a", "nullable": True}], "nullable": {}}
    expand_nullable(document)
    assert document["a"] == {"type": ["string", "null"]}
    assert document["b"] == [{"anyOf": [{"$ref": "#/a"}, {"type": "null"}]}]


@pytest.mark.parametrize("profile", profiles().values(), ids=lambda profile: profile.name)
def test_every_correction_of_ours_applies_and_has_a_reason(profile):
    assert [action for action in profile.overlay() if len(action.description) <= 20] == []
    assert profile.document().unused_actions == ()


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.parent.name}/{path.stem}")
def test_overlays_are_for_documents_and_revisions_that_there_are(path):
    extends = read_overlay(path).extends
    assert extends is None or extends.exists()
    known = {profile.revision for profile in profiles().values() if profile.api == path.parent.parent.name}
    for action in read_yaml(path)["actions"]:
        assert action.get(REVISIONS, ["any"]), action["target"]
        assert set(action.get(REVISIONS, [])) <= known, action["target"]
