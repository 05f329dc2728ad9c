"""The APIs that have races: what a client does, and how its workload is prepared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.iceberg.catalog import IcebergCatalog
from conformance.lance.catalog import LanceCatalog
from conformance.target import Target
from spark_tests.races import iceberg, lance
from spark_tests.races.workload import TrafficClient, Workload


@dataclass(frozen=True, slots=True)
class RaceApi:
    """One API: its clients, its catalog, and what prepares the workload of so many clients with a seed."""

    client: type[TrafficClient]
    catalog: Callable[[Target], Any]
    prepare: Callable[[Target, Any, int, int], Workload]


RACES = {
    "iceberg": RaceApi(iceberg.IcebergTraffic, IcebergCatalog, iceberg.prepare),
    "lance": RaceApi(lance.LanceTraffic, LanceCatalog, lance.prepare),
}
