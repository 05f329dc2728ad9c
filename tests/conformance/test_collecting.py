"""Collection of requirements: a run imports and collects what it selects, and counts all that there is."""

from __future__ import annotations

from functools import partial

import pytest

from conformance.after.runner import run
from conformance.apis import requirements
from lakeproof import check

NAME = "lance.namespace.create.conflict"


class Collected:
    """A plugin of pytest that notes the modules of what was collected, before anything is deselected."""

    def __init__(self):
        self.modules = set()

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items):
        self.modules = {item.module.__name__ for item in items}


@pytest.mark.parametrize("given", [{"select": NAME}, {"operation": ("BatchCommitTables",)}, {"kinds": ("model",)}])
def test_a_run_collects_the_modules_of_what_it_selects(given, tmp_path):
    """All modules of an API take half a second: most of the time of a run of one requirement."""
    collected = Collected()
    runner = partial(run, plugins=[collected])
    results, _ = check(api="lance", depth="smoke", report=str(tmp_path), runner=runner, **given)
    known = requirements("lance")
    assert collected.modules == {known[entry.id].where.partition(":")[0] for entry in results.requirements}
    assert results.run.selected == len(results.requirements)
    assert results.run.available > len(known) / 2
