"""Looking at a Lance target before the run: is it one, what does it have, do namespaces nest?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from conformance.client import is_unsupported
from conformance.exchange import Exchange
from conformance.lance.arrow import STREAM_TYPE, stream
from conformance.lance.catalog import FLAT, NAMESPACES, NESTED, NONE, LanceCatalog, Names
from conformance.minimal import minimal_value
from conformance.strategies import tables
from conformance.target import MISSING, OFFERED, REFUSED, Target, is_missing
from specs.openapi import JSON_TYPE, Operation


class LanceProber:
    """See Prober. Whatever a careless server creates for a probe is dropped again."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self._catalog = LanceCatalog(target)

    def greet(self) -> Exchange:
        """List the root: every server can."""
        return self._catalog.attempt("ListNamespaces", (), None)

    def recognises(self, greeting: Exchange) -> bool:
        """True when an answer can only come from a Lance Namespace server: a listing, or a numbered error."""
        try:
            value = orjson.loads(greeting.response_body)
        except orjson.JSONDecodeError:
            return False
        if not isinstance(value, dict):
            return False
        numbered = isinstance(value.get("code"), int) and not (greeting.status in (404, 405) and value["code"] == 0)
        return isinstance(value.get("namespaces"), list) or numbered

    def nowhere(self) -> Exchange:
        """Ask for a path that no revision of the API has."""
        return self.target.client.get_raw("/v1/table/lakeproof/asks/where/nothing/is")

    def probes(self) -> Iterator[Exchange]:
        """Ask for every operation once, on objects that do not exist."""
        for operation in self.target.document.operations.values():
            self._catalog.begin_example()
            self._probe(operation)
            yield self.target.client.steps[-1]
        self.target.facts[NAMESPACES] = self._namespaces()

    def _probe(self, operation: Operation) -> None:
        missing = f"{self.target.prefix}_missing"
        path = {parameter.name: missing for parameter in operation.parameters if parameter.location == "path"}
        if "id" in path and operation.id != "CreateNamespace":
            path["id"] = f"{missing}$x" if "/table/" in operation.path else missing
        elif "id" in path:
            path["id"] = f"{missing}$x"
        required = {parameter.name: "x" for parameter in operation.query_parameters() if parameter.required}
        send = self._catalog.send
        content = self._content(operation)
        self._catalog.quietly(
            lambda: send(operation.id, path.get("id"), query=required, path=path, expect=None, **content)
        )

    def _content(self, operation: Operation) -> dict[str, Any]:
        if operation.request is None:
            return {}
        if STREAM_TYPE in operation.request.content:
            return {"data": stream(tables(1))}
        return {"json": minimal_value(self.target.document, operation.request.content.get(JSON_TYPE, {}))}

    def state(self, probe: Exchange, nowhere: Exchange) -> str:
        """Return whether an operation is offered: all that its answer tells."""
        if is_unsupported(probe):
            return REFUSED
        return MISSING if is_missing(probe, nowhere) else OFFERED

    def clean_up(self) -> None:
        """Drop what probes created."""
        self._catalog.clean_up()

    def _namespaces(self) -> str:
        """Find out whether namespaces exist and nest, by creating two."""
        outer = (f"{self.target.prefix}_nest",)
        if not self._created(outer):
            return NONE
        return NESTED if self._created((*outer, "inner")) else FLAT

    def _created(self, id: Names) -> bool:
        self._catalog.begin_example()
        self._catalog.quietly(lambda: self._catalog.create_namespace(id, expect=None))
        return self.target.client.steps[-1].status == 200
