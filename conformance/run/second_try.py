"""A second try for requirements that were blocked since the server seemed to lack an operation that it has.

Whether an operation is there may show only when it succeeds. Without this, a verdict would depend on what was tested
before it, and with that on the number of jobs.
"""

from __future__ import annotations

from collections.abc import Generator
from itertools import zip_longest
from typing import TYPE_CHECKING

import pytest

from conformance.author.requirement import requirement_of
from conformance.values.verdict import GOOD

if TYPE_CHECKING:
    from conformance.run.plugin import SuitePlugin


class SecondTry:
    """The plugin that tests them again after all others; see the module."""

    def __init__(self, plugin: SuitePlugin) -> None:
        self._plugin = plugin
        self._tried: set[str] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Test again what was wrongly blocked, until nothing is."""
        outcome = yield
        while not (session.shouldstop or session.shouldfail) and (items := self._wrongly_blocked(session)):
            for item, following in zip_longest(items, items[1:]):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        return outcome

    def _wrongly_blocked(self, session: pytest.Session) -> list[pytest.Item]:
        """Return what to test again: it was blocked by an operation that has succeeded, or by what was so blocked."""
        own, lacking = self._plugin.session, self._plugin.lacking
        there = {name for name, (operation, _) in lacking.items() if operation in own.client.known.done}
        met = {name for name in self._tried if own.verdict(name) in GOOD}
        chosen = {name for name, by in own.blocked().items() if name in there or by in met} - self._tried
        self._tried |= chosen
        return [item for item in session.items if (requirement := requirement_of(item)) and requirement.id in chosen]
