"""Faults for developers of Polaris clients; see reference_server/client_faults.py.

Those of the Iceberg API come from there, as far as Polaris has their operations.
"""

from __future__ import annotations

CLIENT_FAULTS = {
    "Credentials and access to files": ("credentials-renamed", "credentials-unplaced", "new-tables-elsewhere"),
    "Principals, roles and grants": (
        *("scope-unheeded", "exchange-loses-roles", "configuration-refused", "own-secret-refused"),
        *("privilege-ignored:TABLE_WRITE_DATA", "privilege-wanted:TABLE_READ_DATA"),
    ),
    "Policies": ("policies-not-inherited", "policies-own-alone"),
}
