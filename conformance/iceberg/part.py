"""Part of the suite for the Iceberg REST catalog, loaded by conformance/apis.py."""

from __future__ import annotations

from conformance.apis import SuitePart
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.prober import IcebergProber
from conformance.iceberg.support.checks import extra_checks
from conformance.iceberg.support.snapshot_states import SNAPSHOT_STATES
from conformance.iceberg.worlds import DIMENSIONS
from conformance.values.cells import Levels

PART = SuitePart(
    IcebergProber,
    extra_checks,
    (Levels("namespace", r"[\x1f.]", (1, 2)),),
    worlds=DIMENSIONS,
    chosen=("next-page-token", "plan-id", "plan-tasks"),
)

IcebergCatalog.states.update(SNAPSHOT_STATES)
