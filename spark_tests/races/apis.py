"""The APIs that have races: how a client plays, and how the stage is set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.iceberg.catalog import IcebergCatalog
from conformance.lance.catalog import LanceCatalog
from conformance.target import Target
from spark_tests.races import iceberg, lance
from spark_tests.races.players import Player, Scene


@dataclass(frozen=True, slots=True)
class RaceApi:
    """One API: its players, its catalog, and what sets the stage for so many clients with a seed."""

    player: type[Player]
    catalog: Callable[[Target], Any]
    prepare: Callable[[Target, Any, int, int], Scene]


RACES = {
    "iceberg": RaceApi(iceberg.IcebergPlayer, IcebergCatalog, iceberg.prepare),
    "lance": RaceApi(lance.LancePlayer, LanceCatalog, lance.prepare),
}
