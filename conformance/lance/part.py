"""The Lance Namespace in the suite; see conformance/apis.py."""

from __future__ import annotations

from conformance.apis import SuitePart
from conformance.lance.checks import extra_checks
from conformance.lance.prober import LanceProber

PART = SuitePart(LanceProber, extra_checks)
