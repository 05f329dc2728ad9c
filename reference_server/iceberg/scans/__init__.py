"""Scan planning: which files hold the rows that a client wants, so that it need not read the manifests itself.

handlers.py                  the four operations; plans.py: scan plans that clients come back to
scan.py planner.py          what a request wants scanned; from there to its tasks, plan task by plan task
names.py terms.py filters.py expressions.py   filters: read from JSON, bound to a schema, and written again
evaluators.py partitions.py pruning.py        what is known about the rows of a file, and what follows for a filter
manifests.py avro.py         manifest lists and manifests; deletes.py: which delete files belong to which data file
transforms.py values.py moments.py            partition transforms; values of columns, dates and times
content.py                   files and tasks as JSON
"""
