"""The Iceberg REST catalog API.

api.py context.py       the API, the context of a handler, and the services of a warehouse
options.py dialects.py  options of its server; commits of a dialect, translated for `metadata/`
errors.py               error classes and the error body

catalog/                the stored state
  catalog.py keys.py      namespaces, tables and views as keys of a storage: reads, and writes in a `WarehouseChange`
  names.py                allowed names, and identifiers in requests
  prefixes.py             routing: paths with and without the prefix of a warehouse
  warehouses.py           warehouses, the locations of their tables, and the locations that may be accessed
  location_*.py           rules for new locations, and the index of the locations of all warehouses
  initial_namespaces.py   namespaces that exist when the server starts
  changes.py              runs a change: one storage commit, repeated after a conflict, with its idempotency key
  idempotency.py          idempotency keys of clients, and their stored outcomes
  expiring.py             stored values with an expiry
  unfinished.py           notes about unfinished work, for the start after a crash
  results.py              bodies of answers that show a table
  entity_tags.py          their ETags, and conditions on them
  delegation.py           access of clients to the files of a table
  purging.py own_files.py the files that purging a table deletes
  function_files.py       functions from a folder, checked; `sample_functions/` has a few
files/                  FileIO: files as bytes, metadata files in a bounded cache, S3 buckets of warehouses
metadata/               rules of metadata documents, as pure functions
scans/                  scan planning
handlers/               a coroutine function for each operation, in a module per topic
faults/                 ways to misbehave
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name != "API":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from reference_server.iceberg.api import IcebergApi  # noqa: PLC0415 - servers of other APIs do not wait for it

    return IcebergApi
