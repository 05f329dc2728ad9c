"""Names of version files, below `_versions/` of a dataset.

A manifest is named after its version: `<version>.manifest` (V1), or the distance of the version from the largest
number, with twenty digits (V2), so that the newest sorts first.
"""

from __future__ import annotations

FOLDER = "_versions"
SUFFIX = ".manifest"
NEWEST = 2**64 - 1
V1, V2 = "V1", "V2"
V2_DIGITS = 20


def manifest_name(version: int, scheme: str) -> str:
    """Return the place of a version's manifest, relative to the dataset; `scheme` is V1 or V2."""
    stem = f"{NEWEST - version:0{V2_DIGITS}}" if scheme == V2 else str(version)
    return f"{FOLDER}/{stem}{SUFFIX}"


def scheme_of(name: str) -> str:
    """Return the scheme in which a manifest is named."""
    stem = name.rpartition("/")[2].removesuffix(SUFFIX)
    return V2 if len(stem) == V2_DIGITS else V1


def version_of(name: str) -> int | None:
    """Return the version whose manifest a file in the folder is, None for another file."""
    stem = name.rpartition("/")[2].removesuffix(SUFFIX)
    if not name.endswith(SUFFIX) or not stem.isdigit():
        return None
    return NEWEST - int(stem) if len(stem) == V2_DIGITS else int(stem)


def beside(manifest: str, suffix: str) -> str:
    """Return the name of an additional file of a manifest."""
    return manifest.removesuffix(SUFFIX) + suffix
