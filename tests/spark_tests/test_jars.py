"""Fetching connector jars: what fails once is tried again, what fails always is reported, and what is there stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark_tests import jars
from specs.problems import Problem

COORDINATES = "org.example:connector:1.0"


class Ivy:
    """In the place of Ivy: what comes of each call, in turn; a jar where it succeeds."""

    def __init__(self, *outcomes):
        self.outcomes = list(outcomes)
        self.calls = 0

    def __call__(self, command, coordinates):
        assert coordinates == COORDINATES
        self.calls += 1
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        if outcome:
            pattern = Path(command[command.index("-retrieve") + 1])
            (pattern.parent / "connector-1.0.jar").write_bytes(outcome)


class Java:
    """In the place of Java: nothing is run."""

    def command(self, *words):
        return list(words)


def failed():
    return jars._failure(COORDINATES, "the registry is tired")


@pytest.fixture
def fetch(monkeypatch, tmp_path):
    """Resolve with what Ivy is said to do; return where the jar is, and how often Ivy was run."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(jars, "PAUSE_SECONDS", 0)
    monkeypatch.setattr(jars, "find_java", Java)
    monkeypatch.setattr(jars, "pyspark_jar", lambda name: tmp_path / name)

    def run(*outcomes):
        ivy = Ivy(*outcomes)
        monkeypatch.setattr(jars, "_run", ivy)
        return jars.resolve(COORDINATES), ivy.calls

    return run


def test_a_jar_is_fetched_once_and_kept(fetch):
    jar, calls = fetch(b"jar")
    assert jar.read_bytes() == b"jar"
    assert calls == 1
    assert fetch() == (jar, 0)


@pytest.mark.parametrize("bad", [failed(), b""])
def test_a_fetch_that_fails_once_is_tried_again(fetch, bad):
    jar, calls = fetch(bad, b"jar")
    assert jar.read_bytes() == b"jar"
    assert calls == 2


def test_a_fetch_that_always_fails_is_told(fetch, tmp_path):
    with pytest.raises(Problem, match=r"org\.example:connector:1\.0 cannot be fetched: the registry is tired"):
        fetch(*[failed() for _ in range(jars.ATTEMPTS)])
    assert list(jars.cache_folder().iterdir()) == []
    assert fetch(b"jar")[1] == 1


def test_a_jar_that_no_registry_has_is_told(fetch):
    with pytest.raises(Problem, match="the registry has no such jar"):
        fetch(*[b""] * jars.ATTEMPTS)
