"""The faults of the Lance wing: what each breaks, and which requirements must notice it.

Importing this package registers them.
"""

from reference_server.lance.faults import answers, arguments, listings, names, state, wire

__all__ = ["answers", "arguments", "listings", "names", "state", "wire"]
