"""The results of many runs and servers in one place: results and wire logs as Iceberg tables.

`schema.py` says what the tables are, `reading.py` makes rows of files, `loading.py` writes what is new,
`aggregates.py` asks the questions, `report.py` shows the answers.
"""
