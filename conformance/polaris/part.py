"""Apache Polaris in the suite; see conformance/apis.py."""

from __future__ import annotations

from conformance.apis import SuitePart
from conformance.polaris.prober import PolarisProber
from conformance.polaris.support.checks import extra_checks

# A target has one policy of each type, and all requirements share the catalog of the run.
ON_CATALOGS = ("attachPolicy", "detachPolicy", "getApplicablePolicies")
PART = SuitePart(PolarisProber, extra_checks, crowded=ON_CATALOGS, shared=("make_access",))
