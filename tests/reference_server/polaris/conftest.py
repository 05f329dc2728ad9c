"""A server of Apache Polaris in each revision, and a client that compares every answer with the document."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote, urlencode

import pytest

from lakeproof import serve
from reference_server.routing import Router
from specs.identifiers import decode_segment
from specs.profiles import find_profile
from specs.validation import Validators

REVISIONS = ("2024-09", "1.7")
MANAGEMENT = "/api/management/v1"
TOKENS = "/api/catalog/v1/oauth/tokens"
ROOT = ("root", "s3cr3t")
ALL = "PRINCIPAL_ROLE:ALL"


class Answer:
    """Status, JSON and headers of an answer."""

    def __init__(self, raw):
        self.status, self.headers, self.data = raw.status, raw.headers, raw.data
        self.body = json.loads(raw.data) if raw.data else None

    @property
    def type(self):
        return self.body["error"]["type"]


class Caller:
    """Sends requests as one principal; every answer must be one that the document has."""

    def __init__(self, http, url, revision, token=None):
        self.http, self.url, self.revision, self.token = http, url, revision, token
        document = find_profile(f"polaris/{revision}").document()
        self._router, self._validators = Router(document), Validators(document)

    def call(self, method, path, body=None, *, expect=None, headers=None, form=None, declared=True):
        sent = dict(headers or {})
        if self.token:
            sent["Authorization"] = f"Bearer {self.token}"
        data: str | bytes | None = None
        if form is not None:
            sent["Content-Type"], data = "application/x-www-form-urlencoded", urlencode(form)
        elif body is not None:
            sent["Content-Type"], data = "application/json", body if isinstance(body, bytes) else json.dumps(body)
        answer = Answer(self.http(method, self.url + path, body=data, headers=sent))
        assert expect is None or answer.status == expect, (answer.status, answer.body)
        if declared:
            self._compare(method, path.partition("?")[0], answer)
        return answer

    def manage(self, method, path, body=None, *, expect=None, **rest):
        return self.call(method, MANAGEMENT + path, body, expect=expect, **rest)

    def content(self, method, path, body=None, *, expect=None, **rest):
        return self.call(method, f"/api/catalog/v1{path}", body, expect=expect, **rest)

    def _compare(self, method, path, answer):
        segments = [decode_segment(part) for part in path.lstrip("/").split("/")]
        operation, _ = self._router.match(method, segments)
        assert operation.declared(answer.status), (operation.id, answer.status, answer.body)
        if answer.body is not None:
            assert self._validators.response_mismatches(operation.id, answer.status, answer.body) == []

    def token_for(self, client, secret, scope=ALL, **more):
        form = {"grant_type": "client_credentials", "client_id": client, "client_secret": secret, "scope": scope}
        anonymous = Caller(self.http, self.url, self.revision)
        return anonymous.call("POST", TOKENS, form={**form, **more})

    def login(self, client, secret, scope=ALL):
        return Caller(self.http, self.url, self.revision, self.token_for(client, secret, scope).body["access_token"])


class Admin(Caller):
    """Root, with the steps that most tests begin with."""

    def catalog(self, name="c", **changes):
        return self.manage("POST", "/catalogs", {"catalog": catalog(name, **changes)}, expect=201).body

    def principal(self, name="u", *roles, **more):
        made = self.manage("POST", "/principals", {"principal": {"name": name}, **more}, expect=201).body
        for role in roles:
            self.manage("POST", "/principal-roles", {"principalRole": {"name": role}})
            self.manage("PUT", f"/principals/{name}/principal-roles", {"principalRole": {"name": role}}, expect=201)
        return made["credentials"]["clientId"], made["credentials"]["clientSecret"]

    def catalog_role(self, name="cr", catalog="c", role=None):
        self.manage("POST", f"/catalogs/{catalog}/catalog-roles", {"catalogRole": {"name": name}}, expect=201)
        if role:
            self.manage("PUT", f"/principal-roles/{role}/catalog-roles/{catalog}", {"name": name}, expect=201)

    def grant(self, body, name="cr", catalog="c", expect=201):
        return self.manage("PUT", f"/catalogs/{catalog}/catalog-roles/{name}/grants", {"grant": body}, expect=expect)

    def grants(self, name="cr", catalog="c"):
        return self.manage("GET", f"/catalogs/{catalog}/catalog-roles/{name}/grants", expect=200).body["grants"]

    def namespace(self, *levels, catalog="c"):
        self.content("POST", f"/{catalog}/namespaces", {"namespace": levels}, expect=200)

    def table(self, name="t", namespace="a", catalog="c"):
        body = {"name": name, "schema": {"type": "struct", "fields": []}}
        self.content("POST", f"/{catalog}/namespaces/{quote(namespace, safe='')}/tables", body, expect=200)


def catalog(name, base=None, kind="INTERNAL", **storage):
    """Return the body that creates a catalog in the file system; `storage` replaces its storage."""
    return {
        "name": name,
        "type": kind,
        "properties": {"default-base-location": base or f"file:///tmp/lakeproof-polaris/{name}"},
        "storageConfigInfo": storage or {"storageType": "FILE"},
    }


def basic(client, secret):
    """A header of basic authentication."""
    return {"Authorization": "Basic " + base64.b64encode(f"{client}:{secret}".encode()).decode()}


@pytest.fixture(scope="module", params=REVISIONS)
def revision(request):
    return request.param


@pytest.fixture
def admin(http, revision):
    """Root on a new server."""
    with serve(f"polaris/{revision}", bootstrap=":".join(ROOT)) as server:
        yield Admin(
            http, server.url, revision, Caller(http, server.url, revision).token_for(*ROOT).body["access_token"]
        )
