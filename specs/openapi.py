"""OpenAPI document as data: its operations, their parameters, bodies and responses.

Routes, validators, generated requests and coverage are derived from the document: no path, status or schema is written
a second time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote

from jsonpointer import JsonPointerException, resolve_pointer

from specs.errors import ErrorBody
from specs.expansions import expand_discriminators, expand_nullable
from specs.overlay import OverlayAction, apply_fitting, apply_overlay
from specs.problems import Problem, did_you_mean
from specs.revisions import read_revision

METHODS = ("get", "put", "post", "delete", "head", "patch", "options")
JSON_TYPE = "application/json"
MAY_BE_EMPTY = "x-lakeproof-may-be-empty"  # of a response: its body may be missing
MOUNT = "x-lakeproof-mount"  # of a path item: the path prefix of its document
WEIGHT_TAGS = ("metadata", "data")  # the weight of an operation, not its subject
HINT = "Correct the document at that place."
Schema = dict[str, Any]
Made = TypeVar("Made")


def snake_case(operation_id: str) -> str:
    """Return the name of the handler and client method of an operation: ListTables -> list_tables."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", operation_id).lower()


def media_type_of(content_type: str) -> str:
    """Return the media type in a Content-Type header: in lower case, without parameters."""
    return content_type.partition(";")[0].strip().lower()


@dataclass(frozen=True, slots=True)
class Parameter:
    """Path, query or header parameter of an operation."""

    name: str
    location: str
    required: bool
    schema: Schema


@dataclass(frozen=True, slots=True)
class Body:
    """Body of a request or a response: media type -> schema. A body that is not required may be missing."""

    required: bool
    content: Mapping[str, Schema]


@dataclass(frozen=True, slots=True)
class Operation:
    """Operation of a document, with references resolved one level deep.

    `mount` is the path prefix of its own document, if that is one of several.
    """

    id: str
    method: str
    path: str
    summary: str
    tags: tuple[str, ...]
    deprecated: bool
    parameters: tuple[Parameter, ...]
    request: Body | None
    responses: Mapping[str, Body]
    mount: str = ""

    @property
    def own_path(self) -> str:
        """Path of the operation in its own document, without the mount."""
        return self.path.removeprefix(self.mount)

    @property
    def name(self) -> str:
        """Name of the operation in Python."""
        return snake_case(self.id)

    @property
    def resource(self) -> str:
        """Resource of the operation: its most specific tag, in lower case."""
        about = [tag.lower() for tag in self.tags if tag.lower() not in WEIGHT_TAGS]
        return about[-1] if about else "other"

    def declared(self, status: int) -> str | None:
        """Return the response key that declares `status` ("200", "5XX", "default"), or None."""
        candidates = (str(status), f"{status // 100}XX", "default")
        return next((key for key in candidates if key in self.responses), None)

    @property
    def successes(self) -> list[int]:
        """Declared statuses of success, in the document's order."""
        return [int(status) for status in self.responses if status.startswith("2") and status.isdecimal()]

    def query_parameters(self) -> list[Parameter]:
        """Return the query parameters."""
        return [parameter for parameter in self.parameters if parameter.location == "query"]

    def path_parameters(self) -> list[Parameter]:
        """Return the path parameters."""
        return [parameter for parameter in self.parameters if parameter.location == "path"]

    @property
    def path_names(self) -> list[str]:
        """Names of the path parameters."""
        return [parameter.name for parameter in self.path_parameters()]

    def path_values(self, path: str) -> dict[str, str]:
        """Return the decoded path parameters of a request's path, by name.

        The path is parsed from its end: its beginning differs between servers.
        """
        pairs = zip(reversed(self.path.split("/")), reversed(path.split("/")), strict=False)
        return {name[1:-1]: unquote(text) for name, text in pairs if name.startswith("{")}

    def default(self, name: str) -> Any:
        """Return the documented default of a query parameter, None if there is none."""
        return next(
            (parameter.schema.get("default") for parameter in self.query_parameters() if parameter.name == name), None
        )


@dataclass(frozen=True)
class Document:
    """OpenAPI 3 document after its corrections. `raw` is the whole tree, `errors` describes its error bodies."""

    raw: dict[str, Any]
    source: str
    unused_actions: tuple[OverlayAction, ...] = field(default=())
    corrections: tuple[OverlayAction, ...] = field(default=())
    errors: ErrorBody = field(default_factory=ErrorBody)
    compiled: dict[Any, Any] = field(default_factory=dict, init=False, compare=False, repr=False)
    """Values derived from the document that its users share: see `once` and validation.py."""

    @classmethod
    def load(cls, path: Path, overlay: list[OverlayAction] | None = None, *, lenient: bool = False) -> Document:
        """Read a document and correct it by an overlay, if one is given.

        With `lenient`, corrections that do not fit are stored in `unused_actions` instead of raising: a user's
        document may be of another revision than the overlay's. Raises Problem for a file that is not an OpenAPI 3
        document.
        """
        raw = read_revision(path)
        if not isinstance(raw, dict) or not str(raw.get("openapi", "")).startswith("3"):
            raise Problem(
                f"{path} is not an OpenAPI 3 document: it has no `openapi: 3...` field.",
                "Give the YAML or JSON file of the interface document itself.",
            )
        if not isinstance(raw.get("paths"), dict):
            raise Problem(f"{path} declares no `paths`.", "Give a document that declares operations.")
        unused: list[OverlayAction] = []
        if lenient:
            raw, unused = apply_fitting(raw, overlay or [])
        else:
            raw = apply_overlay(raw, overlay or [])
        if overlay is not None:
            expand_nullable(raw)
        applied = tuple(action for action in overlay or () if action not in unused)
        document = cls(expand_discriminators(raw), str(path), tuple(unused), applied)
        try:
            _ = document.operations
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise Problem(f"{path} is malformed: {type(error).__name__} {error} in its operations.", HINT) from None
        return document

    @property
    def title(self) -> str:
        """Title and version of the document."""
        info = self.raw.get("info", {})
        return f"{info.get('title', 'untitled')} {info.get('version', '')}".strip()

    @cached_property
    def operations(self) -> dict[str, Operation]:
        """Operations by id, in the document's order."""
        return {operation.id: operation for operation in self._operations()}

    @cached_property
    def names(self) -> frozenset[str]:
        """Names of the operations in Python."""
        return frozenset(operation.name for operation in self.operations.values())

    def stated(self) -> Iterator[tuple[str, ...]]:
        """Yield the operations, their parameters and the fields of schemas, for the distance between documents."""
        for operation in self.operations.values():
            yield ("operation", operation.id)
            yield from (("parameter", operation.id, parameter.name) for parameter in operation.parameters)
        for name, schema in self.raw.get("components", {}).get("schemas", {}).items():
            yield from (("field", name, field_name) for field_name in schema.get("properties", ()))

    def operation(self, operation_id: str) -> Operation:
        """Return an operation. Raises Problem, with similar ids, for an unknown id."""
        try:
            return self.operations[operation_id]
        except KeyError:
            near = [name for name in self.operations if operation_id.lower() in name.lower()]
            hint = f"Did you mean {', '.join(near[:5])}?" if near else ""
            hint = hint or did_you_mean(operation_id, self.operations, "`lakeproof spec list` shows all operations.")
            raise Problem(f"The document has no operation {operation_id}.", hint) from None

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return the value of `make`, which is called on first use and cached under the key."""
        if key not in self.compiled:
            self.compiled[key] = make()
        made: Made = self.compiled[key]
        return made

    def resolve(self, node: Any) -> Any:
        """Follow `$ref` until the node is not a reference. Raises Problem for a reference without a target."""
        while isinstance(node, dict) and "$ref" in node:
            reference = node["$ref"]
            node = self.once(("reference", reference), partial(self._referred, reference))
        return node

    def _referred(self, reference: str) -> Any:
        try:
            node = resolve_pointer(self.raw, reference.removeprefix("#"))
        except JsonPointerException:
            node = None
        if node is None:
            raise Problem(f"{self.source}: the reference {reference} has no target.", "Correct the document.")
        return node

    def _operations(self) -> Iterator[Operation]:
        for path, item in self.raw["paths"].items():
            for method in METHODS:
                if method in item:
                    yield self._operation(path, method, item[method], item)

    def _operation(self, path: str, method: str, raw: dict[str, Any], item: dict[str, Any]) -> Operation:
        shared = item.get("parameters", [])
        parameters = [self._parameter(parameter) for parameter in [*shared, *raw.get("parameters", [])]]
        request = self.resolve(raw.get("requestBody"))
        return Operation(
            id=raw.get("operationId", f"{method} {path}"),
            method=method.upper(),
            path=path,
            summary=raw.get("summary", ""),
            tags=tuple(raw.get("tags", ())),
            deprecated=bool(raw.get("deprecated")),
            parameters=tuple(parameters),
            request=self._body(request) if request else None,
            responses={status: self._answer(response) for status, response in raw.get("responses", {}).items()},
            mount=item.get(MOUNT, ""),
        )

    def _parameter(self, node: Any) -> Parameter:
        raw = self.resolve(node)
        return Parameter(raw["name"], raw["in"], bool(raw.get("required")), self.resolve(raw.get("schema", {})))

    def _answer(self, node: Any) -> Body:
        return replace(self._body(node), required=not self.resolve(node).get(MAY_BE_EMPTY))

    def _body(self, node: Any) -> Body:
        raw = self.resolve(node)
        content = {kind: media.get("schema", {}) for kind, media in raw.get("content", {}).items()}
        return Body(bool(raw.get("required")), content)
