"""Apache Polaris' published Python client, driven through every operation that it has methods for.

The client is generated from Polaris' own documents, and its models check types and values of every answer.
"""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

import apache_polaris.sdk.catalog.models as catalog_models
import pytest
from apache_polaris.sdk import catalog, management
from apache_polaris.sdk.catalog.api.generic_table_api import GenericTableAPI
from apache_polaris.sdk.catalog.api.policy_api import PolicyAPI
from pydantic import BaseModel

from lakeproof import serve
from tests.clients.polaris_quickstart import ROOT
from tests.clients.polaris_steps import CONTENT, IN, NAMESPACE, PROFILE, Step, all_steps, driven, step
from tests.reference_server.polaris.conftest import Caller

APIS = (
    (management, management.PolarisDefaultApi, "/api/management/v1"),
    (catalog, catalog.IcebergCatalogAPI, "/api/catalog"),
    (catalog, PolicyAPI, "/api/catalog"),
    (catalog, GenericTableAPI, "/api/catalog"),
)
PLANNING = {"planTableScan", "fetchPlanningResult", "cancelPlanning", "fetchScanTasks", "signRequest"}
FIELDS = {"type": "struct", "schema-id": 0, "fields": [{"id": 1, "name": "id", "type": "long", "required": False}]}
VERSION = {
    "version-id": 1,
    "timestamp-ms": 1,
    "schema-id": 0,
    "summary": {},
    "representations": [{"type": "sql", "sql": "select 1", "dialect": "spark"}],
    "default-namespace": [NAMESPACE],
}
T, V = {**IN, "table": "t"}, {**IN, "view": "v"}
EMPTY: dict[str, Any] = {"requirements": [], "updates": []}  # the client loses all fields of updates but their action
REPORT = {
    "report-type": "commit-report",
    "table-name": "t",
    "snapshot-id": 1,
    "sequence-number": 1,
    "operation": "append",
    "metrics": {},
}


def renaming(old: str, new: str) -> dict[str, Any]:
    """Return the body that renames something in the namespace."""
    return {name: {"namespace": [NAMESPACE], "name": value} for name, value in (("source", old), ("destination", new))}


def tables(file: str, view_file: str) -> list[Step]:
    """Return steps through the operations of the Iceberg catalog, as the user."""
    change = {"identifier": {"namespace": [NAMESPACE], "name": "t"}, **EMPTY}
    steps = [
        step("createNamespace", {"namespace": [NAMESPACE, "b"]}, prefix="c"),
        step("createNamespace", {"namespace": [NAMESPACE, "b"]}, 409, prefix="c"),
        step("listNamespaces", prefix="c", parent=NAMESPACE),
        step("loadNamespaceMetadata", **IN),
        step("loadNamespaceMetadata", status=404, prefix="c", namespace="none"),
        step("namespaceExists", status=204, **IN),
        step("updateProperties", {"updates": {"k": "v"}, "removals": ["x"]}, **IN),
        step("createTable", {"name": "t", "schema": FIELDS}, x_iceberg_access_delegation="true", **IN),
        step("createTable", {"name": "t", "schema": FIELDS}, 409, **IN),
        step("listTables", **IN),
        step("loadTable", **T),
        step("loadTable", snapshots="refs", **T),
        step("tableExists", status=204, **T),
        step("loadCredentials", **T),
        step("updateTable", EMPTY, **T),
        step("commitTransaction", {"table-changes": [change]}, 204, prefix="c"),
        step("reportMetrics", REPORT, 400, **T),  # the client leaves out the type of the report
        step("renameTable", renaming("t", "u"), 204, prefix="c"),
        step("dropTable", status=204, purge_requested=False, **IN, table="u"),
        step("registerTable", {"name": "t", "metadata-location": file}, **IN),
        step("createView", {"name": "v", "schema": FIELDS, "view-version": VERSION, "properties": {}}, **IN),
        step("listViews", **IN),
        step("loadView", **V),
        step("viewExists", status=204, **V),
        step("replaceView", EMPTY, **V),
        step("registerView", {"name": "x", "metadata-location": view_file}, **IN),
        step("renameView", renaming("v", "w"), 204, prefix="c"),
        step("dropView", status=204, **IN, view="w"),
        step("dropView", status=204, **IN, view="x"),
        step("dropTable", status=204, purge_requested=True, **T),
        step("dropNamespace", status=409, **IN),
        step("dropNamespace", status=204, prefix="c", namespace=f"{NAMESPACE}\x1fb"),
    ]
    return [Step(one.operation, one.arguments, one.body, one.status, True) for one in steps]


class Client:
    """Polaris' client as one principal."""

    def __init__(self, url: str, token: str) -> None:
        self._apis = [
            api(module.ApiClient(module.Configuration(host=f"{url}{mount}", access_token=token)))
            for module, api, mount in APIS
        ]

    def call(self, called: Step) -> None:
        """Call an operation and check the status of the answer; its models have read the body then."""
        name = f"{PROFILE.document().operations[called.operation].name}_with_http_info"
        method = next(getattr(api, name) for api in self._apis if hasattr(api, name))
        given = dict(called.arguments)
        if called.body is not None:
            given |= dict([_body(method, called.body)])
        try:
            status, text = method(**given).status_code, ""
        except (management.ApiException, catalog.ApiException) as refusal:
            status, text = refusal.status, refusal.body
            assert json.loads(text)["error"]["code"] == status
        assert status == called.status, (called, text)


def _body(method: Any, body: Any) -> tuple[str, Any]:
    """Return the name and the value of a method's argument that is the body."""
    for name, hint in get_type_hints(inspect.unwrap(method)).items():
        for kind in (hint, *get_args(hint)):
            if name != "return" and inspect.isclass(kind) and issubclass(kind, BaseModel):
                read: Any = kind
                return name, read.from_dict(body)
    raise AssertionError(method)


@pytest.fixture(scope="module", autouse=True)
def _models() -> Iterator[None]:
    """Show the client those of its models that its generator does not export, as Polaris' own tests do."""
    with pytest.MonkeyPatch.context() as patched:
        for found in pkgutil.iter_modules(catalog_models.__path__):
            module = importlib.import_module(f"{catalog_models.__name__}.{found.name}")
            for name, member in inspect.getmembers(module, inspect.isclass):
                if member.__module__ == module.__name__ and not hasattr(catalog_models, name):
                    patched.setattr(catalog_models, name, member, raising=False)
        yield


@pytest.mark.parametrize("storage", ["memory", "directory"])
def test_every_method(http, tmp_path, storage):
    settings: dict[str, Any] = {"storage": f"dir:{tmp_path}/state"} if storage == "directory" else {}
    purging = ("drop-with-purge.enabled=true",)  # as the server of Polaris' own tests of this client
    with serve("polaris/1.7", bootstrap=ROOT, catalog_settings=purging, **settings) as server:
        root = Caller(http, server.url, "1.7").login(*ROOT.split(":"))
        made = root.manage("POST", "/principals", {"principal": {"name": "u"}}, expect=201).body["credentials"]
        user = root.login(made["clientId"], made["clientSecret"])
        clients = [Client(server.url, caller.token) for caller in (root, user)]
        for called in all_steps(f"file://{tmp_path}/c"):
            if called is CONTENT[0]:
                user.content("POST", "/c/namespaces", {"namespace": [NAMESPACE]}, expect=200)
                for inner in tables(*_files(user)):
                    clients[True].call(inner)
            clients[called.as_user].call(called)


def _files(user: Caller) -> tuple[str, str]:
    """Return metadata files of a dropped table and of a view that stays, to be registered."""
    space = f"/c/namespaces/{NAMESPACE}"
    table = user.content("POST", f"{space}/tables", {"name": "file", "schema": FIELDS}, expect=200)
    user.content("DELETE", f"{space}/tables/file", expect=204)
    view = {"name": "shown", "schema": FIELDS, "view-version": VERSION, "properties": {}}
    shown = user.content("POST", f"{space}/views", view, expect=200)
    return table.body["metadata-location"], shown.body["metadata-location"]


def test_no_method_is_left_out():
    called = {one.operation for one in [*all_steps(""), *tables("", "")]}
    operations = PROFILE.document().operations.values()
    methods = {name for _, api, _ in APIS for name in dir(api)}
    assert called == {operation.id for operation in operations if operation.name in methods} - PLANNING
    assert driven() <= called
