"""Rules of Iceberg metadata, as pure functions on JSON documents.

This package reads no file, no clock and no random numbers: times (ms since 1970) and UUIDs are arguments. A document is
never changed in place; unchanged parts are shared with the previous document, so a commit costs as much as it changes.

`tables.py` and `views.py` make and change metadata, `requirements.py` checks the requirements of a commit,
`table_documents.py` and `view_documents.py` read external documents, `files.py` names metadata files. Each other module
is a part of a document. Errors are the tree in `errors.py`.
"""
