"""getConfig: the form of the configuration, and whether the server does what it states."""

from __future__ import annotations

import re
from typing import Any

from conformance.author.checks import contains, equal, holds, one_of
from conformance.author.requirement import must, should
from conformance.author.suite import Suite
from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.operations import (
    ALWAYS,
    DEFAULT_OPERATIONS,
    OPERATIONS,
    SETTINGS,
    config_settings,
    endpoint,
    path_prefix,
    with_slash,
)
from conformance.iceberg.support.assertions import type_is
from conformance.iceberg.worlds import all_but
from conformance.target.target import OFFERED, Target
from conformance.values.json_values import shown
from conformance.values.outcomes import Skipped, Unoffered, Violation
from specs.iceberg.errors import stated_types
from specs.iceberg.identifiers import SEPARATOR_OVERRIDE
from specs.identifiers import encode_segment, encode_separator

CONFIG = ["getConfig"]
NO_WAREHOUSE = (200, 400, 404)  # statuses of getConfig without a warehouse
ENDPOINT = re.compile(r"(GET|POST|PUT|DELETE|HEAD|PATCH) /v1/\S+")
DURATION = re.compile(r"P(?=.)(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?")
OWN = "iceberg"
ROUTERS = {"NotFoundException"}  # also the error type of JAX-RS for an unknown path


def _config(catalog: IcebergCatalog, **query: Any) -> Answer:
    """Return the configuration of the run's warehouse, or of the server's default one if the run names none.

    Raises Skipped where the server has no default warehouse.
    """
    warehouse = catalog.target.settings.warehouse
    if warehouse:
        return catalog.get_config(warehouse=warehouse, **query)
    answer = catalog.get_config(**query, expect=NO_WAREHOUSE)
    if answer.status != 200:
        raise Skipped("the server has no default warehouse", "--warehouse")
    return answer


def _known(target: Target) -> dict[str, str]:
    """Return operation ids by endpoint, for the operations of every revision and of the target's document."""
    operations = [*target.document.operations.values(), *OPERATIONS.values()]
    return {endpoint(operation): operation.id for operation in operations}


def _endpoints(catalog: IcebergCatalog) -> list[str]:
    """Return the endpoints that the configuration names. Raises Unoffered when it names none."""
    named = _config(catalog).get("endpoints")
    if not named:
        raise Unoffered("the configuration names no endpoints")
    return [str(route) for route in named]


def _named(target: Target, catalog: IcebergCatalog) -> set[str]:
    """Return the operations that the configuration names, also without the first slash of their paths.

    Another requirement tests the form of the entries.
    """
    known = _known(target)
    return {known[route] for route in map(with_slash, _endpoints(catalog)) if route in known}


@must("iceberg.config.maps", operations=CONFIG, clause="config-maps", reads=True)
def test_config_maps(catalog: IcebergCatalog) -> None:
    """getConfig returns defaults and overrides, both maps from strings to strings."""
    config = _config(catalog)
    for name in SETTINGS:
        settings = config[name]
        holds(isinstance(settings, dict), f"{name} is an object")
        odd = {key: value for key, value in settings.items() if not isinstance(value, str)}
        equal(odd, {}, f"the settings of {name} that are no text")


@should("iceberg.config.no_warehouse", operations=CONFIG, clause="config-before-all", kind="error", reads=True)
def test_config_without_warehouse(catalog: IcebergCatalog) -> None:
    """getConfig without a warehouse returns 200, or 400 or 404 if the server has no default warehouse."""
    catalog.get_config(expect=NO_WAREHOUSE)


@should("iceberg.config.warehouse_unknown", operations=CONFIG, clause="config-warehouse", kind="error", reads=True)
def test_unknown_warehouse(catalog: IcebergCatalog) -> None:
    """getConfig for an unknown warehouse returns 404 with type NoSuchWarehouseException."""
    catalog.revision.require_status("getConfig", 404)
    refused = catalog.get_config(warehouse=f"{catalog.target.prefix}_nowhere", expect=404)
    type_is(refused, "NoSuchWarehouseException")


@must(
    "iceberg.config.prefix",
    operations=[*CONFIG, "listNamespaces"],
    clause="prefix",
    reads=True,
    twin=True,
    world=all_but(beside=("kinds", "prefix", "many")),  # it creates nothing
)
def test_prefix_is_the_path(catalog: IcebergCatalog) -> None:
    """Paths with the configured prefix, or without one if none is configured, reach the catalog."""
    config = _config(catalog)
    prefix = path_prefix(config, catalog.target.settings.path_prefix)
    equal(prefix, catalog.target.capabilities.get("prefix", ""), "the prefix that the configuration gives now")
    catalog.list_namespaces(pageToken="", pageSize=1)


@must("iceberg.config.endpoints_form", operations=CONFIG, clause="config-endpoints-form", reads=True)
def test_endpoints_have_the_form(catalog: IcebergCatalog) -> None:
    """Every entry of endpoints is an HTTP method, one space and a path template."""
    known = _known(catalog.target)
    bad = [route for route in _endpoints(catalog) if route not in known and not ENDPOINT.fullmatch(route)]
    equal(bad, [], "the endpoints of another form")


@must("iceberg.config.endpoints_templates", operations=CONFIG, clause="config-endpoints-form", reads=True)
def test_endpoints_are_templates_of_the_document(catalog: IcebergCatalog) -> None:
    """Entries of endpoints for namespaces, tables and views use the path templates of the document."""
    about = [
        route for route in _endpoints(catalog) if "/namespaces" in route or "/tables" in route or "/views" in route
    ]
    known = _known(catalog.target)
    unknown = [route for route in about if route not in known and route.partition(" ")[2].startswith("/v1/{prefix}/")]
    spelled = [route for route in about if "{prefix}" not in route]
    equal(unknown + spelled, [], "the endpoints that are no templates of the document")


@should("iceberg.config.endpoints_true", operations=CONFIG, clause="config-endpoints-true", reads=True)
def test_endpoints_are_there(suite: Suite, catalog: IcebergCatalog) -> None:
    """The server offers every operation that endpoints lists."""
    named = _named(suite.target, catalog)
    untrue = [name for name in sorted(named) if _state(suite, name) != OFFERED]
    _fail(suite, untrue, "is named among the endpoints, but not there")


@should("iceberg.config.endpoints_complete", operations=CONFIG, clause="config-endpoints-complete", reads=True)
def test_endpoints_are_complete(suite: Suite, catalog: IcebergCatalog) -> None:
    """The server offers no operation that endpoints does not list."""
    profile = suite.target.profile
    named = _named(suite.target, catalog) | ALWAYS
    own = [name for name in suite.target.document.operations if profile.suite_of(name) == OWN]
    untold = [name for name in own if name not in named and _answers(suite, name)]
    _fail(suite, untold, "is there, but not named among the endpoints")


@must("iceberg.config.endpoints_default", operations=CONFIG, clause="config-endpoints-default")
def test_default_operations(suite: Suite, catalog: IcebergCatalog) -> None:
    """A server that returns no endpoints offers the default operations of the document."""
    if _config(catalog).get("endpoints"):
        raise Unoffered("the configuration names endpoints")
    _fail(suite, [name for name in sorted(DEFAULT_OPERATIONS) if _state(suite, name) != OFFERED], "is not there")


def _state(suite: Suite, operation: str) -> str:
    probe = suite.target.probes.get(operation)
    return probe.state if probe else OFFERED


def _answers(suite: Suite, operation: str) -> bool:
    """True when the response to the probe can only come from the operation itself."""
    probe = suite.target.probes.get(operation)
    if probe is None or probe.exchange.operation != operation:  # a read-only run does not ask for what writes
        return False
    exchange = probe.exchange
    stated = {type for types in stated_types(operation).values() for type in types} - ROUTERS
    return exchange.succeeded or any(type.encode() in exchange.response_body for type in stated)


def _fail(suite: Suite, operations: list[str], what: str) -> None:
    if operations:
        probe = suite.target.probes[operations[0]]
        suite.client.steps.append(probe.exchange)
        suite.client.touch(probe.exchange, "status")
        raise Violation(f"{', '.join(operations)} {what}")


@should("iceberg.config.separator", operations=CONFIG, clause="config-separator", reads=True)
def test_separator_is_encoded(catalog: IcebergCatalog) -> None:
    """An advertised namespace separator is in overrides and percent-encoded."""
    config = _config(catalog)
    settings = config_settings(config)
    if SEPARATOR_OVERRIDE not in settings:
        raise Unoffered("the configuration advertises no separator")
    contains(config["overrides"], [SEPARATOR_OVERRIDE], "the overrides")
    separator = catalog.separator
    written = settings[SEPARATOR_OVERRIDE].upper()
    one_of(
        written, sorted({encode_segment(separator).upper(), encode_separator(separator)}), f"the {SEPARATOR_OVERRIDE}"
    )


@must("iceberg.config.key_lifetime", operations=CONFIG, clause="config-key-lifetime", reads=True)
def test_key_lifetime_is_a_duration(catalog: IcebergCatalog) -> None:
    """idempotency-key-lifetime is an ISO 8601 duration."""
    lifetime = _config(catalog).get("idempotency-key-lifetime")
    if lifetime is None:
        raise Unoffered("the configuration gives no lifetime of keys")
    holds(DURATION.fullmatch(str(lifetime)), f"idempotency-key-lifetime, {shown(lifetime)}, is an ISO 8601 duration")


@should("iceberg.config.unknown_query", operations=CONFIG, clause="open-requests", reads=True)
def test_unknown_query_parameter(catalog: IcebergCatalog) -> None:
    """getConfig ignores unknown query parameters."""
    _config(catalog, somethingNew="1")
