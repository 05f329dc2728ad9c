"""The encodings of request bodies: gzip and deflate, unpacked to no more than a body may have."""

from __future__ import annotations

import zlib

from reference_server.errors import BodyTooLarge, InvalidInput

PLAIN = ("", "identity")
WINDOWS = {"gzip": (31,), "x-gzip": (31,), "deflate": (15, -15)}
"""The formats of zlib that each encoding may have; senders of deflate forget its header."""


def unpacked(body: bytes, encoding: str, most: int) -> bytes:
    """Return a body without its encoding.

    Raises InvalidInput for an unknown encoding and for a body that is not in it, BodyTooLarge for one of more than
    `most` bytes: no more are unpacked.
    """
    name = encoding.strip().lower()
    if name in PLAIN:
        return body
    if name not in WINDOWS:
        raise InvalidInput(f"The Content-Encoding {name!r:.100} is not known; send gzip, deflate or a plain body.")
    for window in WINDOWS[name]:
        plain = _inflated(body, window, most)
        if plain is not None:
            return plain
    raise InvalidInput(f"The body is not {name}, as its Content-Encoding says.")


def _inflated(body: bytes, window: int, most: int) -> bytes | None:
    """Return what zlib makes of a body, None when it is in another format or breaks off."""
    reader = zlib.decompressobj(window)
    try:
        plain = reader.decompress(body, most + 1)
    except zlib.error:
        return None
    if len(plain) > most:
        raise BodyTooLarge(f"The body is larger than {most} bytes when it is unpacked.")
    return plain if reader.eof and not reader.unused_data else None
