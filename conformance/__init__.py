"""The suite: requirements, the target they test, and the results.

It never imports the reference server: it shares no code with a server that it tests.
`conformance.requirement` declares requirements, `conformance.runner` runs them.
"""
