"""The operations of an API as methods, made from its document: snake_case(operationId).

    catalog.rename_table(source, destination, expect=409)

Positional arguments follow the order of the document: the path parameters, then the required fields of a JSON body, or
the body itself if it is not a JSON object with known fields (`data`, `form`, `body`). Every other argument is a
keyword: a field of the JSON body, or of the query for an operation without one. `expect`, `_query` and `_headers`
belong to no API. Type checkers know the methods from a generated stub (operation_stub.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar
from urllib.parse import urlencode

from conformance.http.answers import Answer
from conformance.http.client import Client, Expected, Successes
from specs.openapi import JSON_TYPE, Document, Operation
from specs.profiles import newest_operations

DECLARED: Any = object()  # as `expect`: any declared status of success
FORM_TYPE = "application/x-www-form-urlencoded"
FORM, DATA, BODY = "form", "data", "body"
Id = Sequence[str]  # the levels of a name, or a text that is sent unchanged
Query = Mapping[str, Any]
Defaults = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
Headers = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Signature:
    """The arguments of an operation: positional ones, those of the path first, and known keywords.

    `content` is the argument that is the whole body, "" if the body is made of keywords or absent. `fields` maps
    arguments to their names in the document.
    """

    operation: Operation
    path: tuple[str, ...]
    leading: tuple[str, ...]
    keywords: tuple[str, ...]
    content: str
    fields: Mapping[str, str]

    @property
    def has_fields(self) -> bool:
        """True when keywords are fields of a JSON body."""
        return self.operation.request is not None and not self.content

    def without(self, field: str) -> Signature:
        """Return the signature without an argument that another one implies."""
        return replace(self, leading=tuple(name for name in self.leading if name != field))

    def bind(self, values: Sequence[Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of a call by name. Raises TypeError for too many, duplicate or missing ones."""
        places = (*self.path, *self.leading)
        given = dict(zip(places, values, strict=False))
        twice = given.keys() & keywords.keys()
        lacking = set(self.path) - given.keys() - keywords.keys()
        if len(values) > len(places) or twice or lacking:
            raise TypeError(f"{self.operation.name}({', '.join(places)}) cannot be called with {values} and {keywords}")
        return {**given, **keywords}


class OperationClient:
    """A client with a method for each operation of an API.

    A subclass names its API, and overrides the hooks where its arguments differ. `defaults` returns the arguments that
    a call of an operation sends unless they are given, by name.
    """

    signatures: ClassVar[Mapping[str, Signature]] = {}
    defaults: Defaults = staticmethod(lambda _operation, _given: {})

    def __init_subclass__(cls, api: str = "") -> None:
        """Give the class a method for each operation of the API in any revision, unless it has one already.

        Its arguments are those of the newest revision, in every run. Operations of a document that follows another API
        are methods of that API's client.
        """
        if api:
            cls.signatures = {
                id: cls.signature(profile.document(), operation)
                for id, (profile, operation) in newest_operations(api).items()
                if profile.suite_of(id) == api
            }
            for signature in cls.signatures.values():
                if not hasattr(cls, signature.operation.name):
                    setattr(cls, signature.operation.name, _method(cls, signature))

    def __init__(self, client: Client) -> None:
        self.client = client

    # Hooks

    @classmethod
    def signature(cls, document: Document, operation: Operation) -> Signature:
        """Return the signature of an operation."""
        return make_signature(document, operation, operation.path_names)

    @classmethod
    def field(cls, signature: Signature, name: str) -> str:
        """Return the document's field of an argument; an argument unknown to the document keeps its name."""
        return signature.fields.get(name, name)

    def successes(self, operation: str) -> list[int]:
        """Return the statuses of success that a call expects by default."""
        return self.client.document.operation(operation).successes

    def prepare(self, operation: str, given: Mapping[str, Any]) -> None:
        """Prepare a call; `given` are its arguments by name. A hook."""

    def convert(self, operation: str, field: str, value: Any) -> Any:
        """Return the value of a field in the form of the document. A hook."""
        return value

    def transmit(
        self,
        operation: str,
        path: Mapping[str, Any],
        content: Any,
        *,
        query: Query,
        headers: Headers | None,
        expect: Expected,
    ) -> Answer:
        """Send a call: `path` are its arguments for the path by name, `content` is a JSON value, bytes or None."""
        values = {name: path[python_name(name)] for name in self.signatures[operation].operation.path_names}
        body = _as_it_goes(content)
        return self.client.call(operation, path=values, query=query, headers=headers, expect=expect, **body)

    # How a call becomes a request

    def invoke(
        self,
        signature: Signature,
        given: Mapping[str, Any],
        *,
        query: Query | None,
        headers: Headers | None,
        expect: Expected,
    ) -> Answer:
        """Send an operation with arguments by name."""
        operation = signature.operation.id
        given = {**self.defaults(operation, given), **given}
        self.prepare(operation, given)
        path = {name: given[name] for name in signature.path}
        fields = {
            field: self.convert(operation, field, value)
            for name, value in given.items()
            if name not in path and name != signature.content
            for field in [self.field(signature, name)]
        }
        content = _content(signature, given) if signature.content else fields if signature.has_fields else None
        return self.transmit(
            operation,
            path,
            content,
            query={**({} if signature.has_fields else fields), **(query or {})},
            headers=headers,
            expect=Successes(self.successes(operation)) if expect is DECLARED else expect,
        )


class PathClient(OperationClient):
    """A client that can also be called by operationId, with the path parameters named as in the document."""

    def segment(self, _name: str, value: Any) -> str:
        """Return a path value in the form that Client.call accepts; a hook."""
        return value if isinstance(value, str) else str(value)

    def send(
        self,
        operation: str,
        path: Mapping[str, Any] | None = None,
        body: Any = None,
        *,
        query: Query | None = None,
        expect: Expected = DECLARED,
        **options: Any,
    ) -> Answer:
        """Send an operation; a body of bytes is sent unchanged. `options` are those of Client.call."""
        wanted = Successes(self.successes(operation)) if expect is DECLARED else expect
        values = {name: self.segment(name, value) for name, value in (path or {}).items()}
        return self.client.call(operation, path=values, query=query, expect=wanted, **_as_it_goes(body), **options)


def make_signature(
    document: Document, operation: Operation, path: Sequence[str], leading: Sequence[str] | None = None
) -> Signature:
    """Return the signature of an operation with these path arguments.

    `leading` are the positional arguments after them, by default the required fields of its body.
    """
    content = _whole(document, operation)
    schema = _schema(document, operation) if not content else {}
    required = [python_name(name) for name in schema.get("required", ())]
    leading = [content] if content else required if leading is None else leading
    known = [
        *schema.get("properties", ()),
        *(parameter.name for parameter in operation.query_parameters() if not schema),
    ]
    fields = {python_name(name): name for name in known}
    keywords = tuple(name for name in fields if name not in {*path, *leading})
    return Signature(operation, tuple(map(python_name, path)), tuple(leading), keywords, content, fields)


def python_name(name: str) -> str:
    """Return the Python argument name of a name of the document."""
    return name.replace("-", "_")


def _schema(document: Document, operation: Operation) -> dict[str, Any]:
    content = operation.request.content if operation.request else {}
    schema: dict[str, Any] = document.resolve(content.get(JSON_TYPE, {}))
    return schema


def _whole(document: Document, operation: Operation) -> str:
    """Return the argument that is the whole body of an operation, "" if its body has known fields or does not exist."""
    if operation.request is None:
        return ""
    if JSON_TYPE in operation.request.content:
        return "" if "properties" in _schema(document, operation) else BODY
    return FORM if FORM_TYPE in operation.request.content else DATA


def _as_it_goes(body: Any) -> dict[str, Any]:
    """Return a body as an argument of Client.call: bytes unchanged, anything else as JSON."""
    return {"body": body} if isinstance(body, bytes) else {"json": body}


def _content(signature: Signature, given: Mapping[str, Any]) -> Any:
    value = given[signature.content]
    return urlencode(value).encode() if signature.content == FORM else value


def _method(cls: type[OperationClient], signature: Signature) -> Callable[..., Answer]:
    def method(
        self: OperationClient,
        *values: Any,
        expect: Expected = DECLARED,
        _query: Query | None = None,
        _headers: Headers | None = None,
        **keywords: Any,
    ) -> Answer:
        given = signature.bind(values, keywords)
        return self.invoke(signature, given, query=_query, headers=_headers, expect=expect)

    operation = signature.operation
    method.__name__, method.__qualname__ = operation.name, f"{cls.__qualname__}.{operation.name}"
    method.__doc__ = f"{operation.id}: {operation.summary}"
    return method
