"""Plain Schemathesis as a judge of servers: its configuration for each API, and what it finds before it begins.

`things.toml` is what is made on a server and made again whenever a request has taken it away; without it all that
Schemathesis asks for is not there, and it finds nothing. `<api>.toml` are configurations as Schemathesis reads them:
they name these things. `hooks.py` is loaded by Schemathesis, `judging.py` starts it and reads its report.
"""
