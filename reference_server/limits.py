"""What one request may cost, whatever its sender wants: every limit of the server that no document names.

Sizes are in bytes and times in seconds unless a name says otherwise. What exceeds a limit is refused with words that
name the limit.
"""

from __future__ import annotations

INLINE = 64 << 10
"""The largest body that is worked on between other requests; larger ones are worked on in threads."""
JSON = 4 << 20
"""The largest JSON body: it becomes many times its size when it is read, and nothing else is done meanwhile."""
FORM = 8 << 10
"""The largest form, which anybody may send."""
PLAN = 1 << 20
"""The largest request for a scan plan, which is kept as long as the plan."""
UPDATES = 10_000
"""The most updates in a commit, of one table or several; in number."""
OPERATIONS = 1_000
"""The most operations of a batch, entries of one, and ranges of versions; in number."""
CASCADE = 50_000
"""The most tables and namespaces that go with a namespace above them; in number."""
VECTORS = 10_000
"""The most vectors of a query, each of which is searched for by itself; in number."""
METADATA = 32 << 20
"""The largest metadata of a table or view, as text."""
MANIFEST = 256 << 20
"""The largest file of a table that is read, as it is stored and unpacked."""
KEPT = 64 << 20
"""How much of a kind a warehouse keeps for its clients for a time: scan plans, answers under idempotency keys."""
LOCATION = 2048
"""The longest location, in characters: half of what a path may have, and a table has files below its own."""
FOLDERS = 64
"""The most folders of a location, each of which is looked up; in number."""
DIGITS = 30
"""The longest number in a query or a path: more digits than any integer of 64 bits has."""
DEADLINE = 30.0
"""How long work in a thread may take."""
STOP = 1.2
"""How long a server that is stopped waits for what is under way, at each step of its end."""
MESSAGE = 500
"""The longest quotation in a message, in characters."""
