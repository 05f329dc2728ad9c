"""The faults for developers of clients: what a client should withstand, by the part of the client that is tested.

They are a choice among all faults, which are otherwise there to measure test suites.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

GROUPS: Mapping[str, Sequence[str]] = {
    "The server and the way to it": (
        *("slow", "connection-lost", "unavailable", "throttled", "forbidden", "unsupported", "plain-text-errors"),
        *("errors-of-the-framework", "errors-unwrapped"),
    ),
    "Commits and writes": (
        *("commit-conflict", "commit-state-unknown", "duplicate-apply", "conflict-after-commit", "lost-update"),
        *("commit-answers-before", "torn-batch", "torn-transaction", "race-hidden", "drop-keeps", "insert-forgets"),
    ),
    "Reads": ("stale-read", "stale-table", "lists-stale", "count-plus-one", "location-lost", "table-elsewhere"),
    "Listings and pages": (
        *("list-empty", "list-ghost", "page-loses-one", "token-lost", "limit-ignored", "offset-pages"),
        *("lists-empty", "lists-doubled", "pages-lose-one", "pages-without-token", "pages-unasked", "pages-counted"),
    ),
    "Credentials and access to files": (
        *("unknown-callers-forbidden", "token-useless", "token-catalog-error", "credentials-elsewhere"),
        *("credentials-in-config", "delegation-refused", "sign-refused", "sign-elsewhere"),
    ),
    "Idempotency keys and ETags": (
        *("keys-ignored", "keys-refused-again", "etag-of-the-answer", "etag-any-is-current", "etag-unasked"),
    ),
    "Scan planning": ("scan-tasks-later", "scan-file-lost", "scan-file-doubled", "scan-plan-tasks-lost", "scan-one-id"),
}
EXAMPLES = (
    ("--fault slow", "every answer, late"),
    ("--fault throttled:CreateTable", "one operation only"),
    ("--fault slow --fault commit-conflict", "several at once"),
    ("--fault lost-answer-field:loadTable:metadata-location", "one that follows from the document"),
    ("--allow-faults", "then a request chooses: X-Lakeproof-Fault: stale-read, slow"),
)
