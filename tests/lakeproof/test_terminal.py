"""Output of a run in the terminal."""

from __future__ import annotations

from lakeproof import terminal
from tests.conformance.made_results import result, results


def test_a_card_says_that_its_steps_may_not_be_the_shortest(capsys):
    note = "shrinking stopped after 1,000 requests; the steps may not be the shortest"
    terminal.print_results(results(result("fail", message="rows: expected 1, got 2\nof many", notes=[note])))
    said = capsys.readouterr().out
    assert "rows: expected 1, got 2" in said
    assert note in said
    assert "of many" not in said
