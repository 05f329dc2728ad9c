"""Runs of a part of the requirements, which a seed draws."""

from __future__ import annotations

import random
from functools import partial

from conformance.apis import requirements
from conformance.runner import run

SHARE = 4


def drawn(api, seed):
    """A run of a quarter of the requirements, those that they need with them."""
    known = requirements(api)
    ids = set(random.Random(seed).sample(sorted(known), len(known) // SHARE))
    return partial(run, ids=ids | {needed for id in ids for needed in known[id].needs})
