"""The Apache Polaris APIs: management, and Iceberg catalogs that come and go.

api.py context.py       the API, and what handlers are given
options.py rules.py     the options of its server; in what the revisions differ
callers.py              who calls: access tokens, principals, roles
errors.py               errors that only this API has
securables.py           what privileges are granted on, and what requests name

entities/               what storage keeps about principals, roles, catalogs and grants
  keys.py records.py      keys and values; versions
  names.py                whether something exists
  assignments.py grants.py   who has which role; which role has which privilege on what
  principals.py roles.py catalogs.py   changes of each, in one commit
  credentials.py access_tokens.py      hashed secrets; signed tokens
  storage_rules.py        which locations and settings the storage of a catalog has
  followers.py            grants follow tables that are renamed and dropped
  bootstrap.py            what exists from the start
catalog/                what a catalog is beyond a warehouse of the Iceberg API
  served.py warehouses.py   a catalog with its record, looked up at each request
  revisions.py flags.py   in what the revisions differ here; settings of catalogs
  checks.py               what is refused before a handler is called: external catalogs, names, ways of access
  places.py object_store.py   locations taken apart; where files are that lie in a cloud
  location_rules.py       where things may lie
  vending.py              credentials for clients, in the form of each storage
  notified.py             when other catalogs last said something of a table
  policy_*.py             types, targets and mappings of policies
handlers/               a coroutine function for each operation, in a module per topic
"""

from reference_server.polaris.api import PolarisApi

API = PolarisApi
