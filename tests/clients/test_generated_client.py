"""A client that a common generator makes of our document of Apache Polaris, driven through every operation of its own.

openapi-python-client writes models and a module for each operation. The models expect declared types in every answer,
and other generators' models write null for what nobody sets: the second run of the steps does that, too.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from lakeproof import serve
from specs.profiles import find_profile
from tests.clients.polaris_quickstart import ROOT
from tests.reference_server.polaris.conftest import TOKENS, Caller

pytest.importorskip("openapi_python_client", reason="openapi-python-client is not installed")
import httpx

PROFILE = find_profile("polaris/1.7")
DRIVEN = ("/api/management/", "/policies", "/applicable-policies", "/generic-tables")
OUTPUT = ("createTimestamp", "lastUpdateTimestamp", "entityVersion")  # fields that only answers have
ENTITIES = ("catalog", "principal", "principalRole", "catalogRole")
COMPACTION = "system.data-compaction"
NAMESPACE = "a"


@dataclass(frozen=True)
class Step:
    """One call: its operation, its arguments in the client's words, its body, its status; and who calls."""

    operation: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    status: int = 200
    as_user: bool = False


def step(operation: str, body: Any = None, status: int = 200, as_user: bool = False, **arguments: Any) -> Step:
    """Return a step."""
    return Step(operation, arguments, body, status, as_user)


Arguments = dict[str, Any]
C: Arguments = {"catalog_name": "c"}
P: Arguments = {"principal_name": "u"}
PR: Arguments = {"principal_role_name": "people"}
CR: Arguments = {**C, "catalog_role_name": "owner"}
IN: Arguments = {"prefix": "c", "namespace": NAMESPACE}
POLICY: Arguments = {**IN, "policy_name": "p"}
TARGET = {"target": {"type": "namespace", "path": [NAMESPACE]}}
GRANT = {"grant": {"type": "catalog", "privilege": "CATALOG_MANAGE_CONTENT"}}


def management(base: str) -> list[Step]:
    """Return steps through every operation of the management API."""
    storage = {"storageType": "FILE", "allowedLocations": [base]}
    catalog = {
        "type": "INTERNAL",
        "name": "c",
        "properties": {"default-base-location": base},
        "storageConfigInfo": storage,
    }
    s3 = {"storageType": "S3", "roleArn": "arn:aws:iam::123456789012:role/r", "allowedLocations": ["s3://b/x"]}
    outside = {
        "type": "EXTERNAL",
        "name": "outside",
        "properties": {"default-base-location": "s3://b/x"},
        "storageConfigInfo": s3,
        "connectionConfigInfo": {
            "connectionType": "ICEBERG_REST",
            "uri": "http://far.example",
            "remoteCatalogName": "f",
        },
    }
    return [
        step("createCatalog", {"catalog": catalog}, 201),
        step("createCatalog", {"catalog": catalog}, 409),
        step("createCatalog", {"catalog": outside}, 201),
        step("listCatalogs"),
        step("listCatalogs", status=403, as_user=True),
        step("getCatalog", **C),
        step("getCatalog", status=404, catalog_name="none"),
        step(
            "updateCatalog",
            {"currentEntityVersion": 1, "properties": {"color": "red"}, "storageConfigInfo": storage},
            **C,
        ),
        step("updateCatalog", {"currentEntityVersion": 1, "properties": {}}, 409, **C),
        step("createPrincipal", {"principal": {"name": "spare"}, "credentialRotationRequired": False}, 201),
        step("listPrincipals"),
        step("getPrincipal", **P),
        step("updatePrincipal", {"currentEntityVersion": 1, "properties": {"team": "a"}}, **P),
        step("resetCredentials", {"clientSecret": "0123456789abcdef"}, principal_name="spare"),
        step("resetCredentials", {}, 403, as_user=True, principal_name="spare"),
        step("rotateCredentials", status=403, principal_name="spare"),
        step("createPrincipalRole", {"principalRole": {"name": "people"}}, 201),
        step("listPrincipalRoles"),
        step("getPrincipalRole", **PR),
        step("updatePrincipalRole", {"currentEntityVersion": 1, "properties": {"size": "9"}}, **PR),
        step("assignPrincipalRole", {"principalRole": {"name": "people"}}, 201, **P),
        step("listPrincipalRolesAssigned", **P),
        step("listAssigneePrincipalsForPrincipalRole", **PR),
        step("createCatalogRole", {"catalogRole": {"name": "owner"}}, 201, **C),
        step("listCatalogRoles", **C),
        step("getCatalogRole", **CR),
        step("updateCatalogRole", {"currentEntityVersion": 1, "properties": {"kind": "x"}}, **CR),
        step("assignCatalogRoleToPrincipalRole", {"catalogRole": {"name": "owner"}}, 201, **PR, **C),
        step("listCatalogRolesForPrincipalRole", **PR, **C),
        step("listAssigneePrincipalRolesForCatalogRole", **CR),
        step("addGrantToCatalogRole", GRANT, 201, **CR),
        step("listGrantsForCatalogRole", **CR),
        step("listGrantsForCatalogRole", status=403, as_user=True, **CR),
    ]


CONTENT = [
    step("createGenericTable", {"name": "g", "format": "delta", "properties": {"k": "v"}}, as_user=True, **IN),
    step("listGenericTables", as_user=True, **IN),
    step("loadGenericTable", as_user=True, **IN, generic_table="g"),
    step("loadGenericTable", status=404, as_user=True, **IN, generic_table="none"),
    step("createPolicy", {"name": "p", "type": COMPACTION, "content": '{"enable": true}'}, as_user=True, **IN),
    step("createPolicy", {"name": "p", "type": COMPACTION, "content": '{"enable": true}'}, 409, as_user=True, **IN),
    step("listPolicies", as_user=True, **IN, policy_type=COMPACTION),
    step("loadPolicy", as_user=True, **POLICY),
    step("updatePolicy", {"content": '{"enable": false}', "current-policy-version": 0}, as_user=True, **POLICY),
    step("updatePolicy", {"content": '{"enable": true}', "current-policy-version": 0}, 409, as_user=True, **POLICY),
    step("attachPolicy", TARGET, 204, as_user=True, **POLICY),
    step("getApplicablePolicies", as_user=True, prefix="c", namespace=NAMESPACE),
    step("dropPolicy", status=400, as_user=True, **POLICY),
    step("detachPolicy", TARGET, 204, as_user=True, **POLICY),
    step("detachPolicy", TARGET, 404, as_user=True, **POLICY),
    step("dropPolicy", status=204, as_user=True, **POLICY, detach_all=True),
    step("dropGenericTable", status=204, as_user=True, **IN, generic_table="g"),
]
END = [
    step("revokeGrantFromCatalogRole", GRANT, 201, **CR, cascade=False),
    step("revokeGrantFromCatalogRole", GRANT, 400, **CR, cascade=False),
    step("createGenericTable", {"name": "h", "format": "delta"}, 403, as_user=True, **IN),
    step("revokeCatalogRoleFromPrincipalRole", status=204, **PR, **CR),
    step("deleteCatalog", status=400, **C),
    step("deleteCatalogRole", status=204, **CR),
    step("deleteCatalog", status=204, catalog_name="outside"),
    step("revokePrincipalRole", status=204, **P, **PR),
    step("deletePrincipalRole", status=204, **PR),
    step("deletePrincipal", status=204, principal_name="spare"),
    step("rotateCredentials", as_user=True, **P),
]


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
    settings = {"storage": f"dir:{tmp_path}/state"} if storage == "directory" else {}
    steps = [*management(f"file://{tmp_path}/c"), *CONTENT, *END]
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
    driven = {called.operation for called in [*management(""), *CONTENT, *END]}
    operations = PROFILE.document().operations.values()
    own = {operation.id for operation in operations if any(part in operation.path for part in DRIVEN)}
    assert driven == own
    assert TOKENS not in {operation.path for operation in operations if operation.id in driven}
