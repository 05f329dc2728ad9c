"""Locations taken apart: where they begin, and the folders from there on. Each storage has one spelling here."""

from __future__ import annotations

import re

from reference_server.errors import InvalidInput
from reference_server.iceberg.catalog.warehouses import SCHEME
from reference_server.storage.places import Place, check_size

LOCAL = "file"
SCHEMES = {"s3a": "s3", "s3n": "s3", "abfs": "abfss", "wasb": "abfss", "wasbs": "abfss", "gcs": "gs"}
AZURE_HOST = re.compile(r"\.(?:blob|dfs)\.")


def place_of(location: str) -> Place:
    """Return a location as its storage and the folders in it, for instance `("s3://bucket", "a", "b")`.

    Raises InvalidInput for a relative one, for one that leads up, and for one that is too large.
    """
    check_size(location)
    match = SCHEME.match(location)
    scheme = match[1].lower() if match else LOCAL
    rest = location[match.end() :] if match else location
    scheme = SCHEMES.get(scheme, scheme)
    if scheme == LOCAL:
        start, path = LOCAL, rest.removeprefix("//localhost") if rest.startswith("//localhost/") else rest
        absolute = path.startswith("/") and (not path.startswith("//") or path.startswith("///"))
    else:
        bucket, _, path = rest.removeprefix("//").partition("/")
        start, absolute = f"{scheme}://{AZURE_HOST.sub('.dfs.', bucket)}", bool(bucket)
    folders = tuple(part for part in path.split("/") if part)
    if not absolute or "\0" in location or {".", ".."} & set(folders):
        raise InvalidInput(f"The location {location!r:.300} is neither a URI nor an absolute path without dots.")
    return (start, *folders)


def is_within(place: Place, outer: Place) -> bool:
    """Return whether a place is another one, or lies in it."""
    return place[: len(outer)] == outer
