"""Files that stand for a terminal."""

from __future__ import annotations

import io


class Screen(io.StringIO):
    """A file that somebody sees."""

    def isatty(self):
        return True
