"""Prober of an Iceberg target: recognition, offered operations, and forms of names, before the run."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from conformance.author.probing import NO_ENTRY, answered, find_nesting, first_recognised, note_pages
from conformance.http.client import bearer
from conformance.iceberg.catalog import KEY_LIFETIME, PREFIX, IcebergCatalog
from conformance.iceberg.client import ROUTE, in_prefix, names_below_prefix
from conformance.iceberg.fallbacks import find_ways
from conformance.iceberg.operations import (
    ALWAYS,
    DEFAULT_OPERATIONS,
    SETTINGS,
    config_settings,
    endpoint,
    path_prefix,
    with_slash,
)
from conformance.iceberg.support.content import credentials_form
from conformance.target.capabilities import FLAT, NAMESPACES, NESTED, SEPARATOR
from conformance.target.given import find_given
from conformance.target.minimal import minimal_value
from conformance.target.offers import HEAD, NO_HEAD, NOT_FOUND, Router, is_refusal, like_unknown_path
from conformance.target.target import MISSING, OFFERED, REFUSED, Probe, Target
from conformance.values.exchange import Exchange
from conformance.values.json_values import read_object, shown
from conformance.values.outcomes import NotTested, Violation
from conformance.values.resources import NAMESPACE, TABLE, VIEW, Names, Resource
from specs.iceberg.identifiers import advertised_separator
from specs.identifiers import IdentifierError
from specs.openapi import JSON_TYPE, Operation
from specs.problems import Problem

NO_NAMESPACE = "NoSuchNamespaceException"
GRANT_TYPE = re.compile(rb"grant.?type", re.IGNORECASE)  # an answer that rejects the value of the probe has read it
CONFIG, GET_TOKEN, CREATE_NAMESPACE = "getConfig", "getToken", "createNamespace"
ENDPOINTS = "endpoints"
PREFIXED = "{prefix}"  # in the paths of the operations that a configuration lists
IN_ENDPOINTS, NOT_IN_ENDPOINTS = "in endpoints of the configuration", "not in endpoints of the configuration"
OF_A_SERVER = "Check --credential and --scope, or get a token elsewhere and give it with --token."
OF_A_FOLDER = (
    "The folder of --storage has the credential of an earlier run: name it with --credential, or another folder."
)
LISTED = ("namespaces", "identifiers")  # the entries of listing pages
# An object of each kind that HEAD requests, created for a probe.
MADE: dict[str, Callable[[IcebergCatalog], Names]] = {
    NAMESPACE: lambda catalog: catalog.home,
    TABLE: lambda catalog: catalog.new_table(),
    VIEW: lambda catalog: catalog.new_view(),
}
MOST_MISSING = 0.75  # share of operations from which the prefix of paths seems to be wrong


class IcebergProber:
    """Prober by the configuration, or by the answers of the operations where it has no `endpoints`.

    Where the document has no configuration, all its operations count as offered.
    """

    def __init__(self, target: Target) -> None:
        self.target = target
        self._config: dict[str, Any] = {}
        self._configuration: Exchange | None = None
        self._nowhere: Exchange | None = None

    @property
    def configured(self) -> bool:
        """True when the document has getConfig."""
        return CONFIG in self.target.document.operations

    def first_request(self) -> Exchange:
        """Load the configuration, as every client does first, or list the given namespace's tables without getConfig.

        Raises Problem when the run needs a namespace from the settings and has none.
        """
        self._check_namespace()
        self._log_in()
        first_answer = first_recognised(self._first_requests(), self.recognises)
        return (self._shut_out() if self.recognises(first_answer) else None) or first_answer

    def _first_requests(self) -> Iterator[Callable[[], Exchange]]:
        """Yield the requests that identify a catalog: the configuration, then a page of a listing."""
        catalog, warehouse = IcebergCatalog(self.target), self.target.settings.warehouse
        if self.configured:
            query: dict[str, Any] = {"warehouse": warehouse} if warehouse else {}
            yield partial(self._ask_config, catalog, query)
            yield partial(self._sent, partial(catalog.list_namespaces, expect=None))
        else:
            self._read_config()
            yield partial(self._sent, partial(catalog.list_tables, catalog.home, expect=None))

    def _ask_config(self, catalog: IcebergCatalog, query: dict[str, Any]) -> Exchange:
        """Load the configuration and read its settings."""
        answer = self._sent(partial(catalog.get_config, **query, expect=None))
        self._configuration = answer
        self._config = read_object(answer.response_body) if answer.succeeded else {}
        self._read_config()
        return answer

    def _shut_out(self) -> Exchange | None:
        """Return the rejection of a run without credentials by a catalog whose configuration needs none."""
        settings = self.target.settings
        brought = settings.token or settings.credential or settings.header or settings.cert
        if not self.configured or brought or settings.namespace:
            return None
        answer = self._sent(partial(IcebergCatalog(self.target).list_namespaces, expect=None))
        return answer if answer.status in NO_ENTRY else None

    def _log_in(self) -> None:
        """Get a token for the credential of the run, if it has no token. Raises Problem when the server issues none.

        Any 2xx status counts: clients could use the token, and the wire check judges the status.
        """
        settings = self.target.settings
        if settings.token or not settings.client_credentials:
            return
        if GET_TOKEN not in self.target.document.operations:
            raise Problem(f"By {self.target.profile.name} no tokens are issued.", "Give one with --token.")
        catalog = IcebergCatalog(self.target)
        with self.target.client.logging_in():
            answer = self._sent(partial(catalog.get_token, credentials_form(settings), expect=None))
        token = read_object(answer.response_body).get("access_token")
        if not answer.succeeded or not isinstance(token, str):
            raise Problem(
                f"{answer.url} answers {answer.status or answer.failure} and no token for the credential.",
                OF_A_FOLDER if settings.storage else OF_A_SERVER,
            )
        self.target.log_in(bearer(token))

    def recognises(self, first_answer: Exchange) -> bool:
        """True when an answer can only come from a catalog: a part of a configuration, or a page of a listing.

        Raises Problem when the catalog answers that the given namespace or warehouse does not exist.
        """
        value = read_object(first_answer.response_body)
        if first_answer.operation == CONFIG:
            self._check_warehouse(first_answer)
            maps = (isinstance(value.get(name), dict) for name in SETTINGS)
            return any(maps) or isinstance(value.get(ENDPOINTS), list)
        if _error_type(first_answer) == NO_NAMESPACE and not self.configured:
            name = self.target.settings.namespace
            raise Problem(
                f"{first_answer.url}: the namespace {name} does not exist.", "Name one that exists with --namespace."
            )
        return first_answer.status == 200 and any(isinstance(value.get(name), list) for name in LISTED)

    def _check_warehouse(self, first_answer: Exchange) -> None:
        """Raise Problem when getConfig is rejected with the API's error body: the server needs another warehouse.

        A server that rejects every path in this form has no configuration.
        """
        refused = 400 <= first_answer.status < 500 and first_answer.status not in NO_ENTRY
        if refused and _error_type(first_answer) and not like_unknown_path(first_answer, self.nowhere()):
            message = read_object(first_answer.response_body)["error"].get("message")
            raise Problem(
                f"{first_answer.url} answers {first_answer.status}: {shown(message)}.",
                "Choose one of its warehouses with --warehouse NAME. The URL is the part before /v1.",
            )

    def _check_namespace(self) -> None:
        creates = CREATE_NAMESPACE in self.target.document.operations
        if not creates and not self.target.settings.namespace:
            profile = self.target.profile.name
            raise Problem(
                f"A run by {profile} cannot create a namespace, so it has to be given one that exists.",
                "Example: --namespace analytics",
            )

    def _read_config(self) -> None:
        """Store the prefix, the separator and the key lifetime of the configuration."""
        settings = config_settings(self._config)
        prefix = path_prefix(self._config, self.target.settings.path_prefix)
        capabilities, client = self.target.capabilities, self.target.client
        with suppress(IdentifierError):
            capabilities[SEPARATOR] = advertised_separator(settings)
        capabilities[KEY_LIFETIME] = str(self._config.get("idempotency-key-lifetime") or "")
        capabilities[PREFIX] = prefix
        client.known.locate = in_prefix(prefix)

    @property
    def endpoints(self) -> set[str] | None:
        """The entries of `endpoints`, None when there are none.

        An entry without its first slash counts too: another requirement tests the form.
        """
        named = self._config.get(ENDPOINTS)
        return set(map(with_slash, named)) if isinstance(named, list) and named else None

    def nowhere(self) -> Exchange:
        """Send a request to a path that no revision of the API has."""
        self._nowhere = self.target.client.get_raw("/v1/lakeproof/asks/where/nothing/is")
        return self._nowhere

    def probes(self, among: Collection[str]) -> Iterator[Exchange]:
        """Call each of these operations once, on objects that do not exist."""
        for operation in self.target.document.operations.values():
            if operation.id in among and self.target.sends(operation.id):
                self._probe(operation)
                yield self.target.client.steps[-1]

    def browse(self) -> None:
        """Find existing namespaces, tables and views, and whether namespaces are nested."""
        catalog = IcebergCatalog(self.target)
        catalog.begin_example()
        self._note_unasked()
        self.target.given = given = find_given(catalog.inventory, self.target.settings)
        deepest = max(map(len, given.of(NAMESPACE)), default=0)
        self.target.capabilities[NAMESPACES] = NESTED if deepest > len(catalog.base) + 1 else FLAT
        self._note_heads()

    def _note_unasked(self) -> None:
        """Store what the configuration says about operations that a read-only run does not call."""
        if self._configuration is None or self.endpoints is None:
            return
        for operation in self.target.document.operations.values():
            if PREFIXED in operation.path and not self.target.sends(operation.id):
                named = endpoint(operation) in self.endpoints
                state, why = (OFFERED, IN_ENDPOINTS) if named else (REFUSED, NOT_IN_ENDPOINTS)
                self.target.note_offer(Probe(operation.id, state, why, self._configuration))

    def explore(self) -> Iterator[None]:
        """Find the ways to create objects, and whether namespaces can be nested; pause after each finding."""
        if note := self._prefix_note():
            self.target.notes = [*self.target.notes, note]
        self.target.capabilities[NAMESPACES] = FLAT
        yield from find_ways(IcebergCatalog(self.target))
        self.target.capabilities[NAMESPACES] = self._namespaces()
        self._try_heads()
        self._note_heads()
        catalog = IcebergCatalog(self.target)
        if catalog.makes_namespaces:
            base = catalog.base or None
            note_pages(catalog, partial(catalog.list_namespaces, base, pageToken="", pageSize=1, expect=None))

    def _try_heads(self) -> None:
        """Send each HEAD operation that the configuration does not name to an object that exists.

        A 404 for a missing object does not show whether the operation exists: HEAD has no body.
        """
        inventory, operations = IcebergCatalog(self.target).inventory, self.target.document.operations
        for kind, make in MADE.items():
            head = operations.get(inventory.looks[kind][-1])
            asked = head and self._named(head) is None and inventory.has(head.id)
            if head and asked and inventory.has(inventory.makers[kind][0]):
                catalog = IcebergCatalog(self.target)
                catalog.begin_example()
                with suppress(Violation, NotTested):
                    answer = inventory.look(head.id, Resource(kind, make(catalog)))
                    if answer and answer.status in (NOT_FOUND, *NO_HEAD):
                        why = f"returned {answer.status} for a {kind} that exists"
                        self.target.note_offer(Probe(head.id, REFUSED, why, answer))

    def _note_heads(self) -> None:
        """Store HEAD operations as missing that returned 404 where the server lacks GET at the same path.

        Those that the configuration names are offered.
        """
        looks = IcebergCatalog(self.target).inventory.looks
        for load, *heads in (looks[kind] for kind in MADE):
            for probe in filter(None, map(self.target.probes.get, heads)):
                unsaid = self._named(self.target.document.operation(probe.operation)) is None
                found = self.target.state(load) == OFFERED or probe.operation in self.target.client.known.done
                if unsaid and not found and probe.exchange.status == NOT_FOUND:
                    why = f"returned 404, and the server lacks {load} at its path"
                    self.target.note_offer(Probe(probe.operation, REFUSED, why, probe.exchange))

    def _prefix_note(self) -> str:
        """Return a note if the paths below the prefix seem not to exist, "" otherwise.

        Probes with HEAD do not count: without a body, a 404 does not show whether the path or the object is missing.
        """
        operations, nowhere = self.target.document.operations, self._nowhere
        probes = [
            probe.exchange
            for name, probe in self.target.probes.items()
            if ROUTE in operations[name].path and probe.exchange.method != HEAD
        ]
        missing = [
            probe for probe in probes if nowhere and probe.status == NOT_FOUND and like_unknown_path(probe, nowhere)
        ]
        found = any(probe.succeeded for probe in probes)
        if found or not missing or len(missing) < MOST_MISSING * len(probes):
            return ""
        place = self.target.client.known.locate(ROUTE).rstrip("/")
        question = "Is this the right path prefix?" if place != "/v1" else "Do the server's paths have a prefix?"
        return (
            f"{len(missing)} of {len(probes)} operations return 404 below {place}, like an unknown path. {question} "
            "--path-prefix sets it."
        )

    def _probe(self, operation: Operation) -> None:
        catalog = IcebergCatalog(self.target)
        catalog.begin_example()
        path = dict.fromkeys(names_below_prefix(operation), self.target.missing_name)
        self._sent(partial(catalog.send, operation.id, path, expect=None, **self._content(operation)))

    def _sent(self, action: Callable[[], object]) -> Exchange:
        """Send a request and return its exchange, whatever the answer."""
        IcebergCatalog(self.target).inventory.ask(action)
        return self.target.client.steps[-1]

    def _content(self, operation: Operation) -> dict[str, Any]:
        if operation.request is None:
            return {}
        if JSON_TYPE not in operation.request.content:
            return {"content_type": next(iter(operation.request.content)), "body": b"grant_type=nothing"}
        schema = operation.request.content[JSON_TYPE]
        return {"body": minimal_value(self.target.document, schema, self.target.missing_name)}

    def state(self, probe: Exchange, router: Router) -> tuple[str, str]:
        """Return the state of an operation, by the configuration and by its probe, and why."""
        named = self._named(self.target.document.operation(probe.operation))
        if named is False:
            return REFUSED, NOT_IN_ENDPOINTS
        if is_refusal(self.target.client, probe) and not GRANT_TYPE.search(probe.response_body):
            return REFUSED, answered(probe)
        if evidence := router.evidence(probe):
            return REFUSED if named is None else MISSING, evidence
        return OFFERED, self._why_offered(probe)

    def _why_offered(self, probe: Exchange) -> str:
        """Return the evidence for an offered operation: the configuration, or the answer to its probe."""
        operation = self.target.document.operation(probe.operation)
        return IN_ENDPOINTS if endpoint(operation) in (self.endpoints or ()) else answered(probe)

    def _named(self, operation: Operation) -> bool | None:
        """True when the configuration offers an operation, None when it does not say."""
        if not self.configured:
            return True
        if self.endpoints is not None:
            return endpoint(operation) in self.endpoints or (operation.id in ALWAYS and None)
        return True if operation.id in DEFAULT_OPERATIONS else None

    def _namespaces(self) -> str:
        """Find whether namespaces can be nested by creating two of them, where the run can create any."""
        catalog = IcebergCatalog(self.target)
        if not catalog.makes_namespaces:
            return FLAT
        return NESTED if find_nesting(catalog) == NESTED else FLAT


def _error_type(exchange: Exchange) -> Any:
    error = read_object(exchange.response_body).get("error")
    return error.get("type") if isinstance(error, dict) else None
