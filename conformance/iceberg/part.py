"""The Iceberg REST catalog in the suite; see conformance/apis.py."""

from __future__ import annotations

from conformance.apis import SuitePart
from conformance.iceberg.checks import extra_checks
from conformance.iceberg.prober import IcebergProber

PART = SuitePart(IcebergProber, extra_checks)
