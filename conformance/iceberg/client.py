"""Client of the Iceberg REST catalog: a method for every operation, made by OperationClient, and their general form.

Namespaces are sequences of levels, tables and views sequences of levels and a name; keywords have `_` for `-`.
Callers name updates of tables as the newest document does; they are sent with the names of the run's document.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Protocol

from conformance.http.answers import Answer
from conformance.http.client import Client, Encoded, Expected
from conformance.http.operation_client import (
    DECLARED,
    FORM_TYPE,
    Headers,
    Id,
    PathClient,
    Query,
    Signature,
    make_signature,
)
from conformance.iceberg.forms import ShapedRequest
from conformance.iceberg.methods import IcebergMethods
from specs.iceberg.commits import spelling
from specs.iceberg.identifiers import join_levels
from specs.identifiers import UNIT_SEPARATOR, IdentifierError, encode_segment, encode_separator
from specs.openapi import Document, Operation

Body = Mapping[str, Any]
OBJECTS = ("table", "view", "function")  # the objects that a path names below a namespace
ROUTE = "/v1/{prefix}/"
NAMED_BY_BODY = ("createTable", "registerTable", "createView", "registerView")  # bodies contain the name

__all__ = ["Body", "IcebergClient", "Id", "change", "identifier", "in_prefix", "names_below_prefix"]


def identifier(id: Id) -> dict[str, Any]:
    """Return the identifier of a table or view in the form of request bodies."""
    return {"namespace": list(id[:-1]), "name": id[-1]}


def names_below_prefix(operation: Operation) -> list[str]:
    """Return the names of an operation's path parameters without the prefix."""
    return [name for name in operation.path_names if name != "prefix"]


def in_prefix(prefix: str) -> Callable[[str], str]:
    """Return a function that puts the configured prefix, or none, into a path of the document."""
    route = f"/v1/{prefix}/" if prefix else "/v1/"
    return partial(_spelled, route)


def _spelled(route: str, path: str) -> str:
    return path.replace(ROUTE, route)


class Shape(Protocol):
    """Gives a request its form; `typed` is true for one whose content type the caller states."""

    def __call__(self, operation: str, request: ShapedRequest, *, typed: bool) -> ShapedRequest:
        """Return the request to send."""


class IcebergClient(IcebergMethods, PathClient, api="iceberg"):
    """Client of the Iceberg REST catalog. `separator` separates namespace levels in paths.

    `finish` takes an operation, a field and its value, and returns the value to send; `shape` takes an operation and
    its request, and returns the request to send.
    """

    leading: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "listNamespaces": ("parent",),
        "updateTable": ("updates", "requirements"),
        "replaceView": ("updates", "requirements"),
    }

    def __init__(self, client: Client, separator: str = UNIT_SEPARATOR) -> None:
        super().__init__(client)
        self.separator = separator
        self.finish: Callable[[str, str, Any], Any] = lambda _operation, _field, value: value
        self.shape: Shape = lambda _operation, request, *, typed: request
        self._spelling = spelling(client.document)
        self._forms: dict[str, Callable[[Any], Any]] = {
            "createNamespace namespace": list,
            "listNamespaces parent": self._joined,
            "renameTable source": identifier,
            "renameTable destination": identifier,
            "renameView source": identifier,
            "renameView destination": identifier,
            "updateTable updates": lambda updates: list(map(self._spelled, updates)),
        }

    # Names

    def namespace_path(self, namespace: Id) -> dict[str, str]:
        """Return the path values of a namespace, with the separator percent-encoded as advertised.

        Raises IdentifierError for the root, which has no path.
        """
        if not namespace:
            raise IdentifierError("the root has no name")
        separator = encode_separator(self.separator)
        return {"namespace": Encoded(separator.join(map(encode_segment, namespace)))}

    def table_path(self, id: Id) -> dict[str, str]:
        """Return the path values of a table."""
        return self._object_path("table", id)

    def view_path(self, id: Id) -> dict[str, str]:
        """Return the path values of a view."""
        return self._object_path("view", id)

    def _object_path(self, kind: str, id: Id) -> dict[str, str]:
        return {**self.namespace_path(id[:-1]), kind: id[-1]}

    # Calls

    @classmethod
    def signature(cls, document: Document, operation: Operation) -> Signature:
        """Return the signature of an operation: `id` stands for namespace and name of a table or view."""
        names = names_below_prefix(operation)
        if operation.id in NAMED_BY_BODY or set(names) & {*OBJECTS}:
            names = ["id", *(name for name in names if name not in ("namespace", *OBJECTS))]
        made = make_signature(document, operation, names, cls.leading.get(operation.id))
        return made.without("name") if operation.id in NAMED_BY_BODY else made

    @classmethod
    def field(cls, signature: Signature, name: str) -> str:
        """Return the field of a keyword argument, also where a choice of schemas hides the fields."""
        return name.replace("_", "-")

    def convert(self, operation: str, field: str, value: Any) -> Any:
        """Return the value of a field in the form in which it is sent."""
        form = self._forms.get(f"{operation} {field}")
        return self.finish(operation, field, form(value) if form else value)

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
        """Send a call. A form is sent without the run's token unless the headers have one."""
        options: dict[str, Any] = {"headers": headers}
        if operation in NAMED_BY_BODY:
            content = {"name": path["id"][-1], **content}
        elif "updates" in self.signatures[operation].leading:
            content = {"requirements": [], "updates": [], **content}
        elif self.signatures[operation].content == "form":
            options = {"headers": {"Authorization": None, **(headers or {})}, "content_type": FORM_TYPE}
        return self.send(operation, self._path(operation, path), content, query=query, expect=expect, **options)

    def send(
        self,
        operation: str,
        path: Mapping[str, Any] | None = None,
        body: Any = None,
        *,
        query: Query | None = None,
        headers: Headers | None = None,
        expect: Expected = DECLARED,
        **options: Any,
    ) -> Answer:
        """Send an operation in the form that `shape` gives to its request; see PathClient.send."""
        given = ShapedRequest(path or {}, body, query or {}, headers or {})
        shaped = self.shape(operation, given, typed="content_type" in options)
        return super().send(
            operation, path, shaped.body, query=shaped.query, headers=shaped.headers, expect=expect, **options
        )

    def _path(self, operation: str, given: Mapping[str, Any]) -> dict[str, str]:
        names = self.signatures[operation].operation.path_names
        kind = next((name for name in names if name in OBJECTS), "")
        path: dict[str, str] = {name: given[field] for name in names if (field := name.replace("-", "_")) in given}
        if "id" in given:
            id = given["id"]
            return {**path, **(self._object_path(kind, id) if kind else self.namespace_path(id[:-1]))}
        return {**path, **self.namespace_path(given["namespace"])} if "namespace" in given else path

    def _joined(self, parent: Id | None) -> str | None:
        return None if parent is None else join_levels(parent, self.separator)

    def _spelled(self, update: Body) -> Body:
        """Return an update with the action's name in the run's document; other values stay unchanged."""
        action = self._spelling.get(update.get("action", "")) if isinstance(update, dict) else None
        return {**update, "action": action} if action else update


def change(id: Id, updates: Sequence[Body] = (), requirements: Sequence[Body] = ()) -> dict[str, Any]:
    """Return the change of one table in a transaction."""
    return {"identifier": identifier(id), "requirements": list(requirements), "updates": list(updates)}
