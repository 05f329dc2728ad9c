"""The Iceberg REST catalog API.

api.py context.py       the API, and what a handler is given
services.py             what the requests to one warehouse share
options.py dialects.py  the options of its server; commits of a dialect, translated for `metadata/`
errors.py               the error body

catalog/                what storage keeps
  catalog.py keys.py      namespaces, tables and views as keys of a storage: reads; a `Change` reads and writes
  names.py                which names are allowed
  prefixes.py             routing: paths with and without the prefix of a warehouse
  warehouses.py           warehouses, where in them tables lie, and which locations may be touched
  location_*.py           where they may be brought, and where those of all warehouses lie
  initial_namespaces.py   namespaces that exist when the server starts
  changes.py              runs a change: one storage commit, again after a conflict, with its idempotency key
  idempotency.py          keys that clients send, and the outcomes kept with them
  results.py              bodies and ETags of answers that show a table
  purging.py              which files are deleted when a table is purged
  function_files.py       functions from a folder, checked; `sample_functions/` has a few
files/                  FileIO: files as bytes, metadata files in a bounded cache, S3 buckets of warehouses
metadata/               the rules of metadata documents, as pure functions
scans/                  scan planning
handlers/               a coroutine function for each operation, in a module per topic
faults/                 the ways to misbehave
"""

from reference_server.iceberg.api import IcebergApi

API = IcebergApi
