"""Authorization in Polaris: privileges as data (`privileges.toml`), and the decision over them.

`targets.py` finds the securables of a request, `conditions.py` its special forms, `rules.py` the privileges that it
needs, and `decision.py` checks whether the caller holds them. Grants are read through `decision.AccessState`; only
`stored.py` reads a storage.
"""
