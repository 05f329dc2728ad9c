"""Names of tags and branches as Lance lists them: a file each, read one after the other."""

from __future__ import annotations

from typing import Any

from reference_server.lance.catalog.branch_names import REFS

TRIES = 50


def listed(refs: Any) -> dict[str, dict[str, Any]]:
    """Return the tags or the branches of a dataset by name; `refs` is its attribute of that name.

    Lance fails if one of them is deleted while it reads the others: then it reads them again.
    """
    for _ in range(TRIES - 1):
        try:
            return dict(refs.list())
        except (OSError, ValueError) as error:
            if f"{REFS}/" not in str(error):
                raise
    return dict(refs.list())
