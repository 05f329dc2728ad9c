"""How the files of versions are called, below `_versions/` of a dataset.

A manifest is named after its version: `<version>.manifest` (V1), or the distance of the version from
the largest number, with twenty digits (V2), so that the newest comes first.
"""

from __future__ import annotations

FOLDER = "_versions"
SUFFIX = ".manifest"
NEWEST = 2**64 - 1
V1, V2 = "V1", "V2"
V2_DIGITS = 20


def manifest_name(version: int, scheme: str) -> str:
    """Return where the manifest of a version has its place, relative to the dataset; `scheme` is V1 or V2."""
    stem = f"{NEWEST - version:0{V2_DIGITS}}" if scheme == V2 else str(version)
    return f"{FOLDER}/{stem}{SUFFIX}"


def scheme_of(name: str) -> str:
    """Return the scheme in which a manifest is named."""
    stem = name.rpartition("/")[2].removesuffix(SUFFIX)
    return V2 if len(stem) == V2_DIGITS else V1


def version_of(name: str) -> int | None:
    """Return the version that a file in the folder is the manifest of, None if it is none."""
    stem = name.rpartition("/")[2].removesuffix(SUFFIX)
    if not name.endswith(SUFFIX) or not stem.isdigit():
        return None
    return NEWEST - int(stem) if len(stem) == V2_DIGITS else int(stem)


def beside(manifest: str, suffix: str) -> str:
    """Return the name of a file that says something about a manifest."""
    return manifest.removesuffix(SUFFIX) + suffix
