"""The interface documents, what is known about them, and what reads them.

Everything else is built on this package; it imports nothing of the others.
"""
