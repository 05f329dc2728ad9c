"""Locations of files on this machine."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit


def local_path(uri: str) -> Path | None:
    """Return the path of a location on this machine, None for one elsewhere and for a relative or invalid one."""
    try:
        split = urlsplit(uri)
    except ValueError:
        return None
    if split.scheme == "":
        path = uri
    elif split.scheme == "file" and split.netloc in ("", "localhost"):
        path = unquote(split.path)
    else:
        return None
    return Path(path) if path.startswith("/") else None
