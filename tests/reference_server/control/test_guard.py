"""Guard of the control paths: programs on this machine are accepted, web pages and other machines are not."""

from __future__ import annotations

import socket

import pytest

from lakeproof import serve
from reference_server.control.guard import Guard, UnsupportedBody
from reference_server.errors import PermissionDenied, Unauthenticated

HERE = {"Host": "127.0.0.1:8181"}
JSON = {**HERE, "Content-Type": "application/json"}
TOKEN = "s3cret"
LOCAL = Guard("127.0.0.1")


def refusal(method="GET", headers=HERE, peer="127.0.0.1", *, guard=LOCAL):
    try:
        guard.check(method, headers, peer)
    except (PermissionDenied, Unauthenticated, UnsupportedBody) as error:
        return error.status
    return None


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.1:8181", "localhost:1", "LOCALHOST.", "[::1]:8181", "127.9.9.9"]
)
def test_programs_on_this_machine_may_use_them(host):
    assert refusal(headers={"Host": host}) is None


@pytest.mark.parametrize("peer", ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
def test_loopback_has_several_addresses(peer):
    assert refusal(peer=peer) is None


@pytest.mark.parametrize("peer", ["192.168.1.7", "", "::ffff:10.0.0.1", "fe80::1%eth0"])
def test_other_machines_are_refused(peer):
    assert refusal(peer=peer) == 403


@pytest.mark.parametrize("header", ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host"])
def test_what_a_proxy_forwards_is_refused(header):
    assert refusal(headers={**HERE, header: "10.0.0.1"}) == 403


@pytest.mark.parametrize(
    "host", ["evil.example:8181", "127.0.0.1.evil.example", "", "10.0.0.1", "localhost.evil.example"]
)
def test_a_foreign_name_of_the_loopback_address_is_refused(host):
    assert refusal(headers={"Host": host}) == 403


def test_the_address_of_the_server_is_a_name_of_its_own():
    assert refusal(headers={"Host": "mock.test:8181"}, guard=Guard("mock.test")) is None


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:3000"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_web_pages_are_refused(headers):
    assert refusal(headers={**HERE, **headers}) == 403
    assert refusal("POST", {**JSON, **headers}) == 403


def test_a_client_that_names_the_server_as_its_origin_is_accepted():
    assert refusal("POST", {**JSON, "Origin": "http://127.0.0.1:8181"}) is None


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "application/jsonp"]
)
@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_writes_that_a_browser_sends_anywhere_are_refused(method, kind):
    headers = {**HERE, "Content-Type": kind} if kind else HERE
    assert refusal(method, headers) == (None if (method, kind) == ("PUT", "") else 415)


@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8", "Application/YAML"])
def test_writes_of_other_types_are_accepted(kind):
    assert refusal("POST", {**HERE, "Content-Type": kind}) is None


def test_a_deletion_needs_no_body():
    assert refusal("DELETE") is None


def test_a_token_replaces_address_and_name():
    guard = Guard("0.0.0.0", TOKEN)
    bearer = {"Host": "mock.example", "Authorization": f"Bearer {TOKEN}"}
    assert refusal(headers=bearer, peer="10.0.0.1", guard=guard) is None
    assert refusal(headers={**bearer, "Origin": "http://evil.example"}, peer="10.0.0.1", guard=guard) == 403
    for wrong in (
        {},
        {"Authorization": "Bearer other"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": "Bearer \xff"},
    ):
        assert refusal(headers={**HERE, **wrong}, guard=guard) == 401


def test_the_token_is_not_shown():
    assert TOKEN not in repr(Guard("127.0.0.1", TOKEN))
    with serve("lance", storage="memory:pure", control_token=TOKEN) as server:
        assert TOKEN not in repr(server.settings)


def test_the_server_asks_its_guard(http):
    with serve("lance", storage="memory:pure") as server:
        url = f"{server.url}/_lakeproof"
        assert http("GET", url).status == 200
        assert http("GET", url, headers={"Host": "evil.example"}).status == 403
        assert http("POST", url, body=b"x", headers={"Content-Type": "text/plain"}).status == 415
        refused = http("OPTIONS", url, headers={"Origin": "http://evil.example"})
        assert (refused.status, refused.headers.get("Access-Control-Allow-Origin")) == (403, None)


def test_the_server_knows_the_address_of_its_client(http):
    own = socket.gethostbyname(socket.gethostname())
    if own.startswith("127."):
        pytest.skip("this machine has the loopback address alone")
    with serve("lance", storage="memory:pure", host="0.0.0.0") as server:
        assert http("GET", f"http://{own}:{server.port}/_lakeproof", headers={"Host": "localhost"}).status == 403
        assert server.control("GET", "")["apis"] == {"lance": ""}


def test_python_sends_the_token():
    with serve("lance", storage="memory:pure", control_token=TOKEN) as server:
        assert server.control("GET", "")["apis"] == {"lance": ""}


def test_the_health_path_is_open(http):
    with serve("iceberg", control_token=TOKEN) as server:
        foreign = {"Host": "evil.example", "X-Forwarded-For": "10.0.0.1"}
        answer = http("GET", f"{server.control_address}/_lakeproof/health", headers=foreign)
        assert (answer.status, answer.json()) == (200, {"ready": True})
        assert http("GET", f"{server.control_address}/_lakeproof/rules", headers=foreign).status == 401
