"""The part of each API in races: how a client plays, and how the stage is set.

The module `spark_tests.races.<api>` has it as `RACE`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.target import Target
from spark_tests.races.players import Player, Scene
from specs.apis import part_of

PACKAGE = "spark_tests.races"


@dataclass(frozen=True, slots=True)
class RaceApi:
    """One API: its players, its catalog, and what sets the stage for so many clients with a seed."""

    player: type[Player]
    catalog: Callable[[Target], Any]
    prepare: Callable[[Target, Any, int, int], Scene]


def race_api(api: str) -> RaceApi:
    """Return the part of an API. Raises Problem without one."""
    found: RaceApi = part_of(PACKAGE, api).RACE
    return found
