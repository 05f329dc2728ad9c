"""Routes come from the document."""

from __future__ import annotations

import pytest

from reference_server.errors import MethodNotAllowed, RouteNotFound
from reference_server.routing import Router
from specs.profiles import find_profile

DOCUMENT = find_profile("lance").document()
ROUTER = Router(DOCUMENT)


@pytest.mark.parametrize("operation", DOCUMENT.operations.values(), ids=lambda operation: operation.id)
def test_every_operation_is_reached(operation):
    segments = operation.path.strip("/").replace("{id}", "a$b").replace("{index_name}", "i").split("/")
    match, parameters = ROUTER.match(operation.method, segments)
    assert match is operation
    assert parameters == {
        name: value for name, value in (("id", "a$b"), ("index_name", "i")) if f"{{{name}}}" in operation.path
    }


def test_a_name_may_be_a_word_of_another_path():
    operation, parameters = ROUTER.match("POST", ["v1", "table", "version", "describe"])
    assert (operation.id, parameters) == ("DescribeTable", {"id": "version"})
    operation, _ = ROUTER.match("POST", ["v1", "table", "version", "batch-create"])
    assert operation.id == "BatchCreateTableVersions"


def test_wrong_methods_name_the_right_ones():
    with pytest.raises(MethodNotAllowed) as caught:
        ROUTER.match("PUT", ["v1", "namespace", "a", "create"])
    assert caught.value.headers["Allow"] == "POST"


@pytest.mark.parametrize("path", ["", "v1", "v2/table", "v1/table/a/b/c/d", "v1/namespace/a"])
def test_unknown_paths_are_not_found(path):
    with pytest.raises(RouteNotFound):
        ROUTER.match("GET", path.split("/"))
