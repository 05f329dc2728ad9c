"""Prober of Lance targets: recognises the API, finds the offered operations and tests whether namespaces nest."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial
from typing import Any

from conformance.author.checks import text
from conformance.author.probing import answered, find_nesting, first_recognised, note_pages
from conformance.author.strategies import tables
from conformance.lance.catalog import NAMESPACE_BODIES, LanceCatalog
from conformance.lance.client import STREAM_TYPE, Id
from conformance.lance.locations import same_place
from conformance.lance.making import CREATED_EMPTY, EMPTIED, EMPTY_TABLE, WAYS
from conformance.lance.support.arrow import stream
from conformance.target.capabilities import FLAT, NAMESPACES, NESTED, NONE
from conformance.target.fallbacks import CHOSEN_PLACE, PLACES, SERVERS_PLACE, Fallbacks
from conformance.target.given import find_given
from conformance.target.minimal import minimal_value
from conformance.target.offers import Router, is_refusal
from conformance.target.target import MISSING, OFFERED, REFUSED, Probe, Target
from conformance.values.exchange import Exchange
from conformance.values.json_values import read_object
from conformance.values.outcomes import Blocked, Violation
from conformance.values.resources import NAMESPACE, TABLE
from specs.openapi import JSON_TYPE, Operation

LISTED = ("namespaces", "tables")  # list fields of listing pages
NOT_FOUND = 404
TABLES = ("/table/", "/materialized_view/")  # parts of the paths of operations on tables
MAKERS = ("CreateTable", "DeclareTable", "RegisterTable")
TABLES_WITH_ROWS = Fallbacks(TABLE, MAKERS, tuple(WAYS), lambda catalog: catalog.new_table())
FALLBACKS = (
    Fallbacks(NAMESPACE, ("CreateNamespace",), tuple(NAMESPACE_BODIES), lambda catalog: catalog.home),
    Fallbacks(
        EMPTY_TABLE,
        ("CreateTable", "DeleteFromTable"),
        (CREATED_EMPTY, EMPTIED),
        lambda catalog: catalog.new_empty_table(tables(1)),
        rests_on=(TABLE,),
    ),
)


def _make_in_place(catalog: LanceCatalog) -> None:
    """Find the way to create tables in the place being tried, and declare one at the given location."""
    ways, target = catalog.target.ways, catalog.target
    ways.find((TABLES_WITH_ROWS,), catalog)
    if ways.impossible(TABLE):
        raise Blocked(next(iter(ways.refused[TABLE].values())), "CreateTable")
    if target.location and catalog.inventory.may_offer("DeclareTable"):
        place = target.new_place()
        declared = catalog.declare_table(catalog.table_id("placed"), location=place)["location"]
        if not same_place(text(declared, "the location of the table"), place):
            raise Violation(f"the declared table is at {declared}")


class LanceProber:
    """Prober of the Lance Namespace. It drops whatever a server creates for a probe."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self._catalog = LanceCatalog(target)

    def first_request(self) -> Exchange:
        """List the root, which every server can; where the response is ambiguous, try an error and a table listing."""
        asks = (
            partial(self._answer, "ListNamespaces", ()),
            partial(self._answer, "DescribeNamespace", (*self._catalog.base, self.target.missing_name)),
            partial(self._answer, "ListTables", ()),
        )
        return first_recognised(asks, self.recognises)

    def _answer(self, operation: str, id: Id) -> Exchange:
        self._ask(operation, id)
        return self.target.client.steps[-1]

    def _ask(self, operation: str, id: Id | None, **options: Any) -> None:
        self._catalog.inventory.ask(partial(self._catalog.send, operation, id, expect=None, **options))

    def recognises(self, first_answer: Exchange) -> bool:
        """True when a response can only come from a Lance Namespace server: a listing or an error with a code."""
        value = read_object(first_answer.response_body)
        numbered = isinstance(value.get("code"), int) and not (first_answer.status in (404, 405) and value["code"] == 0)
        return numbered or any(isinstance(value.get(name), list) for name in LISTED)

    def nowhere(self) -> Exchange:
        """Request a path that no revision of the API has."""
        return self.target.client.get_raw("/v1/table/lakeproof/asks/where/nothing/is")

    def probes(self, among: Collection[str]) -> Iterator[Exchange]:
        """Send each of these operations once, on missing objects."""
        for operation in self.target.document.operations.values():
            if operation.id in among and self.target.sends(operation.id):
                self._catalog.begin_example()
                self._probe(operation)
                yield self.target.client.steps[-1]

    def browse(self) -> None:
        """Find existing namespaces and tables, and whether namespaces are nested."""
        catalog = self._catalog
        catalog.begin_example()
        self.target.given = given = find_given(catalog.inventory, self.target.settings)
        deepest = max(map(len, given.of(NAMESPACE)), default=0) - len(catalog.base)
        if deepest:
            self.target.capabilities[NAMESPACES] = NESTED if deepest > 1 else FLAT
            return
        if not self._takes_levels():
            self.target.capabilities[NAMESPACES] = NONE
        self._probe_root()

    def _takes_levels(self) -> bool:
        """True when the probe of a table in a missing namespace returned 404: the server may have namespaces."""
        probes = [self.target.probes[name] for name in self.target.names(OFFERED)]
        return any(
            probe.exchange.status == NOT_FOUND and _on_tables(self.target.document.operation(probe.operation))
            for probe in probes
        )

    def explore(self) -> Iterator[None]:
        """Find the way to create each kind of object, and whether namespaces nest; pause after each kind."""
        self.target.capabilities[NAMESPACES] = FLAT
        self.target.ways.find(FALLBACKS[:1], self._catalog)
        yield
        self.target.capabilities[NAMESPACES] = self._namespaces()
        if self.target.capabilities[NAMESPACES] == NONE:
            self._probe_root()
        catalog = self._catalog
        if catalog.has_namespaces:
            note_pages(catalog, partial(catalog.list_namespaces, catalog.base, limit=1, expect=None))
        places = (CHOSEN_PLACE, SERVERS_PLACE) if self.target.settings.location else (SERVERS_PLACE,)
        self.target.ways.find((Fallbacks(PLACES, MAKERS, places, _make_in_place), *FALLBACKS[1:]), self._catalog)
        yield

    def _probe_root(self) -> None:
        """Repeat, on a table of the root, the probes rejected below a namespace: the namespace was rejected."""
        for name in self.target.names(REFUSED):
            operation = self.target.document.operation(name)
            if _on_tables(operation) and "id" in operation.path_names:
                self._catalog.begin_example()
                self._probe(operation, f"{self.target.missing_name}x")
                answer = self.target.client.steps[-1]
                if not is_refusal(self.target.client, answer):
                    self.target.note_offer(Probe(name, OFFERED, answered(answer), answer))

    def _probe(self, operation: Operation, table: str = "") -> None:
        missing = self.target.missing_name
        path = dict.fromkeys(operation.path_names, missing)
        if "id" in path and _on_tables(operation):
            path["id"] = table or f"{missing}$x"
        elif operation.id == "CreateNamespace":
            path["id"] = f"{missing}$x"
        required = {parameter.name: missing for parameter in operation.query_parameters() if parameter.required}
        self._ask(operation.id, path.get("id"), query=required, path=path, **self._content(operation))

    def _content(self, operation: Operation) -> dict[str, Any]:
        if operation.request is None:
            return {}
        if STREAM_TYPE in operation.request.content:
            return {"data": stream(tables(1))}
        schema = operation.request.content.get(JSON_TYPE, {})
        return {"json": minimal_value(self.target.document, schema, self.target.missing_name)}

    def state(self, probe: Exchange, router: Router) -> tuple[str, str]:
        """Return whether an operation is offered, from the response to its probe, and why."""
        if is_refusal(self.target.client, probe):
            return REFUSED, answered(probe)
        evidence = router.evidence(probe)
        return (MISSING, evidence) if evidence else (OFFERED, answered(probe))

    def _namespaces(self) -> str:
        """Find out whether namespaces exist and nest, by creating two."""
        return find_nesting(self._catalog)


def _on_tables(operation: Operation) -> bool:
    return any(part in operation.path for part in TABLES)
