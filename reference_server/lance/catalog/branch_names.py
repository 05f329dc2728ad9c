"""Names of branches, and where they lie.

Lance keeps a branch in a folder `tree/<name>` of its table, with versions, transactions and new files of its own, and
a file that names it below `_refs/branches`. The folder is a dataset like the table's: what reads and writes a table at
a location reads and writes a branch at its location.
"""

from __future__ import annotations

import re

from reference_server.errors import InvalidInput

MAIN = "main"
TREE = "tree"
REFS = "_refs"
# Lance accepts letters beyond ASCII, as in tags; the folders of a dataset inside those of a branch would be mixed up.
SEGMENT = re.compile(r"[A-Za-z0-9.-][A-Za-z0-9._-]*")
LONGEST = 200
OWN_FOLDERS = ("_versions", "_transactions", "_deletions", "_indices", REFS, "data")


def location_of(location: str, branch: str) -> str:
    """Return the location of a branch."""
    return f"{location}/{TREE}/{branch}"


def check_branch_name(name: str) -> None:
    """Raise InvalidInput for a name that a branch cannot have."""
    parts = name.split("/")
    odd = ".." in name or name.endswith(".lock") or name == MAIN or len(name) > LONGEST
    if odd or not all(SEGMENT.fullmatch(part) and part not in (*OWN_FOLDERS, ".") for part in parts):
        raise InvalidInput(
            f"The branch cannot be named {name[:LONGEST]!r}. A name has at most {LONGEST} of the characters A-Z, a-z, "
            f"0-9, '.', '-', '_' and '/', none of its parts begins with '_' or is 'data', and it is not {MAIN!r}."
        )
