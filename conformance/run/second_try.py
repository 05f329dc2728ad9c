"""Second try of requirements that were blocked by an operation which the server has after all.

Sometimes only a success shows that an operation exists. Without this, a verdict would depend on the requirements tested
before it, and so on the number of jobs.
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
    """The plugin that tests wrongly blocked requirements again after all others."""

    ledger: Ledger

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Test wrongly blocked requirements again, until there are none."""
        outcome = yield
        while not (session.shouldstop or session.shouldfail) and (names := self.ledger.wrongly_blocked()):
            items = [item for item in session.items if (known := requirement_of(item)) and known.id in names]
            for item, following in zip_longest(items, items[1:]):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        return outcome
