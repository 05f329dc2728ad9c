"""Who may do what in Polaris: privileges as data (`privileges.toml`), and the decision over them.

`targets.py` says what a request is about, `conditions.py` how it is asked, `rules.py` which privileges that needs,
`decision.py` whether the caller holds them. Who is granted what comes through `decision.AccessState`; `stored.py` alone
reads a storage.
"""
