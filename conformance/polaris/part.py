"""The parts of Apache Polaris that the suite finds by name (conformance/apis.py)."""

from __future__ import annotations

from conformance.apis import SuitePart
from conformance.polaris.prober import PolarisProber
from conformance.polaris.support.checks import extra_checks
from conformance.polaris.worlds import DIMENSIONS

# A target takes one policy per type, and all requirements attach theirs to objects of one catalog.
ON_CATALOGS = ("attachPolicy", "detachPolicy", "getApplicablePolicies")
PART = SuitePart(PolarisProber, extra_checks, crowded=ON_CATALOGS, shared=("make_access",), worlds=DIMENSIONS)
