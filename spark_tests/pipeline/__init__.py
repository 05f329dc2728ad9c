"""Warehouse of results: the results and wire logs of many runs and servers as Iceberg tables.

`schema.py` defines the tables, `reading.py` converts files to rows, `loading.py` writes new runs,
`aggregates.py` has the queries, `report.py` shows their results.
"""
