"""Functions: read from a folder, listed, shown; and what is not a function."""

from __future__ import annotations

import copy
import json
import shutil

import pytest

from lakeproof import serve
from reference_server.iceberg.catalog.function_files import SAMPLES, read_functions
from specs.problems import Problem
from specs.profiles import find_profile
from tests.reference_server.iceberg.conftest import Api

DOCUMENT = find_profile("iceberg").document()
NET_PRICE = json.loads((SAMPLES / "samples" / "net_price.json").read_text())
NAMES = ["days_between", "first_of", "net_price"]


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "functions"
    for namespace, name in ((("a",), "f"), (("a", "b c"), "ü.v2"), (("z",), "f")):
        place = folder.joinpath(*namespace)
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{name}.json").write_text(json.dumps(NET_PRICE))
    return folder


@pytest.fixture
def samples(open_api):
    with open_api(functions=str(SAMPLES)) as api:
        yield api


def test_the_samples_are_listed(samples):
    listed = samples.call("GET", "namespaces/samples/functions", expect=200).body
    assert listed == {"identifiers": [["samples", name] for name in NAMES], "next-page-token": None}
    assert ["samples"] in samples.call("GET", "namespaces").body["namespaces"]


def test_a_function_is_shown(samples):
    function = samples.call("GET", "namespaces/samples/functions/net_price", expect=200).body
    assert function["metadata"] == NET_PRICE
    assert function["metadata-location"] == f"file://{SAMPLES}/samples/net_price.json"


def test_a_namespace_with_functions_stays(samples):
    assert samples.call("DELETE", "namespaces/samples", expect=409).type == "NamespaceNotEmptyException"
    samples.table("samples/tables/net_price")
    samples.call("DELETE", "namespaces/samples/tables/net_price", expect=204)
    assert samples.call("GET", "namespaces/samples/functions").body["identifiers"]


def test_every_warehouse_has_them(open_api, folder):
    with open_api(functions=str(folder), warehouses=("default", "lab")) as api:
        for prefix in ("", "default/", "lab/"):
            second_api = Api(api.http, api.url, prefix)
            assert second_api.call("GET", "namespaces/a%1Fb%20c/functions", expect=200).body["identifiers"] == [
                ["a", "b c", "ü.v2"]
            ]
            assert second_api.call("GET", "namespaces").body["namespaces"] == [["a"], ["z"]]


def test_the_folder_is_read_anew_at_each_start(tmp_path, folder, http):
    def start(functions):
        return serve("iceberg", storage=f"dir:{tmp_path / 'lake'}", functions=functions)

    with start(str(folder)) as server:
        Api(http, server.url).call("GET", "namespaces/a/functions/f", expect=200)
    (folder / "a" / "g.json").write_text(json.dumps({**NET_PRICE, "doc": "new"}))
    shutil.rmtree(folder / "z")
    with start(str(folder)) as server:
        api = Api(http, server.url)
        assert api.call("GET", "namespaces/a/functions").body["identifiers"] == [["a", "f"], ["a", "g"]]
        assert api.call("GET", "namespaces/z/functions", expect=200).body["identifiers"] == []
        api.call("DELETE", "namespaces/z", expect=204)
    with start("") as server:
        api = Api(http, server.url)
        assert api.call("GET", "namespaces/a/functions").body["identifiers"] == []


def test_older_revisions_have_none():
    assert read_functions(str(SAMPLES), find_profile("iceberg/1.11").document()) == {}


def edited(edit):
    metadata = copy.deepcopy(NET_PRICE)
    edit(metadata, metadata["definitions"])
    return json.dumps(metadata)


BROKEN = {
    "no JSON": "{",
    "no function": "{}",
    "another version": edited(lambda m, _: m.update({"format-version": 2})),
    "an unknown kind": edited(lambda _, d: d[0].update({"function-type": "macro"})),
    "an id with spaces": edited(lambda _, d: d[0].update({"definition-id": "decimal(12,2), int"})),
    "an id of other types": edited(lambda _, d: d[0].update({"definition-id": "int,int"})),
    "an overload twice": edited(lambda _, d: d.append(d[0])),
    "a shared specific name": edited(lambda _, d: d[1].update({"specific-name": d[0]["specific-name"]})),
    "no current version": edited(lambda _, d: d[0].update({"current-version-id": 7})),
    "a version twice": edited(lambda _, d: d[0]["versions"].append(d[0]["versions"][0])),
    "a log of nothing": edited(lambda m, _: m["definition-log"][0]["definition-versions"][0].update({"version-id": 7})),
    "a table function of text": edited(lambda _, d: d[0].update({"function-type": "udtf"})),
    "a type with a space": edited(lambda _, d: d[0].update({"return-type": "decimal(12, 2)"})),
    "a nested type with a quote": edited(
        lambda _, d: d[0].update({"return-type": {"type": "list", "element": {"type": "list", "element": "'x'"}}})
    ),
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_what_is_no_function_is_one_clear_problem(tmp_path, text):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "f.json").write_text(text)
    with pytest.raises(Problem, match=r"a/f\.json"):
        read_functions(str(tmp_path), DOCUMENT)


@pytest.mark.parametrize("name", ["f.json", "a/.json", "a/x\x01.json"])
def test_what_is_no_name(tmp_path, name):
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(NET_PRICE))
    with pytest.raises(Problem, match="cannot be a function"):
        read_functions(str(tmp_path), DOCUMENT)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(Problem, match="does not exist"):
        serve("iceberg", functions=str(tmp_path / "none"))
