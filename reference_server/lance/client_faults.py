"""Faults for developers of Lance clients; see reference_server/client_faults.py."""

from __future__ import annotations

CLIENT_FAULTS = {
    "The server and the way to it": ("unrouted", "error-without-code"),
    "Commits and writes": (
        "lost-update",
        "torn-batch",
        "race-hidden",
        "drop-keeps",
        "drop-race-hidden",
        "create-forgets",
        "insert-forgets",
    ),
    "Reads": ("stale-read", "count-plus-one", "location-lost", "table-elsewhere"),
    "Listings and pages": ("list-empty", "list-ghost", "page-loses-one", "token-lost", "limit-ignored", "offset-pages"),
}
