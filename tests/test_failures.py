"""A failure is shown at the line of ours that called another package, with the answer that it is about."""

from __future__ import annotations

import pytest
import urllib3

from tests.failures import show_ours


def refused():
    urllib3.request("GET", "http://127.0.0.1:9", retries=1)


def test_a_failure_ends_at_our_last_line(request):
    with pytest.raises(urllib3.exceptions.MaxRetryError) as caught:
        refused()
    show_ours(caught.value)
    shown = str(request.node.repr_failure(caught))
    assert [caught.traceback[-1].name, "site-packages" in shown, "Caused by" in shown] == ["refused", False, True]


def test_a_failure_of_ours_keeps_what_caused_it(request):
    with pytest.raises(AssertionError) as caught:
        try:
            refused()
        except urllib3.exceptions.HTTPError as error:
            raise AssertionError("the server is gone") from error
    show_ours(caught.value)
    assert "urllib3/connectionpool.py" in str(request.node.repr_failure(caught))


@pytest.mark.parametrize("body", [b'{"error": "no such table"}', None])
def test_a_wrong_status_is_shown_with_its_body(body):
    answer = urllib3.HTTPResponse(body=body, status=404)
    with pytest.raises(AssertionError, match=f"<404 {body!r}>"):
        assert answer.status == 200
