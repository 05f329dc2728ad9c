"""Output of commands into a pipe or a file: nothing is cut or wrapped, however narrow a terminal would be."""

from __future__ import annotations

import io

import pytest

from lakeproof.console import SafeConsole, table_of
from tests.lakeproof.screens import Screen

LONG = "lance.merge_insert.when_not_matched_by_source_delete_filter " * 4


@pytest.fixture(autouse=True)
def narrow(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("FORCE_COLOR", "1")  # as in many CIs: colors do not make a screen


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["explain", "iceberg.commit.create.staged"], "A commit with assert-create and the updates of a creation"),
        (
            ["spec", "diff", "iceberg/1.6", "iceberg/1.11"],
            '"There is no such warehouse.", "content": {"application/json"',
        ),
        (["spec", "list", "iceberg"], "Name the namespaces directly below a parent, or at the top."),
        (["spec", "show", "updateTable", "--profile", "iceberg"], "200     application/json CommitTableResponse"),
        (["serve", "--list-faults"], "The work is done, but the connection is closed before the answer."),
        (["list", "--api", "polaris", "--operation", "createCatalog"], "polaris.catalog.create"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_nothing_is_cut_or_wrapped(command, words, cli):
    _, shown, _ = cli(*command)
    assert words in shown
    assert "…" not in shown
    assert not [line for line in shown.splitlines() if line.endswith(" ")]


def test_a_screen_has_its_width():
    for file, lines in ((io.StringIO(), 2), (Screen(), 5)):
        console = SafeConsole(file=file, color_system=None)
        table = table_of("name", "words")
        table.add_row("a", LONG)
        console.print(table)
        shown = file.getvalue()
        assert len(shown.splitlines()) >= lines
        assert (max(map(len, shown.splitlines())) <= 80) == isinstance(file, Screen)
        assert "".join(LONG.split()) in "".join(shown.split())
    assert len(shown.splitlines()) > 2


def test_a_line_across_a_screen_is_its_title_elsewhere():
    for file in (io.StringIO(), Screen()):
        SafeConsole(file=file, color_system=None).rule("lance/2026-03")
        shown = file.getvalue().strip()
        assert (shown == "lance/2026-03") != isinstance(file, Screen)
        assert "lance/2026-03" in shown
