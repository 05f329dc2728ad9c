"""The rules of Iceberg metadata, as pure functions on documents as they travel.

Nothing here reads a file, a clock or a source of random numbers: times (ms since 1970) and UUIDs are
arguments. A document is never changed in place; what an update leaves alone is shared with the document
before it, so a commit costs what it changes.

`tables.py` and `views.py` make and change metadata, `requirements.py` checks what a commit expects,
`table_documents.py` and `view_documents.py` read documents from outside, `files.py` names metadata files.
The rest are the nouns that a document is made of. Errors are the tree in `errors.py`.
"""
