"""Every value of every dimension: all requirements that bear it are met by the reference server.

A gate meets each value with a few requirements of an operation. Here all of them meet it, so a requirement that a world
disturbs is found here first. A world has a value of each dimension, so few worlds have all values. By default some of
them are tried with a sixteenth of the requirements that vary, with `--thorough` all with all.
"""

from __future__ import annotations

import random
from functools import partial
from zlib import crc32

import pytest

from conformance.after.runner import run
from conformance.apis import dimensions_of, suite_part
from conformance.run.drawn_worlds import drawn_worlds
from conformance.values.settings import Settings
from lakeproof import check
from specs.apis import apis
from specs.profiles import find_profile
from tests.amount import amount, tried
from tests.conformance.drawing import SHARE, of_every_suite, with_needed

ONE_IN = 12
BROKEN = ("fail", "warn", "error")
PROFILES = {api: find_profile(api) for api in sorted(apis())}
DIMENSIONS = {
    api: dimensions_of(map(suite_part, profile.suites), profile.document()) for api, profile in PROFILES.items()
}


def worlds(dimensions):
    """Yield worlds that have all values of all dimensions: as many as the dimension with most values needs."""
    unusual = {entry.name: [value for value in entry.values if value != entry.plain] for entry in dimensions}
    for number in range(max(map(len, unusual.values()))):
        yield tuple(f"{name}={values[number % len(values)]}" for name, values in unusual.items())


def varying(api, world):
    """Return the requirements of an API that vary in a world: a sixteenth of them, or all, and what they need."""
    known = of_every_suite(api)
    ids = sorted(drawn_worlds(Settings(api=api, world=world), known.values(), DIMENSIONS[api]))
    draws = random.Random(crc32(" ".join(world).encode()))
    return with_needed(set(draws.sample(ids, amount(len(ids) // SHARE, len(ids)))), known)


TRIED = [
    pytest.param(api, world, id=f"{api} {' '.join(world)}")
    for api, dimensions in DIMENSIONS.items()
    for world in worlds(dimensions)
    if tried(" ".join(world), ONE_IN)
]


@pytest.mark.parametrize(("api", "world"), TRIED)
def test_the_reference_server_conforms_in_every_world(api, world, tmp_path):
    chosen = partial(run, ids=varying(api, world))
    results, _ = check(api=api, world=world, report=str(tmp_path), runner=chosen)
    assert results.requirements
    assert {entry.id: entry.message for entry in results.requirements if entry.verdict in BROKEN} == {}


@pytest.mark.parametrize("api", DIMENSIONS)
def test_the_worlds_have_all_values(api):
    met = {text for world in worlds(DIMENSIONS[api]) for text in world}
    wanted = {f"{entry.name}={value}" for entry in DIMENSIONS[api] for value in entry.values if value != entry.plain}
    assert met == wanted
