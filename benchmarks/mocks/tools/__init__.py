"""Tools, a module each: how it starts, and a function for each row of ../rows.toml that it can do.

A function gets what its arguments name: `mock`, `client`, or an empty `folder`. Its body is the test whose lines are
counted. Names in capitals are data: `CANNOT` has the reasons for the rows without a function, `COMMAND` starts the tool
by a shell with `FILES` beside it, in which TABLE is the canned answer, and `LANGUAGE` is a shell's request to a running
one.
"""
