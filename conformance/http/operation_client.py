"""The operations of an API as methods, made from its document: snake_case(operationId).

    catalog.rename_table(source, destination, expect=409)

Arguments come by place in the order of the document: what the path names, then the fields that a JSON body must have,
or the body itself where it is no JSON object with known fields (`data`, `form`, `body`). Whatever else there is, is a
keyword: a field of the JSON body, or of the query where there is no such body. `expect`, `_query` and `_headers`
belong to no API. Type checkers know the methods from a stub, which is generated (operation_stub.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar
from urllib.parse import urlencode

from conformance.http.client import Answer, Client, Expected
from specs.openapi import JSON_TYPE, Document, Operation
from specs.profiles import newest_operations

DECLARED: Any = object()  # as `expect`: any success that the document declares
FORM_TYPE = "application/x-www-form-urlencoded"
FORM, DATA, BODY = "form", "data", "body"
Id = Sequence[str]  # the levels of a name, or a text that is sent as it is
Query = Mapping[str, Any]
Defaults = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
Headers = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Signature:
    """How an operation is called: its arguments by place, those of the path first, and the keywords it knows.

    `content` is the argument that is the whole body, "" where the body is made of keywords or there is none. `fields`
    are the names that arguments have in the document.
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
        """Return the same without an argument that another one implies."""
        return replace(self, leading=tuple(name for name in self.leading if name != field))

    def bind(self, values: Sequence[Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of a call by name. Raises TypeError for too many, or without what the path names."""
        places = (*self.path, *self.leading)
        given = dict(zip(places, values, strict=False))
        twice = given.keys() & keywords.keys()
        lacking = set(self.path) - given.keys() - keywords.keys()
        if len(values) > len(places) or twice or lacking:
            raise TypeError(f"{self.operation.name}({', '.join(places)}) cannot be called with {values} and {keywords}")
        return {**given, **keywords}


class OperationClient:
    """See the module. A subclass names its API, and overrides the hooks where its arguments are of another form.

    `defaults` says what a call of an operation spells out unless it is given, by the names of arguments.
    """

    signatures: ClassVar[Mapping[str, Signature]] = {}
    defaults: Defaults = staticmethod(lambda _operation, _given: {})

    def __init_subclass__(cls, api: str = "") -> None:
        """Give the class a method for each operation of the API in any revision, unless it has one already.

        It is called as the newest revision has it, whatever a run is about. Operations of a document that follows
        another API are methods of that API's client.
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
        """Return how an operation is called."""
        return make_signature(document, operation, operation.path_names)

    @classmethod
    def field(cls, signature: Signature, name: str) -> str:
        """Return the field of the document that an argument stands for; one that the document lacks goes as it is."""
        return signature.fields.get(name, name)

    def successes(self, operation: str) -> list[int]:
        """Return the statuses of success that are expected unless a call says otherwise."""
        return self.client.document.operation(operation).successes

    def prepare(self, operation: str, given: Mapping[str, Any]) -> None:
        """Do what comes before a call; `given` are its arguments by name."""

    def convert(self, operation: str, field: str, value: Any) -> Any:
        """Return the value of a field as the document wants it."""
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
            expect=self.successes(operation) if expect is DECLARED else expect,
        )


class PathClient(OperationClient):
    """A client that can be called by operationId too, with what the path names as the document has it."""

    def segment(self, _name: str, value: Any) -> str:
        """Return a value of a path as Client.call takes it; a hook."""
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
        """Send an operation; a body of bytes goes as it is. `options` are those of Client.call."""
        wanted = self.successes(operation) if expect is DECLARED else expect
        values = {name: self.segment(name, value) for name, value in (path or {}).items()}
        return self.client.call(operation, path=values, query=query, expect=wanted, **_as_it_goes(body), **options)


def make_signature(
    document: Document, operation: Operation, path: Sequence[str], leading: Sequence[str] | None = None
) -> Signature:
    """Return how an operation is called whose path takes these arguments.

    `leading` are the arguments by place behind them, by default what its body must have.
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
    """Return a name of the document as an argument of a method."""
    return name.replace("-", "_")


def _schema(document: Document, operation: Operation) -> dict[str, Any]:
    content = operation.request.content if operation.request else {}
    schema: dict[str, Any] = document.resolve(content.get(JSON_TYPE, {}))
    return schema


def _whole(document: Document, operation: Operation) -> str:
    """Return the argument that is the whole body of an operation, "" where its body has known fields or is none."""
    if operation.request is None:
        return ""
    if JSON_TYPE in operation.request.content:
        return "" if "properties" in _schema(document, operation) else BODY
    return FORM if FORM_TYPE in operation.request.content else DATA


def _as_it_goes(body: Any) -> dict[str, Any]:
    """Return a body as an argument of Client.call: bytes as they are, anything else as JSON."""
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
