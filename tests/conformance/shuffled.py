"""Runs in which the requirements of each part of the run come in an order that a seed draws."""

from __future__ import annotations

import random

import pytest

from conformance.after.runner import run
from conformance.author.requirement import requirement_of
from conformance.run.ordering import ranks


class Shuffled:
    """A plugin of pytest: what is needed stays before what needs it, and races and sums stay last."""

    def __init__(self, seed):
        self._random = random.Random(seed)
        self.moved = 0

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        order = ranks(map(requirement_of, items))
        before = list(items)
        self._random.shuffle(items)
        items.sort(key=lambda item: order[requirement_of(item).id])
        self.moved = sum(item is not other for item, other in zip(before, items, strict=True))

    def judge(self, *arguments, **options):
        """Judge a server in this order."""
        return run(*arguments, **options, plugins=[self])
