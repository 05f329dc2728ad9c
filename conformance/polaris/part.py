"""Apache Polaris in the suite; see conformance/apis.py."""

from __future__ import annotations

from conformance.apis import SuitePart
from conformance.polaris.prober import PolarisProber
from conformance.polaris.support.checks import extra_checks

PART = SuitePart(PolarisProber, extra_checks)
