"""Faults for developers of Lance clients; see reference_server/client_faults.py."""

from __future__ import annotations

CLIENT_FAULTS = {
    "Commits and writes": ("lost-update", "torn-batch", "race-hidden", "drop-keeps", "insert-forgets"),
    "Reads": ("stale-read", "count-plus-one", "location-lost", "table-elsewhere"),
    "Listings and pages": ("list-empty", "list-ghost", "page-loses-one", "token-lost", "limit-ignored", "offset-pages"),
}
