"""Faults that measure the suite, and the requirements that notice them.

The reference server declares the faults for developers of clients; those that only measure the suite stand here. The
server and the suite import nothing of this package.
"""
