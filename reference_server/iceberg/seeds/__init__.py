"""Seeds of Iceberg catalogs: namespaces, tables with rows, and views.

reading.py    the part of a seed becomes steps
rows.py       rows become values of columns, and Parquet
snapshots.py  data files, manifests and the commit of a snapshot
avro.py       schemas of manifests and manifest lists
"""
