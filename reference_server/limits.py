"""Limits of one request: every limit of the server that no document specifies.

Sizes are in bytes and times in seconds unless a comment says otherwise. A request beyond a limit is rejected with a
message that names the limit.
"""

from __future__ import annotations

INLINE = 64 << 10
"""Largest body that is processed in the event loop; larger ones are processed in threads."""
JSON = 4 << 20
"""Largest JSON body: parsing multiplies its size and blocks all other work."""
FORM = 8 << 10
"""Largest form, which needs no authentication."""
PLAN = 1 << 20
"""Largest request for a scan plan; it is stored as long as the plan."""
UPDATES = 10_000
"""Maximum number of updates in a commit, of one table or several."""
OPERATIONS = 1_000
"""Maximum number of operations in a batch, of its entries, and of ranges of versions."""
CASCADE = 50_000
"""Maximum number of tables and namespaces that are dropped with a namespace above them."""
VECTORS = 10_000
"""Maximum number of vectors in a query, each of which is a search of its own."""
METADATA = 32 << 20
"""Largest metadata of a table or view, as text."""
MANIFEST = 256 << 20
"""Largest file of a table that is read, both stored and unpacked."""
KEPT = 64 << 20
"""Maximum total of a warehouse's stored values with an expiry, of one kind: plans, or answers under keys."""
LOCATION = 2048
"""Longest location in characters: half of a path's maximum, as a table has files below its location."""
FOLDERS = 64
"""Maximum number of folders in a location, each of which is looked up."""
DIGITS = 30
"""Longest number in a query or a path, in digits: more than any integer of 64 bits has."""
DEADLINE = 30.0
"""Deadline of work in a thread."""
STOP = 1.2
"""Time that a stopping server waits for running work, at each step of its shutdown."""
MESSAGE = 500
"""Longest quotation in a message, in characters."""
