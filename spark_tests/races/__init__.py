"""Races across Spark's executors: client loops against the wire, whose history is judged.

`running.py` starts a race, `loop.py` is what an executor does, `iceberg.py` and `lance.py` are what clients do.
`conformance/history/` judges the history, as it does for the threads of the suite. `figures.py`, `words.py` and
`report.py` show what it says.
"""
