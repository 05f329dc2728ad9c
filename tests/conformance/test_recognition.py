"""Recognition of the API that a server speaks, by requests that read, for a run that names none."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.run.recognition import recognise
from conformance.values.settings import Settings
from lakeproof import serve
from specs.apis import apis
from specs.problems import Problem
from tests.conformance.small_servers import SmallServer, say

ROOT = "root:s3cr3t"
OWN: dict[str, dict[str, Any]] = {"polaris": {"bootstrap": ROOT}}
GIVEN = {"polaris": ROOT}
NO_BUCKET = {"error": {"message": "there is no such bucket", "type": "bad_request", "code": 400}}


@pytest.mark.parametrize("api", apis())
def test_the_api_of_a_server_is_found_by_requests_that_read(api):
    with serve(api, storage="memory", **OWN.get(api, {})) as server:
        assert recognise(Settings(server=server.url, credential=GIVEN.get(api, ""))) == api
        asked = {entry.operation for entry in server.requests() if entry.method not in ("GET", "HEAD")}
    assert asked - {"", None} <= {"DescribeNamespace", "getToken"}


def test_the_apis_of_one_server_are_found_at_their_places():
    with serve("lance", "iceberg", storage="memory") as server:
        assert {api: recognise(Settings(server=url)) for api, url in server.urls.items()} == {
            "lance": "lance",
            "iceberg": "iceberg",
        }


def answering(answer):
    return SmallServer(lambda handler, _: answer(handler))


def problem_at(url):
    with pytest.raises(Problem) as caught:
        recognise(Settings(server=url))
    return caught.value


def test_a_server_of_no_api_is_told_with_its_answers():
    def answer(handler):
        say(handler, 404 if handler.path.startswith("/v1/config") else 418, {"oh": "no"})

    with answering(answer) as server:
        problem = problem_at(server.url)
    assert "No API answers at" in str(problem)
    assert "Iceberg REST: 404 from" in str(problem)
    assert "--api" in problem.hint


def test_a_server_that_rejects_everybody_wants_credentials():
    with answering(lambda handler: say(handler, 401, {})) as server:
        assert "requires credentials" in str(problem_at(server.url))


def test_an_unreachable_server_is_told_once():
    assert "cannot be reached" in str(problem_at("http://127.0.0.1:9"))


@pytest.mark.parametrize(("status", "body"), [(401, {}), (400, NO_BUCKET)], ids=["credentials", "warehouse"])
def test_the_only_api_that_rejects_the_run_is_the_servers(status, body):
    """Its run tells the reason; the paths of the other APIs do not exist."""

    def answer(handler):
        say(handler, *((status, body) if handler.path.startswith("/v1/config") else (404, {})))

    with answering(answer) as server:
        assert recognise(Settings(server=server.url)) == "iceberg"


def test_an_error_with_a_number_is_weaker_than_a_configuration():
    """A catalog whose errors look like those of Lance is still a catalog."""

    def answer(handler):
        known = handler.path.startswith("/v1/config")
        say(handler, *((200, {"defaults": {}, "overrides": {}}) if known else (400, {"code": 7, "message": "no"})))

    with answering(answer) as server:
        assert recognise(Settings(server=server.url)) == "iceberg"
