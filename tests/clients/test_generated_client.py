"""A client that a common generator makes of our document of Apache Polaris, driven through every operation of its own.

openapi-python-client writes models and a module for each operation. The models expect declared types in every answer,
and other generators' models write null for what nobody sets: the second run of the steps does that, too.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from lakeproof import serve
from tests.clients.polaris_quickstart import ROOT
from tests.clients.polaris_steps import CONTENT, NAMESPACE, PROFILE, Step, all_steps, driven
from tests.reference_server.polaris.conftest import Caller

pytest.importorskip("openapi_python_client", reason="openapi-python-client is not installed")
import httpx

OUTPUT = ("createTimestamp", "lastUpdateTimestamp", "entityVersion")  # fields that only answers have
ENTITIES = ("catalog", "principal", "principalRole", "catalogRole")


class Generated:
    """Generated client: its package, and the module of each operation."""

    def __init__(self, package: str) -> None:
        self._package = package
        folder = Path(str(importlib.import_module(package).__file__)).parent / "api"
        self._modules = {path.stem: path.relative_to(folder).parts[0] for path in folder.glob("*/*.py")}

    def client(self, url: str, token: str) -> Any:
        """Return a client with a token, whose unexpected statuses are errors."""
        made = importlib.import_module(f"{self._package}.client").AuthenticatedClient
        return made(base_url=url, token=token, raise_on_unexpected_status=True)

    def call(self, client: Any, called: Step) -> Any:
        """Call an operation and return the answer, parsed where the document has a schema."""
        name = PROFILE.document().operations[called.operation].name
        module = importlib.import_module(f"{self._package}.api.{self._modules[name]}.{name}")
        given = dict(called.arguments)
        if called.body is not None:
            hint = get_type_hints(module.sync_detailed)["body"]
            model = next((part for part in get_args(hint) if hasattr(part, "from_dict")), hint)
            given["body"] = model.from_dict(called.body)
        return module.sync_detailed(client=client, **given)


def with_named_objects(document: Any) -> Any:
    """Return a copy of a document whose schemas have no objects within: each gets a name.

    The generator reads a schema again when one that it needs comes later, and then takes an object within for a second
    one of its name.
    """
    copy = deepcopy(document)
    schemas = copy["components"]["schemas"]
    for name, schema in list(schemas.items()):
        for part in (schema, *schema.get("allOf", ())):
            for key, value in part.get("properties", {}).items():
                if value.get("type") == "object":
                    schemas[f"{name}-{key}-object"] = value
                    part["properties"][key] = {"$ref": f"#/components/schemas/{name}-{key}-object"}
    return copy


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """A client of our document, generated once."""
    folder = tmp_path_factory.mktemp("generated")
    (folder / "document.json").write_text(json.dumps(with_named_objects(PROFILE.document().raw), default=str))
    (folder / "config.yaml").write_text("post_hooks: []\n")
    places = ["--path", "document.json", "--config", "config.yaml", "--output-path", "generated_polaris"]
    command = [sys.executable, "-m", "openapi_python_client", "generate", *places, "--meta", "none"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    sys.path.insert(0, str(folder))
    yield Generated("generated_polaris")
    sys.path.remove(str(folder))


def with_nulls(request: httpx.Request) -> None:
    """Write null for the fields of an entity that only answers have."""
    body = json.loads(request.content) if request.content else {}
    for name in ENTITIES:
        if isinstance(body.get(name), dict):
            body[name] = {**dict.fromkeys([*OUTPUT, "properties"]), **body[name]}
    content = json.dumps(body).encode() if request.content else b""
    request.stream = httpx.ByteStream(content)
    request.headers["Content-Length"] = str(len(content))


@pytest.mark.parametrize("storage", ["memory", "directory"])
@pytest.mark.parametrize("nulls", [False, True])
def test_every_operation(generated, http, tmp_path, storage, nulls):
    settings: dict[str, Any] = {"storage": f"dir:{tmp_path}/state"} if storage == "directory" else {}
    steps = all_steps(f"file://{tmp_path}/c")
    with serve("polaris/1.7", bootstrap=ROOT, **settings) as server:
        root = Caller(http, server.url, "1.7").login(*ROOT.split(":"))
        made = root.manage("POST", "/principals", {"principal": {"name": "u"}}, expect=201).body["credentials"]
        user = root.login(made["clientId"], made["clientSecret"])
        clients = [generated.client(server.url, caller.token) for caller in (root, user)]
        for client in clients:
            if nulls:
                client.get_httpx_client().event_hooks = {"request": [with_nulls]}
        for number, called in enumerate(steps):
            if called is CONTENT[0]:
                user.content("POST", "/c/namespaces", {"namespace": [NAMESPACE]}, expect=200)
            answer = generated.call(clients[called.as_user], called)
            assert answer.status_code == called.status, (number, called, answer.content)
            if answer.content and called.status < 400:
                assert answer.parsed.to_dict() == json.loads(answer.content), called


def test_no_operation_is_left_out():
    assert {called.operation for called in all_steps("")} == driven()
