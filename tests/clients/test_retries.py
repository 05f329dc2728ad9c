"""A retrying client driven through failures: the journal tells what it lost or doubled. For Java and Go: retries.py."""

from __future__ import annotations

from tests.clients.retries import FAILURES, PAGE, Told, drive, page, python_command


def test_pyiceberg_is_told():
    told = drive(python_command()[1])
    assert {name: (one.added, list(one.commits), one.tokens) for name, one in told.items()} == {
        "503-twice": (0, [503], 0),
        "token-expired": (1, [200], 1),
        "applied": (1, [504], 0),
        "not-applied": (0, [504], 0),
        "cut": (1, [0], 0),
        "conflict-twice": (1, [409, 409, 200], 0),
    }
    assert told["applied"].verdict == "applied, reported as CommitStateUnknownException"
    assert told["conflict-twice"].verdict == "appended once"


def test_what_a_client_loses_or_doubles_is_named():
    assert Told("success", 0, [504], 0, []).verdict == "lost: reported as appended"
    assert Told("success", 2, [504, 200], 0, []).verdict == "doubled: 2 snapshots"


def test_the_page_has_every_failure():
    written = PAGE.read_text()
    assert [failure for failure in FAILURES.values() if f"| {failure.name}<br>" not in written] == []
    told = {name: Told("success", 2, [504, 200], 1, ["no-pause"]) for name in FAILURES}
    made = page({"client 1": told}, {"503 twice: appended once": 3})
    assert "doubled: 2 snapshots; commits 504, 200, then 1 new token |" in made
    assert "- client 1, 503 twice: `no-pause`" in made
    assert "## 3 appends of PyIceberg" in made
