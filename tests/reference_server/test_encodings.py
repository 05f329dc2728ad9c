"""Bodies that are encoded: unpacked within bounds, and refused with words when they are not what they say."""

from __future__ import annotations

import gzip
import zlib

import pytest

from lakeproof import serve
from reference_server.encodings import unpacked
from reference_server.errors import BodyTooLarge, InvalidInput

PLAIN = b'{"properties":{"owner":"me"}}'
RAW = zlib.compress(PLAIN)[2:-4]
BROKEN = ["nothing", "junk", "cut", "more"]


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("identity", PLAIN),
        ("gzip", gzip.compress(PLAIN)),
        (" GZip ", gzip.compress(PLAIN)),
        ("deflate", zlib.compress(PLAIN)),
        ("deflate", RAW),
    ],
    ids=["identity", "gzip", "gzip in other letters", "deflate", "deflate without a header"],
)
def test_bodies_are_unpacked(encoding, body):
    assert unpacked(body, encoding, len(PLAIN)) == PLAIN


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
@pytest.mark.parametrize("body", [b"", b"junk", gzip.compress(PLAIN)[:-9], zlib.compress(PLAIN) + b"more"], ids=BROKEN)
def test_other_bytes_are_refused(encoding, body):
    with pytest.raises(InvalidInput, match="is not"):
        unpacked(body, encoding, 1000)


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "\xe9"])
def test_other_encodings_are_refused(encoding):
    with pytest.raises(InvalidInput, match="not known"):
        unpacked(PLAIN, encoding, 1000)


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress])
def test_no_more_is_unpacked_than_a_body_may_have(pack):
    with pytest.raises(BodyTooLarge, match="1000 bytes"):
        unpacked(pack(bytes(1 << 20)), "gzip" if pack is gzip.compress else "deflate", 1000)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br"])
def test_junk_is_answered(http, encoding):
    with serve("lance", storage="memory:pure") as server:
        headers = {"Content-Type": "application/json", "Content-Encoding": encoding}
        answer = http("POST", server.url + "/v1/namespace/a/create", body=b"junk", headers=headers, timeout=10)
        assert (answer.status, answer.json()["code"]) == (400, 13)
        answer = http("POST", server.url + "/v1/namespace/a/create", body=gzip.compress(PLAIN), headers=headers)
        assert answer.status == (200 if encoding == "gzip" else 400)
