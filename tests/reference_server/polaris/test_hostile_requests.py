"""Management requests that nobody should send: names, bodies, versions, tokens, drawn from seeds.

None is answered 500, none that is refused changes anything, and no secret is in an answer that does not issue it, or in
a log. `--seeds` says which seeds, each of which draws REQUESTS requests: 0-24 are 10,000.
"""

from __future__ import annotations

import json
import logging
import random
from contextlib import contextmanager
from urllib.parse import quote

import pytest

from lakeproof import serve
from specs.profiles import find_profile
from tests.amount import seeds
from tests.reference_server.polaris.served_catalogs import MANAGEMENT, Root

REQUESTS = 400
NAMES = ["", "x", "system$x", " SYSTEM$", "x" * 256, "x" * 257, "a/b", "..", "a\nb", "\0", "ü", "%", "catalog_admin"]
NAMES += ["root", "service_admin", "\u202e", "a b", "'; --", "${x}", "null"]
VALUES = [None, True, 0, -1, 5, 2**31, 2**63, 2**64, 1.5, 1e400, "", "x", "\ud800", [], [[]], {}, {"name": "x"}]
VALUES += ["CATALOG_MANAGE_CONTENT", "INTERNAL", "FILE", {"type": "catalog", "privilege": 5}, ["a"] * 1000, {"a": {}}]
FIELDS = ["name", "catalog", "principal", "principalRole", "catalogRole", "grant", "type", "properties", "privilege"]
FIELDS += ["currentEntityVersion", "storageConfigInfo", "storageType", "allowedLocations", "clientId", "clientSecret"]
FIELDS += ["namespace", "tableName", "credentialRotationRequired", "default-base-location", "entityVersion"]
BODIES = [b"", b"null", b'"x"', b"[]", b"{", b"\xff", b"{" * 5000, b'{"a":1}' * 2, b"9" * 5000]
TOKENS = ["", "Bearer", "Bearer x", "Basic cm9vdDpz", "Bearer " + "x" * 5000, "Bearer \u00fc", "Digest x"]
KEPT = {"root", "service_admin", "catalog_admin"}  # no refusal is sure for these, so nothing is asked of them


def drawn_value(draw, depth=3):
    if depth == 0 or draw.random() < 0.4:
        return draw.choice(VALUES)
    return {draw.choice(FIELDS): drawn_value(draw, depth - 1) for _ in range(draw.randrange(5))}


def drawn_name(draw, mine):
    return draw.choice(mine if draw.random() < 0.6 else NAMES)


def drawn_body(draw, name):
    """A body: junk, any value, what a request could have, or that but for a field."""
    kind = draw.random()
    if kind < 0.15:
        return draw.choice(BODIES)
    if kind < 0.35:
        return json.dumps(drawn_value(draw)).encode()
    inner = {"name": name, "properties": {"default-base-location": f"file:///tmp/lakeproof/{name}"}}
    inner |= {"storageConfigInfo": {"storageType": "FILE"}, "privilege": "TABLE_LIST", "currentEntityVersion": 1}
    inner["type"] = draw.choice(["INTERNAL", "catalog"])
    if kind < 0.65:
        inner[draw.choice(FIELDS)] = drawn_value(draw, 2)
    return json.dumps({draw.choice(FIELDS[1:6]): inner} if draw.random() < 0.3 else inner).encode()


def drawn_request(draw, operations, mine):
    """An operation with names that the run made or never made, a body, and a header with a token or without."""
    operation = draw.choice(operations)
    names = {part: drawn_name(draw, mine) for part in operation.path_names}
    names = {part: "x" if name in KEPT or not name else name for part, name in names.items()}
    path = operation.path
    for part, name in names.items():
        path = path.replace("{" + part + "}", quote(name, safe=""))
    body = drawn_body(draw, drawn_name(draw, mine)) if operation.has_body else None
    return operation.method, path, body, draw.choice([None] * 20 + TOKENS)


class ManagementOperation:
    def __init__(self, operation):
        self.method, self.path, self.has_body = operation.method.upper(), operation.path, operation.request is not None
        self.path_names = operation.path_names


@contextmanager
def logged():
    """Collect what is logged."""
    lines = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(handler.format(record))
    logging.getLogger().addHandler(handler)
    yield lines
    logging.getLogger().removeHandler(handler)


def state(api):
    """All that management shows: it is compared before and after what was refused."""
    shown = {
        kind: api.call("GET", f"{MANAGEMENT}/{kind}").body for kind in ("catalogs", "principals", "principal-roles")
    }
    for catalog in shown["catalogs"]["catalogs"]:
        place = f"{MANAGEMENT}/catalogs/{quote(catalog['name'], safe='')}/catalog-roles"
        shown[place] = api.call("GET", place).body
        for role in shown[place]["roles"]:
            grants = f"{place}/{quote(role['name'], safe='')}/grants"
            shown[grants] = api.call("GET", grants).body
    return shown


@pytest.mark.parametrize("seed", seeds())
def test_hostile_requests(seed, tmp_path, http):
    draw = random.Random(seed)
    document = find_profile("polaris").document()
    operations = [
        ManagementOperation(operation)
        for operation in document.operations.values()
        if operation.path.startswith(MANAGEMENT) and operation.id not in ("rotateCredentials", "resetCredentials")
    ]
    statuses, secrets = {}, {"s3cr3t"}
    with serve("polaris", bootstrap="root:s3cr3t") as server, logged() as lines:
        api = Root(http, server.url, tmp_path)
        before = state(api)
        for _ in range(REQUESTS):
            method, path, body, token = drawn_request(draw, operations, ["x", "y"])
            headers = {"Content-Type": "application/json"} | api.authorization(token)
            answer = http(method, server.url + path, body=body, headers=headers)
            what = (method, path, body, answer.status, answer.data[:300])
            statuses[answer.status // 100] = statuses.get(answer.status // 100, 0) + 1
            assert answer.status < 500 or answer.status == 501, what
            assert not [secret for secret in secrets if secret.encode() in answer.data], what
            if answer.status >= 400:
                assert json.loads(answer.data)["error"]["code"] == answer.status, what
                assert state(api) == before, what
            else:
                before = state(api)
                secrets |= issued(answer.data)
        assert not [secret for secret in secrets if any(secret in line for line in lines)]
    assert statuses.get(2, 0) > REQUESTS // 20, f"few requests reach what they are for: {statuses}"


def issued(data):
    """The secret that an answer issues."""
    body = json.loads(data) if data else {}
    return {body["credentials"]["clientSecret"]} if "credentials" in body else set()
