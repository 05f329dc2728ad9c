"""Objects that a run left behind, grouped by kind and reason, in results of this kit and of older ones."""

from __future__ import annotations

from conformance.values.resources import Leftover, Leftovers, grouped, names_of, summary


def test_leftovers_are_grouped_by_kind_and_reason():
    left = [Leftover("view", "v", "it came back"), *(Leftover("table", f"t{number}", "405") for number in range(1200))]
    tables, view = groups = grouped(left)
    assert (tables.kind, tables.reason, len(tables.names), view.names) == ("table", "405", 1200, ("v",))
    assert summary(groups) == ["1,200 tables (405)", "1 view (it came back)"]
    assert summary(["an old one", view]) == ["an old one", "1 view (it came back)"]
    assert summary([]) == []


def test_leftovers_of_older_results_are_grouped_too():
    older = [Leftovers(kind="table", name=f"t{number}", reason="405") for number in range(3)]
    assert summary(older) == ["3 tables (405)"]
    assert names_of(["a line", *older]) == ["a line", "t0", "t1", "t2"]
