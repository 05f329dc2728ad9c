"""The Lance Namespace as a part of the suite (conformance/apis.py)."""

from __future__ import annotations

from conformance.apis import SuitePart
from conformance.lance.prober import LanceProber
from conformance.lance.support.checks import extra_checks
from conformance.lance.worlds import DIMENSIONS
from conformance.values.cells import Levels

PART = SuitePart(
    LanceProber,
    extra_checks,
    (Levels("id", r"\$", (0, 1, 2, 3)),),
    crowded=("ListAllTables",),
    chosen=("e_tag", "manifest_path", "manifest_size", "manifestSize", "page_token", "plan", "transaction_id"),
    worlds=DIMENSIONS,
)
