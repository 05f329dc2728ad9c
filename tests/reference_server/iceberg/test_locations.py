"""No table lies at, in or around another table or view, whatever brings it there, but for a second name of it."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from lakeproof import serve
from reference_server import limits
from reference_server.iceberg.catalog.catalog import WarehouseChange
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.catalog.location_rules import LocationRules
from reference_server.iceberg.catalog.warehouses import AllowedLocations, Warehouse
from reference_server.storage.memory import MemoryStorage
from reference_server.storage.transactions import Transaction
from tests.conftest import storage_option
from tests.reference_server.iceberg.committing import CREATE, creation, register, transact
from tests.reference_server.iceberg.conftest import SCHEMA, Api, at_once

VERSION = {"version-id": 1, "timestamp-ms": 1, "schema-id": 0, "summary": {}, "default-namespace": ["a"]}
VERSION["representations"] = [{"type": "sql", "sql": "select 1", "dialect": "spark"}]
SAME = ["{}", "{}/", "{}/../other/../t/."]
NEIGHBOURS = [*SAME, "{}/data", "{}/data/x/y", "{}/.."]


def create(api, location, name="u", **more):
    return api.call("POST", "namespaces/a/tables", {"name": name, "schema": SCHEMA, "location": location, **more})


def create_view(api, location, name="v"):
    body = {"name": name, "schema": SCHEMA, "location": location, "view-version": VERSION, "properties": {}}
    return api.call("POST", "namespaces/a/views", body)


def move(api, location, path="a/tables/u"):
    return api.commit([{"action": "set-location", "location": location}], path=path)


def bring(api, location):
    """Every way in which something comes to lie at a location; yield what each is answered."""
    yield create(api, location)
    yield create(api, location, **{"stage-create": True})
    yield create_view(api, location)
    yield api.commit(creation(location), [CREATE], path="a/tables/u")
    yield transact(api, ("u", creation(location), [CREATE]))
    free = api.table("a/tables/moved").body
    yield move(api, location, "a/tables/moved")
    metadata = {**free["metadata"], "location": location}
    api.call("DELETE", "namespaces/a/tables/moved", expect=204)
    file = Path(urlsplit(free["metadata-location"]).path).with_name(f"{uuid4()}.metadata.json")
    file.write_text(json.dumps(metadata))
    yield register(api, f"file://{file}", "registered")


def test_a_location_that_the_server_chose_is_followed_once(tmp_path, monkeypatch):
    warehouse = Warehouse("w", str(tmp_path))
    rules = LocationRules(warehouse, AllowedLocations([warehouse]))
    change, followed = WarehouseChange(Transaction(MemoryStorage()), "w"), []
    place_of = AllowedLocations.place_of
    monkeypatch.setattr(
        AllowedLocations, "place_of", lambda self, location: followed.append(location) or place_of(self, location)
    )
    location = rules.new(change, ("n", "t"))
    rules.place(change, Kind.TABLE, ("n", "t"), {"location": location})
    assert followed == [location]
    rules.place(change, Kind.TABLE, ("n", "u"), {"location": f"{tmp_path}/elsewhere"})
    assert followed == [location, f"{tmp_path}/elsewhere"]


@pytest.fixture
def lake(tmp_path):
    """A folder that has something in it, and a link to it."""
    folder = tmp_path / "lake/deep/t"
    folder.mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "lake/deep")
    return tmp_path


@pytest.mark.parametrize("where", NEIGHBOURS)
def test_nothing_comes_to_lie_at_or_in_or_around_a_table(api, lake, where):
    """Only a registration comes to lie just where a table does: it is how a table gets a second name."""
    api.table(location=f"file://{lake}/lake/deep/t")
    for start in (f"file://{lake}/lake/deep/t", f"{lake}/link/t"):
        *refused, registered = bring(api, where.format(start))
        if where in SAME:
            assert registered.status == 200, registered.body
            api.call("DELETE", "namespaces/a/tables/registered?purgeRequested=true", expect=204)
        else:
            refused.append(registered)
        for answer in refused:
            assert answer.status == 400, answer.body
            assert "the table" in answer.body["error"]["message"]
    assert [identifier["name"] for identifier in api.call("GET", "namespaces/a/tables").body["identifiers"]] == ["t"]


def test_what_has_the_same_beginning_lies_beside(api, lake):
    api.table(location=f"file://{lake}/lake/deep/t")
    assert create(api, f"file://{lake}/lake/deep/t2").status == 200
    assert create(api, f"file://{lake}/lake/deep/u", "v").status == 200


def test_a_place_is_free_again_after_drop_and_move_and_goes_along_with_a_name(api, lake):
    place, other = f"file://{lake}/lake/deep/t", f"file://{lake}/lake/deep/o"
    api.table(location=place)
    move(api, other, "a/tables/t")
    assert create(api, place).status == 200
    source, target = ({"namespace": ["a"], "name": name} for name in ("u", "renamed"))
    api.call("POST", "tables/rename", {"source": source, "destination": target}, expect=204)
    assert create(api, place).status == 400
    assert move(api, place, "a/tables/renamed").status == 200
    for name in ("renamed", "t"):
        api.call("DELETE", f"namespaces/a/tables/{name}", expect=204)
    assert create(api, f"file://{lake}/lake/deep").status == 200


def test_a_staged_table_takes_no_place(api, lake):
    place = f"file://{lake}/lake/deep/t"
    assert create(api, place, **{"stage-create": True}).status == 200
    assert create(api, place, "other").status == 200


def test_views_may_share_a_place_but_not_with_a_table(api, lake):
    place = f"file://{lake}/lake/deep/t"
    assert create_view(api, place).status == 200
    assert create_view(api, place, "w").status == 200
    assert "the view" in create(api, place).body["error"]["message"]


def test_no_table_takes_a_warehouse_or_the_place_of_those_that_choose_none(api):
    root = Path(urlsplit(api.table().body["metadata"]["location"]).path).parents[1]
    for place in (root, root.parent):
        assert "whole warehouse" in create(api, f"file://{place}").body["error"]["message"]
    api.namespace("b")
    assert create(api, f"file://{root}/b").status == 200
    assert api.table("b/tables/t").status == 200


@pytest.mark.parametrize(
    ("below", "limit"),
    [
        ("/x" * 1500, limits.LOCATION),
        ("/x" * 100_000, limits.LOCATION),
        ("/" + "x" * 100_000, limits.LOCATION),
        ("/x" * 100, limits.FOLDERS),
    ],
)
def test_what_brings_something_to_a_location_has_limits(api, lake, below, limit):
    for place in (f"file://{lake}/lake{below}", f"{lake}/lake{below}", f"s3://bucket{below}"):
        for answer in bring(api, place):
            assert answer.status == 400, answer.body
            assert f"more than {limit}" in answer.body["error"]["message"]


def test_a_location_may_be_as_large_as_its_limits(api, lake):
    place = f"file://{lake}/lake"
    folders = limits.FOLDERS - len(lake.parts) - len(("metadata", "file"))
    assert create(api, place + "/x" * folders).status == 200
    room = limits.LOCATION - len(place) - len("/metadata/00000-.metadata.json") - len(str(uuid4()))
    deep = "".join(f"/{'y' * 199}" for _ in range(room // 200))
    assert create(api, place + deep, "deep").status == 200


def test_no_table_takes_the_temporary_directory(http, tmp_path, monkeypatch):
    """The lake lies elsewhere; its tables may lie below the directory, but strangers' files lie right in it."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    stranger = temporary / "00001-stranger.metadata.json"
    stranger.write_text("{}")
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    with serve("iceberg", storage=f"dir:{tmp_path}/served", warehouses=[f"lake=file://{tmp_path}/lake"]) as server:
        api = Api(http, server.url)
        api.namespace("a")
        (tmp_path / "link").symlink_to(temporary)
        for place in (f"file://{temporary}", f"{temporary}/", f"{temporary}/x/..", f"{temporary}/x/../../temporary"):
            for answer in bring(api, place):
                assert answer.status == 400, answer.body
                assert "temporary directory" in answer.body["error"]["message"]
        assert create(api, f"{temporary}/mine", "mine").status == 200
        api.call("DELETE", "namespaces/a/tables/mine?purgeRequested=true", expect=204)
    assert stranger.exists()


def test_of_tables_that_are_made_at_once_one_gets_a_place(api, lake):
    names = iter(range(100))

    def make():
        number = next(names)
        depth = "/x" * (number % 3)
        return create(api, f"file://{lake}/lake/deep/t{depth}", f"u{number}").status

    assert sorted(at_once(12, make)) == [200] + [400] * 11


def test_tables_that_are_made_beside_each_other_do_not_wait(api, lake):
    names = iter(range(100))

    def make():
        number = next(names)
        return create(api, f"file://{lake}/lake/deep/t{number}", f"u{number}").status

    assert at_once(40, make) == [200] * 40


def test_locations_of_directories_without_an_index_are_noted_at_the_start(http, lake, monkeypatch):
    place, storage = f"file://{lake}/lake/deep/t", f"dir:{lake}/served"
    with monkeypatch.context() as before, serve("iceberg", storage=storage) as server:
        before.setattr(LocationRules, "place", LocationRules.check)
        api = Api(http, server.url)
        api.namespace("a")
        api.table(location=place)
        create_view(api, f"{place}-view")
        Path(urlsplit(api.table("a/tables/broken").body["metadata-location"]).path).unlink()
        assert create(api, place).status == 200
        api.call("DELETE", "namespaces/a/tables/u", expect=204)
    for _ in range(2):
        with serve("iceberg", storage=storage) as server:
            api = Api(http, server.url)
            assert create(api, place).status == 400
            assert create(api, f"{place}-view/x").status == 400
            assert create(api, f"{place}-view2", "new").status in (200, 409)


@pytest.mark.parametrize("kind", ["memory", "dir"])
def test_plain_locations_follow_from_names_and_may_overlap(http, tmp_path, kind):
    lake = f"file://{tmp_path}/lake"
    storage = storage_option(kind, tmp_path / "served")
    with serve("iceberg", warehouses=[f"lake={lake}"], plain_locations=True, storage=storage) as server:
        api = Api(http, server.url)
        api.namespace("a")
        api.namespace("a", "b")
        assert api.table().body["metadata"]["location"] == f"{lake}/a/t"
        assert api.table("a%1Fb/tables/t").body["metadata"]["location"] == f"{lake}/a.b/t"
        for number, place in enumerate((f"{lake}/a/t", f"{lake}/a/t/in", f"{lake}/a")):
            assert create(api, place, f"t{number}").body["metadata"]["location"] == place
        assert create_view(api, f"{lake}/a/t").status == 200
        assert create(api, lake, "all").status == 400
        renamed = {"source": {"namespace": ["a"], "name": "t"}, "destination": {"namespace": ["a"], "name": "s"}}
        api.call("POST", "tables/rename", renamed, expect=204)
        assert api.table().body["metadata"]["location"] == f"{lake}/a/t"
        api.call("DELETE", "namespaces/a/tables/t?purgeRequested=true", expect=204)
        for name in ("s", "t0", "t1", "t2"):
            api.load(f"a/tables/{name}", expect=200)


@pytest.fixture(params=[False, True], ids=["apart", "plain"])
def located(request, http, tmp_path):
    """Return a server with a namespace that has a location, and that location."""
    with serve("iceberg", plain_locations=request.param) as server:
        api, place = Api(http, server.url), f"file://{tmp_path}/place"
        api.namespace("a", properties={"location": f"{place}/"})
        yield api, place


def lies_at(answer):
    """Return the location of the table or view in an answer."""
    return answer.body["metadata"]["location"]


def test_new_tables_and_views_lie_below_the_location_of_their_namespace(located):
    api, place = located
    view = {"name": "v", "schema": SCHEMA, "view-version": VERSION, "properties": {}}
    made = [
        api.table(),
        api.table("a/tables/staged", **{"stage-create": True}),
        api.call("POST", "namespaces/a/views", view, expect=200),
        api.commit(creation(), [CREATE], path="a/tables/u", expect=200),
        api.table("a/tables/w", location=f"{place}/elsewhere"),
    ]
    names = [lies_at(answer).removeprefix(f"{place}/").partition("-")[0] for answer in made]
    assert names == ["t", "staged", "v", "u", "elsewhere"]
    assert made[0].body["metadata-location"].startswith(f"{lies_at(made[0])}/metadata/")
    api.call("DELETE", "namespaces/a/tables/t?purgeRequested=true", expect=204)
    assert not Path(urlsplit(lies_at(made[0])).path).joinpath("metadata").exists()


def test_the_location_of_a_namespace_can_change(located, tmp_path):
    api, place = located
    api.table()
    api.call("POST", "namespaces/a/properties", {"updates": {"location": f"file://{tmp_path}/other"}}, expect=200)
    assert lies_at(api.table("a/tables/u")).startswith(f"file://{tmp_path}/other/u")
    assert lies_at(api.load()).startswith(f"{place}/t")
    api.call("POST", "namespaces/a/properties", {"removals": ["location"]}, expect=200)
    assert not lies_at(api.table("a/tables/w")).startswith(f"file://{tmp_path}/other")


@pytest.mark.parametrize("place", ["s3://elsewhere/x", "file:///etc", "no place", "/"])
def test_a_namespace_with_a_location_that_cannot_be_written_takes_no_table(http, place):
    with serve("iceberg") as server:
        api = Api(http, server.url)
        api.namespace("a", properties={"location": place})
        refused = api.call("POST", "namespaces/a/tables", {"name": "t", "schema": SCHEMA}, expect=400)
        assert "location" in refused.body["error"]["message"]
        assert api.load(expect=404).type == "NoSuchTableException"
        missing = api.commit([], [{"type": "assert-table-uuid", "uuid": str(uuid4())}], expect=404)
        assert missing.type == "NoSuchTableException"
