"""Phases of a run set its present activity."""

from __future__ import annotations

import pytest

from conformance.after.comparing.servers import compare_answers
from conformance.http.client import Client
from conformance.values.activity import Portion, doing, present, present_step
from conformance.values.settings import load_settings
from lakeproof import check, serve

CONFLICT = "lance.namespace.create.conflict"


def test_the_innermost_phase_is_present():
    assert present() == ""
    with doing("testing a") as tell:
        with doing(lambda: f"cleaning up: {1} of 2 tables"):
            assert present() == "cleaning up: 1 of 2 tables"
        assert present() == "testing a"
        tell("testing b")
        assert present() == "testing b"
    assert present() == ""


def test_a_portion_tells_the_time_left_at_its_pace():
    now = [10.0]
    portion = Portion("cleaning up, dropped", "objects", 900, clock=lambda: now[0])
    with doing(portion):
        assert present() == "cleaning up, dropped: 0 of 900 objects"
        now[0], portion.done = 20.0, 300
        assert present() == "cleaning up, dropped: 300 of 900 objects, about 20 s left"
        assert present_step() is portion
    assert present_step() is None


def test_a_phase_ends_with_its_exception():
    with pytest.raises(ValueError, match="broken"), doing("testing a"), doing("cleaning up"):
        raise ValueError("broken")
    assert present() == ""


@pytest.fixture
def heard(monkeypatch):
    """The activities while requests are sent, each text once."""
    texts, send = {}, Client.send

    def sent(client, exchange):
        texts[present()] = None
        return send(client, exchange)

    monkeypatch.setattr(Client, "send", sent)
    return texts


@pytest.fixture(scope="module")
def faulty():
    with serve("lance", storage="memory:pure", faults=["conflict-as-400"]) as server:
        yield server.url


def test_each_phase_of_a_run_that_sends_requests_has_its_words(heard, faulty, tmp_path):
    check(faulty, select=CONFLICT, report=str(tmp_path))
    assert "" not in heard
    for words in (
        f"finding out what {faulty} offers",
        f"testing {CONFLICT}, 0 requests",
        "sending findings again, 1 of 1",
        "sending findings to the reference server, 1 of 1",
        "cleaning up: looking for what is left",
    ):
        assert words in heard
    assert any(words.startswith("cleaning up: 0 of ") for words in heard)
    assert present() == ""


def test_each_phase_of_a_comparison_has_its_words(heard, faulty, tmp_path):
    with serve("lance", storage="memory:pure") as server:
        first, second = (
            load_settings({"server": url, "select": CONFLICT, "report": str(tmp_path)}) for url in (server.url, faulty)
        )
        compare_answers(first, second, None, "")
    assert "" not in heard
    assert "looking for the fewest steps, difference 1 of 1" in heard


def test_shrinking_says_how_far_it_is(heard, tmp_path):
    with serve("iceberg", faults=["commit-answers-before"]) as server:
        name = "iceberg.model.commits"
        results, _ = check(server.url, api="iceberg", select=name, depth="smoke", no_shrink=False, report=str(tmp_path))
    assert results.totals["warn"] == 1
    assert any(words.startswith(f"shrinking {name}, ") and words.endswith(" of 300 requests") for words in heard)
