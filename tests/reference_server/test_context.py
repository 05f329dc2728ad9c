"""Parts of a request that a handler gets."""

from __future__ import annotations

from urllib.parse import parse_qs

from hypothesis import given
from hypothesis import strategies as st

from reference_server.context import Request

PIECES = st.sampled_from(["", "a", "b", "ä", "=", "==", "&", "&&", "%20", "%3D", "+", ";", "1", "page", "%zz"])


@given(st.lists(PIECES, max_size=12).map("".join))
def test_a_query_is_read_as_everybody_reads_it(text):
    assert Request("1", "GET", f"/v1/x?{text}", {}).query == parse_qs(text, keep_blank_values=True)


def test_a_path_alone_has_no_query():
    assert Request("1", "GET", "/v1/x", {}).query == {}
