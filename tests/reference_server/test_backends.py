"""Temporary folders: those of killed servers go with the next start, and no others."""

from __future__ import annotations

import tempfile

import pytest

from reference_server.backends import LOCK, TEMPORARY, TemporaryFolder, open_backend
from tests.reference_server.served import served


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder for temporary files, of this test alone."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def names(folder):
    return {path.name for path in folder.iterdir()}


def test_what_a_killed_server_left_goes_with_the_next_start(temporary, tmp_path):
    with served("iceberg", tmp_path):
        (left,) = temporary.glob(f"{TEMPORARY}*")
        open_backend("memory", "iceberg").close()
        assert names(temporary) == {left.name}
    assert names(temporary) == {left.name}  # it was killed
    open_backend("memory", "iceberg").close()
    assert names(temporary) == set()


def test_folders_that_are_not_of_a_killed_server_stay(temporary, tmp_path):
    (temporary / f"{TEMPORARY}without-a-lock").mkdir()
    (temporary / f"{TEMPORARY}file").touch()
    (temporary / "another-name" / LOCK).parent.mkdir(parents=True)
    (temporary / "another-name" / LOCK).touch()
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / LOCK).parent.mkdir(parents=True)
    (elsewhere / LOCK).touch()
    (temporary / f"{TEMPORARY}link").symlink_to(elsewhere)
    linked = temporary / f"{TEMPORARY}linked-lock"
    (linked / LOCK).parent.mkdir(parents=True)
    (linked / LOCK).symlink_to(elsewhere / LOCK)
    running = TemporaryFolder()
    before = names(temporary)
    open_backend("memory", "iceberg").close()
    assert names(temporary) == before
    assert (elsewhere / LOCK).exists()
    running.close()
    assert names(temporary) == before - {running.path.name}
