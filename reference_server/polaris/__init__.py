"""The Apache Polaris APIs: management, and Iceberg catalogs that are created and dropped.

api.py context.py       the API, and the contexts of handlers
options.py rules.py     options of its server; differences between the revisions
callers.py              authentication: access tokens, principals, roles
errors.py               errors that only this API has
securables.py           objects of grants and of requests

entities/               stored state of principals, roles, catalogs and grants
  keys.py records.py      keys and values; versions
  names.py                existence checks
  assignments.py grants.py   roles of principals and principal roles; privileges of catalog roles
  principals.py roles.py catalogs.py   changes of each, in one commit
  credentials.py access_tokens.py      hashed secrets; signed tokens
  storage_rules.py        valid locations and settings of a catalog's storage
  followers.py            grants follow tables that are renamed and dropped
  bootstrap.py            initial entities
catalog/                content of catalogs beyond a warehouse of the Iceberg API
  served.py warehouses.py   a catalog with its record, looked up at each request
  rules.py                rules of the revisions; settings of catalogs
  checks.py               refusals before a handler is called: external catalogs, names, ways of access
  places.py object_store.py   parsed locations; files of catalogs in a cloud
  location_rules.py       rules for locations of namespaces, tables and views
  vending.py              credentials for clients, in the form of each storage
  notified.py             times of other catalogs' notifications
  policy_*.py             types, targets and mappings of policies
handlers/               a coroutine function for each operation, in a module per topic
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name != "API":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from reference_server.polaris.api import PolarisApi  # noqa: PLC0415 - servers of other APIs do not wait for it

    return PolarisApi
