"""Encodings of request bodies: gzip and deflate, decompressed up to the limit of a body."""

from __future__ import annotations

import zlib

from reference_server.errors import BodyTooLarge, InvalidInput

PLAIN = ("", "identity")
WINDOWS = {"gzip": (31,), "x-gzip": (31,), "deflate": (15, -15)}
"""zlib's formats of each encoding; some clients send deflate without its header."""


def unpacked(body: bytes, encoding: str, most: int) -> bytes:
    """Return a decompressed body.

    Raises InvalidInput for an unknown encoding and for a body that is not in it, and BodyTooLarge for a body of more
    than `most` bytes; decompression stops there.
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
    """Return a body decompressed by zlib, None for a body in another format or an incomplete one."""
    reader = zlib.decompressobj(window)
    try:
        plain = reader.decompress(body, most + 1)
    except zlib.error:
        return None
    if len(plain) > most:
        raise BodyTooLarge(f"The body is larger than {most} bytes when it is unpacked.")
    return plain if reader.eof and not reader.unused_data else None
