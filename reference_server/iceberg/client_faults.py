"""Faults for developers of Iceberg clients; see reference_server/client_faults.py."""

from __future__ import annotations

CLIENT_FAULTS = {
    "The server and the way to it": ("errors-of-the-framework", "errors-unwrapped"),
    "Commits and writes": (
        *("commit-conflict", "commit-state-unknown", "duplicate-apply", "conflict-after-commit", "lost-update"),
        *("commit-answers-before", "torn-transaction", "drops-forgotten"),
    ),
    "Reads": ("stale-read", "stale-table", "lists-stale"),
    "Listings and pages": (
        *("lists-empty", "lists-doubled", "pages-lose-one", "pages-without-token", "pages-unasked", "pages-counted"),
    ),
    "Credentials and access to files": (
        *("unknown-callers-forbidden", "token-useless", "token-spent", "token-catalog-error", "credentials-elsewhere"),
        *("credentials-in-config", "delegation-refused", "sign-refused", "sign-elsewhere"),
    ),
    "Idempotency keys and ETags": (
        *("keys-ignored", "keys-refused-again", "etag-of-the-answer", "etag-any-is-current", "etag-unasked"),
    ),
    "Scan planning": ("scan-tasks-later", "scan-file-lost", "scan-file-doubled", "scan-plan-tasks-lost", "scan-one-id"),
}
