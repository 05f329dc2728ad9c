"""Plain Schemathesis as a judge of servers: its configuration for each API, and the objects for its requests.

`things.toml` lists the objects that are created on a server, and again whenever a request may have dropped them;
without them every request of Schemathesis names missing objects, and it finds nothing. `<api>.toml` are configurations
of Schemathesis that name these objects. `hooks.py` is loaded by Schemathesis, `judging.py` starts it and parses its
report.
"""
