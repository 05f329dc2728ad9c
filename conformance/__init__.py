"""The suite: requirements, the target they test, and the results.

It never imports the reference server: it shares no code with a server that it tests.
`conformance.author.requirement` declares requirements, `conformance.after.runner` runs them.
"""
