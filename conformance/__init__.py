"""The suite: requirements, the target they judge, and the results.

It never imports the reference server: the judge does not share code with the accused.
`conformance.requirement` declares requirements, `conformance.runner` runs them.
"""
