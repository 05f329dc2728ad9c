"""Races across Spark's executors: loops of clients over the wire, and the judgement of their history.

`running.py` starts a race, `loop.py` runs on an executor, `iceberg.py` and `lance.py` have the actions of clients.
`conformance/history/` judges the history, like the history of the suite's threads. `figures.py`, `words.py` and
`report.py` show the outcome.
"""
