"""Control paths, whatever they do."""

from __future__ import annotations

import pytest

from lakeproof import serve
from reference_server.control import paths
from reference_server.control.paths import ROUTES, Route
from specs.problems import Problem


@pytest.fixture(scope="module")
def server():
    with serve(storage="memory:pure") as server:
        yield server


def message(answer):
    return answer.json()["error"]["message"]


def test_the_paths_and_the_apis_are_listed(server):
    listed = server.control("GET", "")
    assert [entry["path"] for entry in listed["paths"]] == ["/_lakeproof" + route.path for route in ROUTES]
    assert {name: server.control_address + path for name, path in listed["apis"].items()} == server.urls


def test_an_unknown_path_gets_the_nearest(server, http):
    answer = http("GET", f"{server.control_address}/_lakeproof/nothing")
    assert (answer.status, message(answer)[:42]) == (404, "There is no control path /_lakeproof/nothi")


def test_another_method_gets_the_right_ones(server, http):
    answer = http("DELETE", f"{server.control_address}/_lakeproof")
    assert (answer.status, answer.headers["Allow"]) == (405, "GET")


async def echo(request):
    if request.body == "problem":
        raise Problem("It is wrong.", "Do it right.")
    return {"path": request.path, "query": request.query("a"), "body": request.body}


@pytest.fixture
def echoing(monkeypatch):
    monkeypatch.setattr(paths, "ROUTES", (Route("POST", "/echo/{id}", echo, ""),))


@pytest.mark.usefixtures("echoing")
def test_a_function_gets_parameters_query_and_body(server):
    answer = server.control("POST", "/echo/a%2Fb?a=1&a=2", {"x": 1})
    assert answer == {"path": {"id": "a/b"}, "query": "2", "body": {"x": 1}}


@pytest.mark.usefixtures("echoing")
def test_a_problem_is_told(server):
    with pytest.raises(Problem, match=r"^It is wrong. Do it right.$"):
        server.control("POST", "/echo/1", "problem")


@pytest.mark.usefixtures("echoing")
@pytest.mark.parametrize("body", [b"{", b"\xff"])
def test_a_body_that_is_no_json_is_refused(server, http, body):
    headers = {"Content-Type": "application/json"}
    assert http("POST", f"{server.control_address}/_lakeproof/echo/1", body=body, headers=headers).status == 400
    assert http("POST", f"{server.control_address}/_lakeproof/echo/%ff", headers=headers).status == 400


def test_a_server_that_has_stopped_is_named():
    with serve("lance", storage="memory:pure") as server:
        pass
    with pytest.raises(Problem, match=r"cannot be reached: .*refused"):
        server.control("GET", "")
