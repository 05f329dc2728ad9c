"""Second try of requirements whose first one does not decide.

Some were blocked by an operation which the server has after all: sometimes only a success shows that it exists. Without
a second try, a verdict would depend on the requirements tested before it, and so on the number of jobs. Others are
findings whose steps no replay can do: their second outcome shows whether they are flaky.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator
from dataclasses import dataclass
from itertools import zip_longest

import pytest

from conformance.author.requirement import requirement_of
from conformance.run.ledger import Ledger


@dataclass
class SecondTry:
    """The plugin that tests requirements again after all others. `prefix` returns that of the run."""

    ledger: Ledger
    prefix: Callable[[], str]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Test wrongly blocked requirements again, until there are none, then findings that no replay can repeat."""
        outcome = yield
        while not _over(session) and (names := self.ledger.wrongly_blocked()):
            _test(session, names)
        if not _over(session):
            _test(session, self.ledger.unrepeatable(self.prefix()))
        return outcome


def _over(session: pytest.Session) -> bool:
    return bool(session.shouldstop or session.shouldfail)


def _test(session: pytest.Session, names: Collection[str]) -> None:
    items = [item for item in session.items if (known := requirement_of(item)) and known.id in names]
    for item, following in zip_longest(items, items[1:]):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
