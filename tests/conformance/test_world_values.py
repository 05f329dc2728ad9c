"""Every value of every dimension: all requirements that bear it are met by the reference server.

A gate meets each value with a few requirements of an operation. Here all of them meet it, so a requirement that a world
disturbs is found here first. By default a few values are tried with a quarter of the requirements, with `--thorough`
all with all.
"""

from __future__ import annotations

from zlib import crc32

import pytest

from conformance.after.runner import run
from conformance.apis import dimensions_of, suite_part
from lakeproof import check
from specs.apis import apis
from specs.profiles import find_profile
from tests.amount import amount, tried
from tests.conformance.drawing import drawn

ONE_IN = 40
BROKEN = ("fail", "warn", "error")
VALUES = [
    (api, world)
    for api in sorted(apis())
    for dimension in dimensions_of(map(suite_part, find_profile(api).suites))
    for value in dimension.values
    if value != dimension.plain and tried(world := f"{dimension.name}={value}", ONE_IN)
]


@pytest.mark.parametrize(("api", "world"), VALUES)
def test_the_reference_server_conforms_in_every_world(api, world, tmp_path):
    chosen = amount(drawn(api, crc32(world.encode())), run)
    results, _ = check(api=api, world=(world,), report=str(tmp_path), runner=chosen)
    assert {entry.id: entry.message for entry in results.requirements if entry.verdict in BROKEN} == {}
