"""Switches of Polaris: options of the server, and settings of one catalog that come before them."""

from __future__ import annotations

import pytest

from lakeproof import serve
from specs.problems import Problem
from tests.reference_server.polaris.served_catalogs import ICEBERG, MANAGEMENT, served

CONTENT = f"{ICEBERG}/c/namespaces/a"
VENDED = {"X-Iceberg-Access-Delegation": "vended-credentials"}
VENDING = "polaris.config.enable.credential.vending"
OVERLAPS = "lakeproof.allow-overlapping-locations"
STORAGES = ("memory", "directory")
REVISIONS = ("polaris/1.7", "polaris/2024-09")


@pytest.fixture(params=STORAGES)
def storage(request, tmp_path):
    return {"storage": f"dir:{tmp_path}/state"} if request.param == "directory" else {}


@pytest.fixture(params=REVISIONS)
def profile(request):
    return request.param


def body_at(base, *allowed, name="d"):
    info = {"storageType": "FILE", "allowedLocations": list(allowed)}
    properties = {"default-base-location": base}
    return {"catalog": {"name": name, "type": "INTERNAL", "properties": properties, "storageConfigInfo": info}}


def test_catalogs_share_locations_only_if_the_server_lets_them(http, tmp_path, storage, profile):
    with served(http, tmp_path / "data", profile, **storage) as root:
        base = root.catalog("c")
        root.call("PUT", f"{MANAGEMENT}/catalogs/c", {"currentEntityVersion": 1, "properties": {}}, expect=200)
        for place in (base, f"{base}/within", f"file://{tmp_path}"):
            refused = root.call("POST", f"{MANAGEMENT}/catalogs", body_at(place), expect=400)
            assert refused.error[0] == "ValidationException"
        root.call("POST", f"{MANAGEMENT}/catalogs", body_at(f"file://{tmp_path}/e", "file://"), expect=400)
        assert OVERLAPS not in root.call("GET", f"{ICEBERG}/config?warehouse=c", expect=200).body["defaults"]


def test_catalogs_at_one_place_are_apart(http, tmp_path, storage, profile):
    with served(http, tmp_path / "data", profile, allow_overlapping_locations=True, **storage) as root:
        base = root.catalog("c")
        for name in ("d", "e"):
            root.call("POST", f"{MANAGEMENT}/catalogs", body_at(base, base, "file://", name=name), expect=201)
            root.namespace(name, "a")
        root.namespace("c", "a")
        made = [root.table(name).body["metadata-location"] for name in ("c", "d")]
        assert len({file.rpartition("/")[2] for file in made}) == 2
        root.call("GET", f"{ICEBERG}/e/namespaces/a/tables/t", expect=404)
        root.call("DELETE", f"{ICEBERG}/d/namespaces/a/tables/t", expect=204)
        assert root.call("GET", f"{CONTENT}/tables/t", expect=200).body["metadata-location"] == made[0]
        assert root.call("GET", f"{ICEBERG}/config?warehouse=c", expect=200).body["defaults"][OVERLAPS] == "true"


@pytest.fixture
def register(http, tmp_path):
    """Function that registers a table in an external catalog, and returns the path to it."""

    def made(root, name, **properties):
        root.catalog("c")
        root.namespace("c", "a")
        file = root.table("c").body["metadata-location"]
        root.call("DELETE", f"{CONTENT}/tables/t", expect=204)
        root.call("DELETE", CONTENT, expect=204)
        root.call("DELETE", f"{MANAGEMENT}/catalogs/c", expect=204)
        root.folder = f"{root.folder}/c"
        root.call("POST", f"{MANAGEMENT}/catalogs", _external(root.folder, name, properties), expect=201)
        grant = {"grant": {"type": "catalog", "privilege": "CATALOG_MANAGE_CONTENT"}}
        root.call("PUT", f"{MANAGEMENT}/catalogs/{name}/catalog-roles/catalog_admin/grants", grant, expect=201)
        root.namespace(name, "a")
        table = {"name": "t", "metadata-location": file}
        root.call("POST", f"{ICEBERG}/{name}/namespaces/a/register", table, expect=200)
        return f"{ICEBERG}/{name}/namespaces/a/tables/t"

    return made


def _external(folder, name, properties):
    base = {"default-base-location": f"file://{folder}"}
    return {
        "name": name,
        "type": "EXTERNAL",
        "properties": {**base, **properties},
        "storageConfigInfo": {"storageType": "FILE"},
    }


@pytest.mark.parametrize(("own", "expected"), [({}, 400), ({VENDING: "true"}, 200), ({VENDING: "false"}, 400)])
def test_a_catalog_comes_before_the_server(http, tmp_path, storage, register, own, expected):
    settings = {**storage, "catalog_settings": ("enable.credential.vending=false",)}
    with served(http, tmp_path / "data", **settings) as root:
        table = register(root, "e", **own)
        root.call("GET", table, expect=200)
        root.call("GET", table, headers={"X-Iceberg-Access-Delegation": ""}, expect=200)
        for path, headers in ((table, VENDED), (f"{table}/credentials", {})):
            answer = root.call("GET", path, headers=headers, expect=expected)
            if expected == 400:
                kind, message = answer.error
                assert kind == "IllegalArgumentException"
                assert "is not enabled for this external catalog" in message
                assert VENDING in message


def test_settings_of_all_catalogs(http, tmp_path):
    settings = ("polaris.config.drop-with-purge.enabled=true", "list-pagination-enabled=true")
    with served(http, tmp_path, catalog_settings=settings) as root:
        root.catalog("c")
        for name in ("a", "b"):
            root.namespace("c", name)
        root.table("c")
        root.call("DELETE", f"{CONTENT}/tables/t?purgeRequested=true", expect=204)
        assert root.call("GET", f"{ICEBERG}/c/namespaces?pageToken=&pageSize=1").body["namespaces"] == [["a"]]
        root.catalog("d", **{"polaris.config.drop-with-purge.enabled": "false"})
        root.namespace("d", "a")
        root.table("d")
        root.call("DELETE", f"{ICEBERG}/d/namespaces/a/tables/t?purgeRequested=true", expect=403)


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ("drop-with-purge.enable=true", "Did you mean drop-with-purge.enabled?"),
        ("nothing=true", "Known: "),
        ("drop-with-purge.enabled", "Example: --catalog-setting drop-with-purge.enabled=true"),
        ("drop-with-purge.enabled=yes", "Example: "),
    ],
)
def test_a_setting_that_is_none(given, hint):
    with pytest.raises(Problem) as refused:
        serve("polaris", catalog_settings=(given,))
    assert hint in refused.value.hint


@pytest.mark.parametrize("by_size", [True, False])
def test_a_page_size_alone(http, tmp_path, storage, by_size):
    """By the document all names are returned without a token; Polaris returns a page."""
    with served(http, tmp_path / "data", pages_by_size=by_size, **storage) as root:
        root.catalog("c", **{"polaris.config.list-pagination-enabled": "true"})
        root.catalog("d")
        for catalog in ("c", "d"):
            for name in ("a", "b", "e"):
                root.namespace(catalog, name)
                root.table(catalog, name=f"t{name}", path="a/tables")
        for listing, field in ((f"{ICEBERG}/c/namespaces", "namespaces"), (f"{CONTENT}/tables", "identifiers")):
            found = []
            token, pages = "", 0
            while token is not None:
                more = f"&pageToken={token}" if token else ""
                page = root.call("GET", f"{listing}?pageSize=2{more}", expect=200).body
                found, token, pages = found + page[field], page["next-page-token"], pages + 1
            assert (len(found), pages) == (3, 2 if by_size else 1)
            assert len(root.call("GET", listing, expect=200).body[field]) == 3
        assert len(root.call("GET", f"{ICEBERG}/d/namespaces?pageSize=2", expect=200).body["namespaces"]) == 3


@pytest.mark.parametrize("path", ["a", "a\x1fb"])
@pytest.mark.parametrize("kind", ["INTERNAL", "EXTERNAL"])
def test_the_place_of_a_namespace_ends_with_a_slash_since_a_revision(http, tmp_path, profile, kind, path):
    with served(http, tmp_path, profile) as root:
        base, levels = root.catalog("c", kind=kind), path.split("\x1f")
        for depth in range(1, len(levels) + 1):
            made = root.namespace("c", *levels[:depth]).body["properties"]
        end = "/" if profile == "polaris/1.7" else ""
        assert made["location"] == f"{base}/{'/'.join(levels)}{end}"


@pytest.mark.parametrize("on", ["true", "false"])
def test_namespaces_outside_of_their_parents(http, tmp_path, storage, on):
    with served(http, tmp_path / "data", **storage) as root:
        base = root.catalog("c", **{"polaris.config.namespace-custom-location.enabled": on})
        root.namespace("c", "a")
        for levels in (("b",), ("a", "b")):
            place = f"{base}/elsewhere-{len(levels)}"
            made = root.namespace("c", *levels, location=place, expect=200 if on == "true" else 400)
            if on == "true":
                assert made.body["properties"]["location"] == place
                root.table("c", path=f"{'%1F'.join(levels)}/tables", location=f"{place}/t")
            else:
                kind, message = made.error
                assert kind == "IllegalArgumentException"
                assert "has a custom location, which is not enabled" in message


def test_namespaces_outside_of_the_catalog(http, tmp_path, storage, profile):
    with served(http, tmp_path / "data", profile, **storage) as root:
        root.catalog("c", **{"polaris.config.namespace-custom-location.enabled": "true"})
        place = f"file://{tmp_path}/elsewhere"
        assert root.namespace("c", "a", location=place).body["properties"]["location"] == place
        root.namespace("c", "a", "b")
        for path in ("a", "a%1Fb"):
            refused = root.table("c", path=f"{path}/tables", expect=403)
            assert "is not in the list of allowed locations" in refused.error[1]
        root.call("DELETE", f"{ICEBERG}/c/namespaces/a%1Fb", expect=204)
        root.call("DELETE", f"{ICEBERG}/c/namespaces/a", expect=204)
        assert not (tmp_path / "elsewhere").exists()
        root.namespace("c", "a", location="relative", expect=400)
