"""Locations of files on this machine."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit


def local_path(uri: str) -> Path | None:
    """Return the path of a location on this machine, None for one elsewhere and for an invalid one."""
    try:
        split = urlsplit(uri)
    except ValueError:
        return None
    if split.scheme == "":
        return Path(uri) if uri.startswith("/") else None
    return Path(unquote(split.path)) if split.scheme == "file" and split.netloc in ("", "localhost") else None
