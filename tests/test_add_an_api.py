"""A dry run of docs/add-an-api.md: an API of two documents and three operations, of which each caller has its own.

It is made in a temporary folder that is laid out as the kit; nothing else is touched.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import conformance
import reference_server
import specs
from conformance.after.runner import run
from conformance.author.requirement import REQUIREMENTS
from conformance.http.client import bearer
from conformance.target.target import connect
from conformance.values.settings import Settings
from reference_server.serve import serve
from specs.problems import Problem
from specs.profiles import find_profile

FILES = {
    "specs/toy/api.toml": """
title = "Toy"
revisions = ["2", "10", "1-final"]

[dialects]
twice = "1-final"

[[document]]
mount = "/things"
file = "things.yaml"

[[document]]
mount = "/people"
file = "people-{revision}.yaml"

[error]
type = "/kind"
unsupported = { status = 501, type = "Unsupported" }
""",
    "specs/toy/things.yaml": """
openapi: 3.1.0
info: {title: Things, version: "1"}
paths:
  /v1/{name}:
    parameters: [{name: name, in: path, required: true, schema: {type: string}}]
    put:
      operationId: putThing
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}
      responses: {"204": {description: kept}, 4XX: {$ref: '#/components/responses/Error'}}
    get:
      operationId: getThing
      responses:
        "200": {description: it, content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}
        4XX: {$ref: '#/components/responses/Error'}
components:
  schemas:
    Thing: {type: object, required: [size], properties: {size: {type: integer}}}
    Error: {type: object, required: [kind], properties: {kind: {type: string}}}
  responses:
    Error: {description: refused, content: {application/json: {schema: {$ref: '#/components/schemas/Error'}}}}
""",
    "specs/toy/people-1-final.yaml": """
openapi: 3.1.0
info: {title: People, version: "1"}
paths:
  /v1/me:
    get:
      operationId: getMe
      responses:
        "200": {description: who, content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}
components:
  schemas:
    Thing: {type: object, required: [name], properties: {name: {type: string}}}
""",
    "specs/toy/people-2.yaml": "x-lakeproof-basis: people-1-final\n",
    "specs/toy/people-10.yaml": "x-lakeproof-basis: people-1-final\n",
    "specs/toy/people-twice.yaml": """
x-lakeproof-basis: people-1-final
paths: {/v1/me: {get: {operationId: getThing}}}
""",
    "specs/toy/clauses/things.toml": """
[[clause]]
id = "own-things"
level = "MUST"
operations = ["getThing", "putThing"]
source = "document"
place = ["getThing", "putThing"]
text = "Who puts a thing gets it, and nobody else does."

[[clause]]
id = "me"
level = "MUST"
since = "1-final"
operations = ["getMe"]
source = "document"
place = ["getMe"]
text = "getMe says who calls."
""",
    "reference_server/toy/__init__.py": '''
"""Things that belong to who puts them."""

import orjson

from reference_server.api import Api
from reference_server.auth import Principal
from reference_server.context import Context, Reply, json_reply
from reference_server.errors import NotFound, PermissionDenied, Unauthenticated
from reference_server.storage import pack
from reference_server.toy import handlers


class ToyContext(Context):
    storage = None


class ToyApi(Api):
    handler_modules = [handlers]

    def authenticate(self, headers):
        scheme, _, name = headers.get("Authorization", "").partition(" ")
        if scheme != "Bearer":
            raise Unauthenticated("Say who you are.")
        return Principal(name)

    def authorize(self, principal, operation, target):
        if "name" in target.path:
            kept = self.backend.storage.get(pack(target.path["name"]))
            if kept and orjson.loads(kept)["owner"] != principal.name:
                raise PermissionDenied("It belongs to another one.")

    def context(self, request, operation, path, body, executor):
        context = ToyContext(request, operation, path, body, executor)
        context.storage = self.backend.storage
        return context

    def render(self, error, request):
        return json_reply({"kind": type(error).__name__}, error.status)


API = ToyApi
''',
    "reference_server/toy/handlers.py": '''
"""The handlers of the toy, named after its operations."""

import orjson

from reference_server.context import Reply
from reference_server.errors import NotFound
from reference_server.storage import pack


async def put_thing(context):
    kept = orjson.dumps({"owner": context.principal.name, "thing": context.body})
    await context.storage.commit({}, {pack(context.path["name"]): kept})
    return Reply(204)


async def get_thing(context):
    kept = context.storage.get(pack(context.path["name"]))
    if kept is None:
        raise NotFound("There is none.")
    context.reusable = True
    return orjson.loads(kept)["thing"]


async def get_me(context):
    context.reusable = True
    return {"name": context.principal.name}
''',
    "conformance/__init__.py": "",
    "conformance/toy/__init__.py": "",
    "conformance/toy/part.py": '''
"""How a toy server is looked at."""

from conformance.apis import SuitePart
from conformance.target.minimal import minimal_value
from conformance.target.target import MISSING, OFFERED, REFUSED


class ToyProber:
    def __init__(self, target):
        self.client = target.client
        self.target = target

    def first_request(self):
        self.client.call("getMe", expect=None)
        return self.client.steps[-1]

    def recognises(self, first_answer):
        return first_answer.status == 200

    def nowhere(self):
        return self.client.get_raw("/nowhere")

    def probes(self, among):
        for operation in self.target.document.operations.values():
            schema = operation.request.content["application/json"] if operation.request else {}
            body = minimal_value(self.target.document, schema, "x") if operation.request else None
            self.client.call(operation.id, path={"name": self.target.missing_name}, json=body, expect=None)
            yield self.client.steps[-1]

    def explore(self):
        return iter(())

    def state(self, probe, router):
        if self.client.refuses(probe):
            return REFUSED, "refused"
        return (MISSING, evidence) if (evidence := router.evidence(probe)) else (OFFERED, "answered")


PART = SuitePart(ToyProber, lambda profile: {})
''',
    "conformance/toy/test_things.py": '''
"""What a toy server must do."""

from conformance.author.checks import equal
from conformance.http.client import bearer
from conformance.author.requirement import must
from conformance.author.suite import Suite

OTHER = bearer("somebody-else")


@must("toy.thing.own", operations=["putThing", "getThing"], clause="own-things")
def test_own_thing(suite: Suite) -> None:
    """Who puts a thing gets it."""
    path = {"name": suite.target.new_name()}
    suite.client.call("putThing", path=path, json={"size": 3}, expect=204)
    equal(suite.client.call("getThing", path=path)["size"], 3, "the size")


@must("toy.thing.others", operations=["putThing", "getThing"], clause="own-things", kind="auth")
def test_thing_of_another(suite: Suite) -> None:
    """Nobody else gets it, even after the owner did."""
    path = {"name": suite.target.new_name()}
    suite.client.call("putThing", path=path, json={"size": 3}, expect=204)
    suite.client.call("getThing", path=path)
    refused = suite.client.as_(OTHER).call("getThing", path=path, expect=403)
    equal(refused.type, "PermissionDenied", "the type of the error")


@must("toy.me", operations=["getMe"], clause="me", since="1-final")
def test_me(suite: Suite) -> None:
    """getMe says who calls."""
    mine, other = suite.client.call("getMe")["name"], suite.client.as_(OTHER).call("getMe")["name"]
    equal([mine, other], ["me", "somebody-else"], "the callers")


@must("toy.wire", operations=["putThing", "getThing", "getMe"], clause="me", kind="wire")
def test_wire(suite: Suite) -> None:
    """Every answer fits the document."""
    equal([one.message for one in suite.client.wire.findings.values()], [], "what does not fit")
''',
}


def extend(folder: Path, files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Write files into a folder, and let the packages of the kit look there too."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.lstrip())
    for package in (specs, reference_server, conformance):
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder / package.__name__)])
    monkeypatch.setattr(sys, "path", [*sys.path])


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """The folder of the toy."""
    extend(tmp_path, FILES, monkeypatch)
    yield tmp_path
    for name in [module for module in sys.modules if ".toy" in module]:
        del sys.modules[name]
    for name in [requirement for requirement in REQUIREMENTS if requirement.startswith("toy.")]:
        del REQUIREMENTS[name]


def judged(url: str, folder: Path):
    results, code = run(Settings(server=url, api="toy", token="me", report=str(folder / "report")))
    return {entry.id: entry.verdict for entry in results.requirements}, code


IDS = ("toy.thing.own", "toy.thing.others", "toy.me", "toy.wire")


def test_a_new_api_is_served_and_judged(toy):
    with serve("toy") as server:
        assert judged(server.url, toy) == (dict.fromkeys(IDS, "pass"), 0)


def test_a_server_that_lets_everybody_in_is_noticed(toy, monkeypatch):
    with serve("toy") as server:
        served = next(iter(server._main.apis.values()))
        monkeypatch.setattr(type(served), "authorize", lambda *_: None)
        verdicts, code = judged(server.url, toy)
    assert ({name for name in verdicts if verdicts[name] != "pass"}, code) == ({"toy.thing.others"}, 1)


def test_it_is_served_beside_the_others(toy, http):
    with serve("lance", "iceberg", "toy") as server:
        assert set(server.urls) == {"lance", "iceberg", "toy"}
        me = http("GET", f"{server.urls['toy']}/people/v1/me", headers={"Authorization": "Bearer me"})
        assert (me.status, me.json()) == (200, {"name": "me"})
        assert http("GET", f"{server.urls['iceberg']}/v1/config").status == 200


def test_its_document_is_that_of_both(toy):
    document = find_profile("toy").document()
    assert [(operation.id, operation.path) for operation in document.operations.values()] == [
        ("getThing", "/things/v1/{name}"),
        ("putThing", "/things/v1/{name}"),
        ("getMe", "/people/v1/me"),
    ]
    assert document.operation("getMe").responses["200"].content["application/json"]["$ref"].endswith("/people.Thing")


def test_the_newest_revision_is_the_last_that_is_stated(toy):
    newest, older = find_profile("toy"), find_profile("toy/2")
    assert newest.name == "toy/1-final"
    assert newest.has_reached("10")
    assert not older.has_reached("10")
    with pytest.raises(Problem, match="no revision 3"):
        newest.has_reached("3")


def test_one_id_in_two_documents_is_an_error_unless_it_is_renamed(toy):
    with pytest.raises(Problem, match="another document of the profile also has the operation getThing") as caught:
        find_profile("toy/twice").document()
    assert "rename" in caught.value.hint


def test_clients_with_other_credentials_record_together(toy):
    with serve("toy") as server:
        client = connect(Settings(server=server.url, api="toy", token="me")).client
        client.begin(["getMe"])
        other, nobody = client.as_(bearer("x")), client.as_({"Authorization": None})
        names = [caller.call("getMe")["name"] for caller in (client, other)]
        nobody.call("getMe", expect=401)
        client.close()
    assert names == ["me", "x"]
    assert [step.status for step in client.steps] == [200, 200, 401]
    assert (client.requests, client.reached) == (3, {"getMe 200", "getMe 401"})


def test_an_api_without_a_server_is_a_problem(toy):
    (toy / "reference_server" / "toy" / "__init__.py").unlink()
    (toy / "reference_server" / "toy" / "handlers.py").unlink()
    (toy / "reference_server" / "toy").rmdir()
    with pytest.raises(Problem, match=r"no part in reference_server"):
        serve("toy")
    with serve() as server:
        assert set(server.urls) == {"lance", "iceberg", "polaris"}


TWIN = {
    "specs/twin/api.toml": """
title = "Twin"
revisions = ["1"]

[[document]]
mount = "/iceberg"
follows = "iceberg/1.11"

[error]
type = "/error/type"
unsupported = { status = 406, type = "UnsupportedOperationException" }
""",
    "conformance/__init__.py": "",
    "conformance/twin/__init__.py": "",
    "conformance/twin/part.py": """
from conformance.apis import SuitePart
from conformance.iceberg.prober import IcebergProber

PART = SuitePart(IcebergProber, lambda profile: {})
""",
}


def test_requirements_of_another_api_apply_below_the_mount(tmp_path, monkeypatch):
    extend(tmp_path, TWIN, monkeypatch)
    select = "iceberg.namespace.create or iceberg.wire or iceberg.offered"
    with serve("iceberg/1.11", "lance") as server:
        url = server.urls["lance"].removesuffix("/lance")
        results, code = run(Settings(server=url, api="twin", select=select, depth="smoke", report=str(tmp_path)))
    verdicts = {entry.id: entry.verdict for entry in results.requirements}
    assert (code, set(verdicts.values()), results.run.left_behind) == (0, {"pass", "unoffered"}, [])
    assert {
        "iceberg.namespace.create.conflict",
        "iceberg.wire.load_table",
        "iceberg.offered.load_table",
    } <= verdicts.keys()
    assert [entry for entry in results.requirements if not entry.id.startswith("iceberg.")] == []
