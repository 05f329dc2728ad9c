"""Rules for all responses of scan planning, checked over the whole run."""

from __future__ import annotations

from conformance.author.requirement import must
from conformance.author.suite import Suite
from conformance.common import wire
from conformance.iceberg.support.scans.rules import PLANNED, SCAN_RULES


@must(
    "iceberg.scan.rules.{}",
    operations=PLANNED,
    clause=str,
    kind="wire",
    each={name.removeprefix("plan-").replace("-", "_"): name for name in SCAN_RULES},
    statement=lambda name: SCAN_RULES[name].__doc__ or "",
)
def test_answers_keep_the_rules(suite: Suite, case: str) -> None:
    """All responses of scan planning keep a rule."""
    wire.check_extra(suite, PLANNED, case)
