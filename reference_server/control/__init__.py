"""The control paths of a server, below `/_lakeproof`: what a test asks of its mock beside the APIs.

tenants.py  tenants of a server: sets of APIs that share nothing
guard.py    who may use these paths
paths.py    the paths: a table of methods, paths and functions
journal.py  the latest requests of a tenant; entries.py: as JSON, without secrets
notes.py    habits of clients that a careful server would object to
seeds.py    seeds of a tenant
client.py   the same in Python: methods of a server that use the paths
recorded.py requests of the journal in Python, compared with what a test expects
"""
