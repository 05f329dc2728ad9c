"""Two servers asked the same: what counts as another answer, and the fewest steps that show it."""

from __future__ import annotations

from dataclasses import replace

import orjson
import pytest

from conformance.after.comparing import shrinking
from conformance.after.comparing.echo import Echo
from conformance.after.comparing.mirror import Deviation, Mirror, names_between
from conformance.after.comparing.servers import compare_answers
from conformance.after.comparing.shrinking import Shrinker
from conformance.after.comparing.sides import by_side, difference, side_of
from conformance.after.runner import run
from conformance.http.client import Client
from conformance.http.transport import Connection
from conformance.lance.client import LanceClient
from conformance.replay.answers import Reader, Spot
from conformance.replay.renaming import Renaming
from conformance.run.session import handshake
from conformance.target.target import connect
from conformance.values.exchange import Exchange
from conformance.values.settings import load_settings
from lakeproof import serve
from specs.errors import ErrorBody
from specs.profiles import find_profile
from tests.conformance.proxy import Answer, Proxy

READER = Reader(ErrorBody(code="/code"), ordered=("fields",))
NAMES = Renaming({"lpa": "lpb"})
CONFLICT = "lance.namespace.create.conflict"


def answer(body, status=200):
    headers = {"Content-Type": "application/json"}
    return Exchange("Op", "GET", "http://a/", {}, status=status, response_headers=headers, response_body=body)


def spots(first, other, status=200):
    return READER.spots(answer(orjson.dumps(first), status), answer(orjson.dumps(other), status), NAMES)


def test_a_number_that_became_another_kind_of_value_is_not_renamed():
    """A damaged answer has a flag or a text where the recorded one had the number of a version."""
    for now in (b'{"version": true}', b'{"version": "x1234567"}', b'{"version": null}'):
        names = Renaming({})
        exchange = Exchange("loadTable", "GET", "http://h/", {}, status=200, response_body=now)
        names.learn({"version": 1234567}, {}, exchange)
        assert names.value({"version": 1234567}) == {"version": 1234567}
    assert Renaming({"1234567": "lp1"}).value(1234567) == 1234567
    assert Renaming({"1234567": "7654321"}).value(1234567) == 7654321


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ({"name": "lpan1"}, {"name": "lpbn1"}),
        ({"lpan1": 1}, {"lpbn1": 1}),
        ({"id": "3f2b8c1e-0000-4000-8000-1234567890ab"}, {"id": "aaaaaaaa-0000-4000-8000-1234567890ab"}),
        ({"at": 1763840000000}, {"at": 1763849999999}),
        ({"at": "2026-11-22T19:39:07Z"}, {"at": "2026-11-22T20:00:00.123+00:00"}),
        ({"location": "file:///a/lpan1"}, {"location": "s3://bucket/x"}),
        ({"names": ["a", "b"]}, {"names": ["b", "a"]}),
        ({"names": ["lpan1", "somebody"]}, {"names": ["lpbn1"]}),
        ({"next": None}, {}),
    ],
)
def test_what_servers_make_up_is_no_difference(first, other):
    assert spots(first, other) == []


@pytest.mark.parametrize(
    ("first", "other", "place", "kind"),
    [
        ({"name": "lpan1"}, {"name": "lpbn2"}, "body:/name", "another"),
        ({"version": 1}, {"version": 2}, "body:/version", "another"),
        ({"version": 1}, {"version": "1"}, "body:/version", "another type"),
        ({"a": {"b": 1}}, {"a": {}}, "body:/a/b", "only A"),
        ({}, {"b": 1}, "body:/b", "only B"),
        ({"lpan1": 1}, {"lpbn1": 2}, "body:/*", "another"),
        ({"fields": ["a", "b"]}, {"fields": ["b", "a"]}, "body:/fields", "another order"),
        ({"names": ["a", "b"]}, {"names": ["a"]}, "body:/names", "other items"),
        ({"tables": [{"x": 1}, {"x": 2}]}, {"tables": [{"x": 2}, {"x": 3}]}, "body:/tables/*/x", "another"),
    ],
)
def test_other_differences_have_a_place(first, other, place, kind):
    assert [(spot.place, spot.kind) for spot in spots(first, other)] == [(place, kind)]


def test_errors_are_told_apart_by_their_codes_and_not_by_their_words():
    assert spots({"code": 4, "error": "not here"}, {"code": 4, "error": "nowhere", "detail": "x"}, 404) == []
    assert [spot.place for spot in spots({"code": 4}, {"code": 13}, 404)] == ["error:code"]
    assert READER.spots(answer(b"{}"), answer(b"{}", 404), NAMES)[0].place == "status"


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    """The settings of a run on a right server, and on one with a fault."""
    folder = tmp_path_factory.mktemp("compared")
    right, wrong = (serve("lance", storage="memory:pure", faults=faults) for faults in ([], ["conflict-as-400"]))
    with right as first, wrong as other:
        yield [
            load_settings({"server": server.url, "select": CONFLICT, "report": str(folder)}, environ={}, folder=folder)
            for server in (first, other)
        ]


@pytest.fixture(scope="module")
def compared(servers):
    first, second = servers
    results, code, comparison = compare_answers(first, second, None, "")
    again, _, same = compare_answers(second, second, None, "")
    assert (code, same.deviations, comparison.lost, comparison.deviations[0].seen_once) == (0, [], "", False)
    return results, again, comparison.deviations


def test_a_difference_is_told_once(compared):
    _, _, (deviation,) = compared
    assert deviation.pairs[-1][1].status == 400
    assert "CreateNamespace: A returns 409 (2 " in difference(deviation)
    assert list(deviation.requirements) == [CONFLICT]


def test_levels_are_separated_as_each_server_wants_it(servers):
    first, second = (connect(settings) for settings in servers)
    first.capabilities["separator"], second.capabilities["separator"] = ".", "\x1f"
    names = Renaming(names_between(first, second))
    assert names.text(f"/v1/namespaces/{first.prefix}n1%2Ea.b") == f"/v1/namespaces/{second.prefix}n1%1Fa.b"
    assert "%1F" not in names_between(second, second)


def test_steps_and_fields_that_do_not_matter_are_left_out(servers, compared, monkeypatch):
    targets = [connect(settings) for settings in servers]
    for target in targets:
        handshake(target)
    first, second = targets
    mirror = Mirror(first, second, READER)
    first.client.recording.listener = mirror.hear
    first.client.begin_example()
    for name in ("n1", "n2", "n1"):
        id = f"{first.prefix}{name}"
        first.client.call("ListNamespaces", path={"id": "$"}, json={"id": []}, expect=None)
        body = {"id": [id], "mode": "Create", "properties": {"k": "v"}}
        first.client.call("CreateNamespace", path={"id": id}, json=body, expect=None)
    mirror.tested(compared[0].requirements[0])
    (deviation,) = mirror.deviations.values()
    with monkeypatch.context() as patched:
        patched.setattr(shrinking, "MOST_SECONDS", 0.0)
        assert Shrinker(mirror, first, second).shrink(deviation)  # it is seen again, and no time is left for more
    assert (len(deviation.pairs), Shrinker(mirror, first, second).shrink(deviation)) == (6, True)
    assert [exchange.operation for exchange, _ in deviation.pairs] == ["CreateNamespace", "CreateNamespace"]
    assert orjson.loads(deviation.pairs[-1][0].request_body) == {}
    for target in targets:
        target.sandbox.sweep()


def test_a_body_that_is_no_json_is_blamed_on_who_sent_it(servers, tmp_path):
    first = servers[0]
    with serve("lance", storage="memory:pure", faults=["plain-text-errors"]) as plain:
        second = replace(first, server=plain.url, report=str(tmp_path))
        results, _, comparison = compare_answers(first, second, None, "")
        judged, _ = run(second)
        left = LanceClient(Client(Connection(plain.url, {}, 10.0), find_profile("lance").document()))
        assert left.list_namespaces(())["namespaces"] == []
    assert comparison.deviations
    assert {side_of(deviation, results, judged) for deviation in comparison.deviations} == {"A"}


def test_the_document_supports_who_keeps_to_it(compared):
    first, second, (deviation,) = compared
    assert side_of(deviation, first, second) == "A"
    assert side_of(deviation, first, first) == "open"


def echo(chosen=()):
    return Echo(Client(Connection("http://b", {}, 1.0), find_profile("lance").document()), "http://a", NAMES, chosen)


def asked(url="http://a/v1/x", body=b""):
    return Exchange("Op", "POST", url, {}, body)


@pytest.mark.parametrize(
    ("first", "other", "request_body", "same"),
    [
        ({"token": "9f8e7d6c5b"}, {"token": "1a2b3c4d5e"}, b'{"token": "9f8e7d6c5b"}', False),
        ({"token": "9f8e7d6c5b"}, {"token": "9f8e7d6c5b"}, b'{"token": "9f8e7d6c5b"}', True),
        ({"tasks": ["9f8e7d6c5b"]}, {}, b'{"task": "9f8e7d6c5b"}', False),
        ({"tasks": ["9f8e7d6c5b"]}, {}, b'{"task": "another"}', True),
        ({"page": "1"}, {"page": "YWI"}, b"{}", False),
        ({"page": "1"}, {"page": "1"}, b"{}", True),
        ({"other": "1"}, {"other": "2"}, b"{}", True),
    ],
)
def test_what_one_server_has_chosen_is_not_asked_of_the_other(first, other, request_body, same):
    repeated = echo(chosen=["page"])
    repeated.note(answer(orjson.dumps(first)), answer(orjson.dumps(other)))
    assert repeated.can_ask(asked(body=request_body)) is same


def test_a_file_that_was_written_for_one_server_is_not_asked_of_the_other():
    repeated = echo()
    made = asked(body=b'{"name": "t"}')
    made = replace(made, status=200, response_body=b'{"location": "file:///lake/t-4d5e6f7a8b9c0d1e/"}')
    assert repeated.can_ask(made)
    assert repeated.can_ask(asked(body=b'{"location": "file:///lake/t-4d5e6f7a8b9c0d1e/"}'))
    assert not repeated.can_ask(asked(body=b'{"list": "file:///lake/t-4d5e6f7a8b9c0d1e/metadata/list.avro"}'))


def refusal(operation, status, body):
    return replace(answer(body, status), operation=operation)


def test_refusals_of_one_cause_are_told_once(compared):
    first, second, _ = compared
    page = b"<html><title>Error 500 cannot parse %s</title></html>"
    deviations = [
        Deviation(
            Spot("status", "another", 500, 400),
            [(refusal(name, 500, page % word), refusal(name, 400, orjson.dumps({"code": 13, "error": why})))],
            dict.fromkeys([name]),
            dict.fromkeys([f"lance.{word.decode()}"]),
        )
        for name, word, why in (("A", b"x", "a number"), ("B", b"y", "no text"), ("A", b"z", "no list at all"))
    ]
    for deviation in deviations[:2]:
        deviation.pairs[0][0].defect = ("status", "the document has no 500")
    sides = by_side(deviations, first, second)
    assert [(list(deviation.operations), len(deviation.requirements)) for deviation in sides["B"]] == [(["A", "B"], 2)]
    assert len(sides["open"]) == 1


class WithoutCreation(Proxy):
    """A server that makes no namespaces."""

    def ask(self, method, path, headers=None, body=b""):
        if path.startswith("/v1/namespace/") and path.partition("?")[0].endswith("/create"):
            return Answer(501, {"Content-Type": "application/json"}, b'{"error": "not here", "code": 0}')
        return super().ask(method, path, headers, body)


def test_operations_that_one_server_lacks_are_told_and_not_compared(servers):
    first = servers[0]
    with WithoutCreation(first.server) as proxy:
        _, _, comparison = compare_answers(first, replace(first, server=proxy.url), None, "")
        assert (comparison.lacking, comparison.deviations) == (([], ["CreateNamespace"]), [])


def test_fields_that_were_shown_by_the_same_requirements_are_told_once(compared):
    first, second, _ = compared
    pair = answer(b"{}"), answer(b"{}")
    shown = [("/a/x", "r"), ("/a/y", "r"), ("/a/z", "r"), ("/a/other", "s"), ("/b/x", "r")]
    deviations = [
        Deviation(Spot(f"body:{place}", "only B", None, 1), [pair], dict.fromkeys(["Op"]), dict.fromkeys([name]))
        for place, name in shown
    ]
    told = [difference(deviation) for deviation in by_side(deviations, first, second)["open"]]
    assert told == [
        "Op: only B has /a/x, 1 (and 2 more fields)",
        "Op: only B has /a/other, 1",
        "Op: only B has /b/x, 1",
    ]
