"""Parsed locations: their storage, and the folders in it, in one spelling for each storage."""

from __future__ import annotations

import re
from urllib.parse import unquote

from reference_server.errors import InvalidInput
from reference_server.iceberg.catalog.warehouses import SCHEME
from reference_server.storage.places import Place, check_size

LOCAL = "file"
LOCAL_HOSTS = frozenset({"", "localhost"})
ROOT = "file://"  # the whole file system, in Polaris's reading
HOST = re.compile(r"\S+")
SCHEMES = {"s3a": "s3", "s3n": "s3", "abfs": "abfss", "wasb": "abfss", "wasbs": "abfss", "gcs": "gs"}
AZURE_HOST = re.compile(r"\.(?:blob|dfs)\.")
DOTS = frozenset({".", ".."})
UNFIT = re.compile(r"[\x00-\x1f\x7f]")
MOST_DECODINGS = 8


def place_of(location: str) -> Place:
    """Return a location as its storage and the folders in it, for instance `("s3://bucket", "a", "b")`.

    Nothing is percent-decoded: a file's name is the text as it is. Raises InvalidInput for a relative location, for one
    that leads upwards, and for one that is too long.
    """
    check_size(location)
    match = SCHEME.match(location)
    scheme = match[1].lower() if match else LOCAL
    rest = location[match.end() :] if match else location
    scheme = SCHEMES.get(scheme, scheme)
    if scheme == LOCAL and not rest.startswith("//"):
        host, path, known = "", rest, rest.startswith("/")
    else:
        host, _, path = rest.removeprefix("//").partition("/")
        known = host in LOCAL_HOSTS if scheme == LOCAL else bool(HOST.fullmatch(host))
    folders = tuple(filter(None, path.split("/")))
    if not known or UNFIT.search(location) or DOTS & {host, *folders}:
        raise InvalidInput(f"The location {location!r:.300} is neither a URI nor an absolute path without dots.")
    return (LOCAL if scheme == LOCAL else f"{scheme}://{AZURE_HOST.sub('.dfs.', host)}", *folders)


def check_plain(location: str) -> None:
    """Raise InvalidInput for a location that leads upwards when it is decoded, as some clients do."""
    if not is_plain(location):
        raise InvalidInput(f"The location {location!r:.300} has encoded dots, or encoded control characters.")


def is_plain(text: str) -> bool:
    """Return whether a text has no dot folders, even if a client decodes it or treats backslashes as slashes."""
    for _ in range(MOST_DECODINGS):
        if UNFIT.search(text) or DOTS & set(text.replace("\\", "/").split("/")):
            return False
        decoded = unquote(text)
        if decoded == text:
            return True
        text = decoded
    return False


def is_within(place: Place, outer: Place) -> bool:
    """Return whether a place is equal to another one or inside of it."""
    return place[: len(outer)] == outer
