"""Scan planning: finds the files with the rows that a client wants, so that it need not read the manifests itself.

handlers.py                  the four operations; plans.py: scan plans that clients come back to
scan.py planner.py          the scan of a request, and its tasks, plan task by plan task
names.py terms.py filters.py expressions.py   filters: parsed from JSON, bound to a schema, and written again
evaluators.py partitions.py pruning.py        knowledge about the rows of a file, and its consequences for a filter
manifests.py avro.py         manifest lists and manifests; deletes.py: the delete files of each data file
transforms.py values.py moments.py            partition transforms; values of columns, dates and times
content.py                   files and tasks as JSON
"""
