"""The Iceberg REST catalog API.

api.py, context.py      the API, and what a handler is given
prefixes.py             routing: paths with and without the prefix of a warehouse
options.py              what its server can be told
errors.py names.py      the error body; which names are taken
keys.py catalog.py      namespaces, tables and views as keys of a storage: reads; a `Change` reads and writes
dialects.py             commits of a dialect in the words of the rules
first_namespaces.py     namespaces that are there from the beginning
changes.py              runs a change: one storage commit, again after a conflict, with its idempotency key
idempotency.py          keys that clients send, and the outcomes kept with them
warehouses.py           warehouses and where in them things lie; which locations may be touched
buckets.py              S3 buckets that warehouses lie in: how they are reached, what clients get of them
file_io.py              files as bytes: read, written, deleted, locally or in the storages of the warehouses
metadata_files.py       metadata files: written, read, deleted, and kept in a bounded cache
function_files.py       functions from a folder, checked; sample_functions/ has a few
results.py              bodies and ETags of answers that show a table
purging.py              which files go when a table is purged

Handlers, by resource, are named after their operations: config.py tokens.py namespaces.py listings.py
tables.py registrations.py commits.py (tables); views.py; scans/ functions.py credentials.py metrics.py.
`metadata/` has the rules of metadata documents, as pure functions; `faults/` the ways to misbehave.
"""

from reference_server.iceberg.api import IcebergApi

API = IcebergApi
