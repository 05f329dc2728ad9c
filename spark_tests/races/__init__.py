"""Races across Spark's executors: client loops against the wire, and judges of what they were told.

`running.py` starts a race, `loop.py` is what an executor does, `iceberg.py` and `lance.py` are what clients do.
`judges.py` says what no order of it can explain: `chains.py` of versions, `registers.py` of values, `cycles.py` of
names. `figures.py`, `words.py` and `report.py` show it.
"""
