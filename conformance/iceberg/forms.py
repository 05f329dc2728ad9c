"""Forms of requests: what real clients add to the smallest valid request, kept as data in forms.toml.

A form adds and changes nothing that the requirement itself says, so a request with a defect keeps it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from specs.files import read_toml
from specs.identifiers import encode_separator
from specs.openapi import JSON_TYPE, Document, Operation

FORMS_FILE = Path(__file__).with_name("forms.toml")
CONTENT_TYPE = "content-type"
OF_CALLERS = ("Authorization",)  # headers that every request of a run may have
Headers = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class ShapedRequest:
    """The parts of a request that a form may extend."""

    path: Mapping[str, str]
    body: Any
    query: Mapping[str, Any]
    headers: Headers


@dataclass(frozen=True, slots=True)
class RequestForm:
    """Additions of a client to the requests of every operation.

    `headers` are those of every request; one of a body's type is not sent in place of the type that a request has.
    `query` and `body` are parameters and fields by operation. With `identifier` a commit names its table or view in the
    body, and with `ids` the things that it adds have ids.
    """

    client: str
    words: str
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    body: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    identifier: bool = False
    ids: bool = False

    def applied(
        self, operation: Operation, document: Document, request: ShapedRequest, separator: str
    ) -> ShapedRequest:
        """Return a request in this form."""
        body = request.body
        if isinstance(body, dict):
            known = fields_of(document, operation)
            added = {name: value for name, value in self.body.get(operation.id, {}).items() if name in known}
            if self.identifier and "identifier" in known:
                added |= _identifier(request.path, separator)
            body = {**added, **body}
        parameters = {parameter.name for parameter in operation.query_parameters()}
        query = {name: value for name, value in self.query.get(operation.id, {}).items() if name in parameters}
        given = {name: value for name, value in request.query.items() if value is not None}
        named = {name.lower() for name in request.headers} | ({CONTENT_TYPE} if body is not None else set())
        headers = {name: value for name, value in self.headers.items() if name.lower() not in named}
        return replace(request, body=body, query={**query, **given}, headers={**headers, **request.headers})


@cache
def request_forms() -> dict[str, RequestForm]:
    """Return the forms by name, as forms.toml has them."""
    known = {entry.name for entry in fields(RequestForm)}
    forms = read_toml(FORMS_FILE)
    for name, form in forms.items():
        if form.keys() - known:
            raise ValueError(f"{FORMS_FILE}: {name} has unknown keys: {', '.join(form.keys() - known)}")
    return {name: RequestForm(**form) for name, form in forms.items()}


def fields_of(document: Document, operation: Operation) -> frozenset[str]:
    """Return the fields that the JSON body of an operation may have at its top."""
    content = operation.request.content.get(JSON_TYPE, {}) if operation.request else {}
    return document.once((fields_of, operation.id), lambda: frozenset(_fields(document, content)))


def _fields(document: Document, schema: Mapping[str, Any]) -> set[str]:
    resolved = document.resolve(schema)
    parts = [part for key in ("allOf", "anyOf", "oneOf") for part in resolved.get(key, ())]
    return set(resolved.get("properties", ())).union(*(_fields(document, part) for part in parts))


def _identifier(path: Mapping[str, str], separator: str) -> dict[str, Any]:
    """Return the field with the name of the table or view in a path."""
    name, namespace = path.get("table", path.get("view")), path.get("namespace")
    if name is None or namespace is None:
        return {}
    levels = [unquote(level) for level in namespace.split(encode_separator(separator))]
    return {"identifier": {"namespace": levels, "name": name}}


# Connections: the headers of a request for one, None where it changes nothing.
Connecting = Callable[[ShapedRequest, bool], Headers | None]


def _closing(request: ShapedRequest, _typed: bool) -> Headers:
    return {**request.headers, "Connection": "close"}


def _in_chunks(request: ShapedRequest, _typed: bool) -> Headers | None:
    return None if request.body is None else {**request.headers, "Transfer-Encoding": "chunked"}


def _in_small_letters(request: ShapedRequest, typed: bool) -> Headers:
    """Return headers with names in small letters, as HTTP/2 has them; those of callers keep theirs."""
    own = {"Accept": "*/*"} | ({"Content-Type": JSON_TYPE} if request.body is not None and not typed else {})
    named = {name.lower() for name in request.headers}
    plain = {name: value for name, value in own.items() if name.lower() not in named}
    renamed = {**plain, **{name: value for name, value in request.headers.items() if name not in OF_CALLERS}}
    kept = {name: value for name, value in request.headers.items() if name in OF_CALLERS or value is None}
    small = {name.lower(): value for name, value in renamed.items() if value is not None}
    return {**dict.fromkeys(plain), **kept, **small}


CONNECTIONS: Mapping[str, Connecting] = {"fresh": _closing, "chunked": _in_chunks, "small": _in_small_letters}
