"""Views that were registered by the metadata file of a view that is there: none is lost with another one."""

from __future__ import annotations

import pytest

from tests.reference_server.polaris.served_catalogs import ICEBERG, served

DROPS = {"polaris.config.drop-with-purge.enabled": "true"}
VIEWS = f"{ICEBERG}/c/namespaces/a/views"


@pytest.fixture(params=["memory", "directory"])
def root(request, http, tmp_path):
    settings = {"storage": f"dir:{tmp_path}/state"} if request.param == "directory" else {}
    with served(http, tmp_path / "data", **settings) as root:
        root.catalog("c", **DROPS)
        root.namespace("c", "a")
        yield root


def register(root, name, file, expect=200):
    body = {"name": name, "metadata-location": file}
    return root.call("POST", f"{ICEBERG}/c/namespaces/a/register-view", body, expect=expect)


def drop(root, name):
    root.call("DELETE", f"{VIEWS}/{name}", expect=204)


def load(root, name):
    return root.call("GET", f"{VIEWS}/{name}", expect=200).body


def replace(root, name, **properties):
    body = {"requirements": [], "updates": [{"action": "set-properties", "updates": properties}]}
    return root.call("POST", f"{VIEWS}/{name}", body, expect=200).body


@pytest.mark.parametrize("order", ["vwx", "wxv", "xvw"])
def test_each_view_outlives_the_others(root, order):
    made = root.view("c").body
    file = made["metadata-location"]
    register(root, "w", file)
    register(root, "x", file)
    register(root, "w", file, expect=409)
    for index, name in enumerate(order):
        for other in order[index:]:
            assert load(root, other)["metadata"] == made["metadata"]
        drop(root, name)
    register(root, "y", file, expect=404)  # the file went with the last one


def test_a_view_that_got_another_name_has_its_file(root):
    file = root.view("c").body["metadata-location"]
    register(root, "w", file)
    names = {"source": {"namespace": ["a"], "name": "w"}, "destination": {"namespace": ["a"], "name": "z"}}
    root.call("POST", f"{ICEBERG}/c/views/rename", names, expect=204)
    drop(root, "v")
    load(root, "z")
    drop(root, "z")
    register(root, "y", file, expect=404)


def test_a_view_that_was_replaced_has_another_file(root):
    file = root.view("c").body["metadata-location"]
    register(root, "w", file)
    newer = replace(root, "w", k="v")["metadata-location"]
    assert newer != file
    drop(root, "v")
    assert load(root, "w")["metadata-location"] == newer
    register(root, "y", file, expect=404)


def test_a_registered_view_has_its_place(root):
    file = root.view("c").body["metadata-location"]
    location = load(root, "w")["metadata"]["location"] if register(root, "w", file).status == 200 else ""
    drop(root, "v")
    root.table("c", location=location, expect=403)
    assert root.view("c").body["metadata"]["location"] != location
    drop(root, "w")
    root.table("c", location=location)
