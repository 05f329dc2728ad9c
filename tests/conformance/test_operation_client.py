"""Operations as methods: what they send, and the stub that type checkers know them by."""

import json
from typing import Any

import pytest

import specs
from conformance.http.client import Client
from conformance.http.operation_client import OperationClient
from conformance.http.operation_stub import client_of
from conformance.http.transport import Connection
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.client import IcebergClient
from conformance.lance.catalog import LanceCatalog
from conformance.lance.client import LanceClient
from conformance.target.target import connect
from conformance.values.resources import REGISTRATION, TABLE, Resource
from conformance.values.settings import Settings
from specs.apis import apis
from specs.profiles import find_profile


class Recorder(Client):
    """A client that keeps what it is asked to send, and sends nothing."""

    def __init__(self, api):
        super().__init__(Connection("http://t", {}, 1.0), find_profile(api).document())
        self.sent = {}

    def call(self, operation_id, **arguments):
        self.sent = {"operation": operation_id, **{name: value for name, value in arguments.items() if value}}


@pytest.fixture
def lance():
    return LanceClient(Recorder("lance"))


@pytest.fixture
def iceberg():
    return IcebergClient(Recorder("iceberg"))


@pytest.mark.parametrize("api", apis())
def test_every_operation_is_a_method(api):
    profile = find_profile(api)
    for operation in profile.document().operations.values():
        client = client_of(profile.suite_of(operation.id))
        assert getattr(client, operation.name).__name__ == operation.name


def test_an_operation_that_only_an_older_revision_has_is_a_method(tmp_path, monkeypatch):
    folder = tmp_path / "toy"
    folder.mkdir()
    (folder / "api.toml").write_text('title = "Toy"\nrevisions = ["1", "2"]\n')
    by_revision: dict[str, dict[str, tuple[str, ...]]] = {
        "1": {"getThing": (), "getOther": ()},
        "2": {"getThing": ("id",)},
    }
    for revision, operations in by_revision.items():
        paths = {
            "/" + "/".join([operation, *(f"{{{name}}}" for name in names)]): {
                "get": {
                    "operationId": operation,
                    "parameters": [{"name": name, "in": "path", "required": True} for name in names],
                }
            }
            for operation, names in operations.items()
        }
        (folder / f"{revision}.yaml").write_text(json.dumps({"openapi": "3.1.0", "paths": paths}))
    monkeypatch.setattr(specs, "__path__", [*specs.__path__, str(tmp_path)])

    class ToyClient(OperationClient, api="toy"):
        pass

    assert ToyClient.signatures["getThing"].path == ("id",)
    client: Any = ToyClient(Recorder("toy/1"))
    client.get_other()
    assert client.client.sent["operation"] == "getOther"


def test_fields_and_query(lance):
    lance.describe_table(("a", "t"), version=3, _query={"with_table_uri": True}, expect=404)
    assert lance.client.sent == {
        "operation": "DescribeTable",
        "path": {"id": "a$t"},
        "query": {"with_table_uri": True},
        "json": {"version": 3},
        "expect": 404,
    }


def test_keywords_are_the_query_where_the_body_is_a_stream(lance):
    lance.create_table("t", b"rows", mode="Overwrite")
    sent = lance.client.sent
    assert (sent["body"], sent["query"], [*sent["expect"]]) == (b"rows", {"mode": "Overwrite"}, [200])


def test_body_of_any_fields(lance):
    lance.update_table_schema_metadata(("t",), {"expect": "1"})
    assert lance.client.sent["json"] == {"expect": "1"}


def test_path_of_two_names(lance):
    lance.drop_table_index(("t",), "a b")
    assert lance.client.sent["path"] == {"id": "t", "index_name": "a b"}


def test_ids_of_tables(iceberg):
    iceberg.load_table(("a", "b", "t"), referenced_by="v", _headers={"If-None-Match": "x"})
    sent = iceberg.client.sent
    assert sent["path"] == {"namespace": "a%1Fb", "table": "t"}
    assert (sent["query"], sent["headers"]) == ({"referenced-by": "v"}, {"If-None-Match": "x"})


def test_name_in_the_body(iceberg):
    iceberg.create_table(("a", "t"), {"type": "struct"}, stage_create=True)
    sent = iceberg.client.sent
    assert sent["path"] == {"namespace": "a"}
    assert sent["json"] == {"name": "t", "schema": {"type": "struct"}, "stage-create": True}


def test_identifiers_in_the_body(iceberg):
    iceberg.rename_view(("a", "v"), ("b", "w"))
    source, destination = ({"namespace": [level], "name": name} for level, name in ("av", "bw"))
    assert iceberg.client.sent["json"] == {"source": source, "destination": destination}


def test_commit_without_updates(iceberg):
    iceberg.update_table(("a", "t"))
    assert iceberg.client.sent["json"] == {"requirements": [], "updates": []}


def test_form_goes_without_the_token_of_the_run(iceberg):
    iceberg.get_token({"grant_type": "client_credentials"})
    sent = iceberg.client.sent
    assert (sent["body"], sent.get("headers")) == (b"grant_type=client_credentials", {"Authorization": None})


def test_an_api_without_peculiarities_needs_no_code():
    class Plain(OperationClient, api="iceberg"):
        """The operations as the document has them."""

    plain: Any = Plain(Recorder("iceberg"))
    plain.cancel_planning("prefix", "a", "t", "p/1", expect=404)
    path = {"prefix": "prefix", "namespace": "a", "table": "t", "plan-id": "p/1"}
    assert plain.client.sent == {"operation": "cancelPlanning", "path": path, "expect": 404}
    plain.fetch_scan_tasks("prefix", "a", "t", plan_task="x")
    assert (plain.client.sent["json"], [*plain.client.sent["expect"]]) == ({"plan-task": "x"}, [200])


@pytest.mark.parametrize("arguments", [((), {}), ((("t",), 1, 2, 3), {}), ((("t",),), {"id": ("u",)})])
def test_arguments_that_do_not_fit(lance, arguments):
    values, keywords = arguments
    with pytest.raises(TypeError, match="describe_table"):
        lance.describe_table(*values, **keywords)


@pytest.mark.parametrize(
    ("api", "catalog", "operation"),
    [("lance", LanceCatalog, "RenameTable"), ("iceberg", IcebergCatalog, "renameTable")],
)
def test_a_renamed_registration_stays_one(api, catalog, operation):
    made = catalog(connect(Settings(server="http://t", api=api)))
    old, new, other = ((made.target.prefix, name) for name in ("old", "new", "other"))
    made.sandbox.note(REGISTRATION, [old])
    made.sandbox.note_renamed(operation, old, new)
    made.sandbox.note_renamed(operation, ("elsewhere", "t"), other)
    assert list(made.sandbox.noted) == [
        Resource(REGISTRATION, old),
        Resource(REGISTRATION, new),
        Resource(TABLE, other),
    ]
