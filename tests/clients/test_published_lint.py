"""Published lint of clients: the pages are those of the results, and each finding is confirmed in words."""

from __future__ import annotations

from tests.clients.published_lint import pages, published


def test_the_pages_follow_from_the_results():
    assert {path: path.read_text() for path in pages()} == pages()


def test_each_finding_is_confirmed():
    for folder, report, notes in published():
        found = {(each["kind"], each["operation"], each["subject"]) for each in report["findings"]}
        confirmed = {(each["kind"], each["operation"], each["subject"]) for each in notes.get("note", ())}
        assert found == confirmed, folder.name
