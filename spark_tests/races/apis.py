"""Races of each API: the actions of its clients, and the preparation of its workload.

The module `spark_tests.races.<api>` defines them as `RACE`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from conformance.target.target import Target
from spark_tests.connectors import connectable
from spark_tests.races.workload import TrafficClient, Workload
from specs.apis import part_of

PACKAGE = "spark_tests.races"


@dataclass(frozen=True, slots=True)
class RaceApi:
    """Race of an API: its clients, its catalog, and a function from clients and seed to a prepared workload."""

    client: type[TrafficClient]
    catalog: Callable[[Target], Any]
    prepare: Callable[[Target, Any, int, int], Workload]


def raceable() -> list[str]:
    """Return the APIs with a race."""
    return [api for api in connectable() if find_spec(f"{PACKAGE}.{api}")]


def race_api(api: str) -> RaceApi:
    """Return the race of an API. Raises Problem if it has none."""
    race: RaceApi = part_of(PACKAGE, api).RACE
    return race
