"""Second try of requirements whose first one does not decide.

Some failed with a server error, 409 or 429 while other requirements were tested: a few for each such answer are tested
alone, and the others with it where one of these passes.

Some were blocked by an operation which the server has after all: sometimes only a success shows that it exists. Without
a second try, a verdict would depend on the requirements tested before it, and so on the number of jobs. Others are
findings whose steps no replay can do: their second outcome shows whether they are flaky.

At last the findings are replayed. Those that got other answers are tested again. Where one came and went, the server
answers equal requests differently, and all other failures are tested again, until a round shows no more of them to come
and go: so that a file of expectations written from this run says what the next run may see.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator
from dataclasses import dataclass
from itertools import zip_longest

import pytest

from conformance.author.requirement import requirement_of
from conformance.run.ledger import Ledger

FEW = 20  # failures that are tested again however often


@dataclass
class SecondTry:
    """The plugin that tests requirements again after all others. `prefix` returns that of the run."""

    ledger: Ledger
    prefix: Callable[[], str]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Test again what a crowd may have broken and what was blocked wrongly, then what no replay can repeat."""
        outcome = yield
        while not _over(session) and (names := self.ledger.crowded() or self.ledger.wrongly_blocked()):
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


@dataclass
class LastLook:
    """The plugin that replays findings after all tests, and tests failures of an unsteady server again."""

    ledger: Ledger
    replay: Callable[[], None]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Replay and test again while that shows more findings to come and go, or few are left."""
        outcome = yield
        more = not _over(session)
        while more:
            self.replay()
            names = self.ledger.unsettled()
            _test(session, names)
            settled = self.ledger.varying(names)
            more = bool(names) and not _over(session) and (bool(settled) or len(names) <= FEW)
        return outcome
