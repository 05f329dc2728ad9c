"""Interface documents, clauses and error tables of the APIs, and the code that reads them.

All other packages are built on this one; it imports none of them.
"""
