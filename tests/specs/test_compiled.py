"""Cached documents: equal to composed ones, and composed again after a change."""

from __future__ import annotations

import pytest

from specs import compiled
from specs.compiled import cache_file, read_compiled, write_compiled
from specs.profiles import find_profile, profiles


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(compiled, "cache_root", lambda: tmp_path)


@pytest.mark.parametrize("name", profiles())
def test_a_cached_document_equals_a_composed_one(name):
    profile = find_profile(name)
    file, composed = cache_file(name, [profile.facts.folder]), profile._composed(profile._read)
    write_compiled(file, composed)
    assert read_compiled(file, profile.facts.error) == composed


def test_a_change_of_a_file_is_another_document(tmp_path):
    for name in ("a.yaml", "api.toml"):
        (tmp_path / name).write_text("1")
    first = cache_file("x/1", [tmp_path])
    (tmp_path / "a.yaml").write_text("2")
    assert cache_file("x/1", [tmp_path]) != first


def test_a_damaged_file_is_no_document(tmp_path):
    (tmp_path / "x.json").write_bytes(b"{")
    assert read_compiled(tmp_path / "x.json", find_profile("lance").facts.error) is None
    assert read_compiled(tmp_path / "none.json", find_profile("lance").facts.error) is None


def test_what_cannot_be_written_is_left_out(tmp_path):
    (tmp_path / "documents").write_text("a file where the folder should be")
    document = find_profile("lance").document()
    write_compiled(cache_file("lance/2026-03", []), document)
    assert (tmp_path / "documents").is_file()


def test_few_documents_of_a_profile_are_kept(tmp_path):
    document = find_profile("lance").document()
    for number in range(compiled.MOST + 2):
        write_compiled(tmp_path / f"lance-2026-03-{number}.json", document)
    assert len(list(tmp_path.glob("lance-2026-03-*.json"))) == compiled.MOST
