"""A second try for requirements that were blocked by an operation that the server has after all.

Whether an operation is there may show only when it succeeds. Without this, a verdict would depend on what was tested
before it, and with that on the number of jobs.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from itertools import zip_longest

import pytest

from conformance.author.requirement import requirement_of
from conformance.run.ledger import Ledger


@dataclass
class SecondTry:
    """The plugin that tests them again after all others."""

    ledger: Ledger

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Test again what was wrongly blocked, until nothing is."""
        outcome = yield
        while not (session.shouldstop or session.shouldfail) and (names := self.ledger.wrongly_blocked()):
            items = [item for item in session.items if (known := requirement_of(item)) and known.id in names]
            for item, following in zip_longest(items, items[1:]):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        return outcome
