"""Runs of a part of the requirements, which a seed draws or which is always the same."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping
from functools import partial
from zlib import crc32

from conformance.after.runner import run
from conformance.apis import requirements
from conformance.run.selection import Selection, expression_of
from conformance.values.requirement import Requirement
from specs.profiles import find_profile
from tests.amount import AMOUNT, tried

SHARE, SHARE_OF_A_SEED = 16, 4  # one requirement in so many: of usual tests, and where seeds are asked for


def drawn(api, seed):
    """A run of a sixteenth or a quarter of the requirements, those that they need with them."""
    known = requirements(api)
    share = SHARE if AMOUNT.seeds is None else SHARE_OF_A_SEED
    ids = set(random.Random(seed).sample(sorted(known), len(known) // share))
    return partial(run, ids=with_needed(ids, known))


def of_every_suite(api):
    """The requirements of all suites that judge an API, by id."""
    return {id: requirement for suite in find_profile(api).suites for id, requirement in requirements(suite).items()}


def part(api, one_in, of=()):
    """A part of the requirements of all suites that judge an API, those that they need with them.

    Those that are about no other operation than these are always among them.
    """
    known = of_every_suite(api)
    always = {id for id, requirement in known.items() if set(of).issuperset(requirement.operations)}
    return with_needed({id for id in known if tried(id, one_in)} | always, known)


def few_of_each(api, select, count):
    """The requirements that an expression selects: of a test with many cases so many, and those that they need."""
    known, chosen = of_every_suite(api), Selection(expression=expression_of(select))
    cases = defaultdict(list)
    for requirement in sorted(filter(chosen.takes, known.values()), key=lambda one: crc32(one.id.encode())):
        cases[requirement.where].append(requirement.id)
    return with_needed({id for ids in cases.values() for id in ids[:count]}, known)


def with_needed(ids: set[str], known: Mapping[str, Requirement]) -> set[str]:
    """Return ids of requirements with those that they need."""
    return ids | {needed for id in ids for needed in known[id].needs}
