"""Hostile values for requests: unusual names, names that climb out of folders, files outside of the storage.

A name that breaks careless servers is tried below names of the run alone. A climbing name carries the run's prefix, and
a file outside of a server's storage is a canary: the run wrote it itself, in its own folder. No other module may name a
place of the host.
"""

from __future__ import annotations

import re
import secrets
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

PREFIX = "{prefix}"  # stands for the prefix of the run
UNUSED = f"lakeproof_{secrets.token_hex(8)}"  # a name without an object, for use before a run exists
SEGMENTS = re.compile(r"[/\\]")
CLIMBED = "{prefix}_escaped"  # the target of the climbing name, one level up
CANARY = "-canary-"  # follows the prefix in the name of the run's own folder
LAKE = "lake"  # in such a folder, the one in which servers may write
UP = "../"
DEPTH = 16  # number of folders to climb out of

NAMES: dict[str, str] = {
    "space": "two words",
    "plus": "a+b",
    "percent": "100%",
    "percent_encoded": "a%2Fb",
    "slash": "a/b",
    "backslash": "a\\b",
    "quotes": 'it\'s "quoted"',
    "question_mark": "what?",
    "hash": "a#b",
    "ampersand": "a&b=c",
    "semicolon": "a;b",
    "colon": "a:b",
    "comma": "a,b",
    "brackets": "a[0]{1}<2>",
    "glob": "*",
    "at": "@home",
    "equals": "a=b",
    "unicode": "größe",
    "cjk": "数据表",
    "emoji": "🚀",
    "right_to_left": "שלום",
    "combining": "e\u0301",
    "upper_case": "MixedCase",
    "leading_dot": ".hidden",
    "trailing_dot": "end.",
    "leading_space": " start",
    "trailing_space": "end ",
    "dots": "a..b",
    "dot": ".",
    "dot_dot": "..",
    "climbing": f"../{CLIMBED}",
    "digits": "0123",
    "dash": "-rf",
    "sql": "x'; DROP TABLE t; --",
    "html": "<img src=x onerror=alert(1)>",
    "null_word": "null",
    "keyword": "version",
    "newline": "a\nb",
    "tab": "a\tb",
    "unit_separator": "a\x1fb",
    "nul": "a\x00b",
    "length_200": "n" * 200,
    "length_1000": "n" * 1000,
    "wide_100": "ü" * 100,
}


def own(text: str, prefix: str) -> str:
    """Return a hostile name or path with the run's prefix filled in."""
    return text.replace(PREFIX, prefix)


def climbs(name: str) -> bool:
    """True for a name that leaves its folder when it is used as a path."""
    return ".." in SEGMENTS.split(name)


@dataclass(frozen=True)
class Canary:
    """A file of the run outside of every server's storage: no server may show, move or drop it."""

    path: Path
    content: bytes

    @property
    def uri(self) -> str:
        """Its location, as a URI."""
        return self.path.as_uri()

    @property
    def climbing(self) -> str:
        """Its location, as a path that climbs out of any folder of this machine."""
        return UP * DEPTH + str(self.path).lstrip("/")

    @property
    def untouched(self) -> bool:
        """True while the file exists unchanged."""
        return self.path.is_file() and self.path.read_bytes() == self.content


@dataclass
class Canaries:
    """The canaries of a run, in a temporary folder whose name contains the run's prefix."""

    prefix: str
    _folder: tempfile.TemporaryDirectory[str] | None = field(default=None, repr=False)

    def new(self, name: str = "canary.json") -> Canary:
        """Write a canary that servers on this machine can read, under any user."""
        path = self.folder() / f"{secrets.token_hex(4)}-{name}"
        content = f"canary {secrets.token_hex(16)}\n".encode()
        path.write_bytes(content)
        return Canary(path, content)

    def lake(self) -> Path:
        """Return a folder that servers on this machine can write, under any user."""
        folder = self.folder() / LAKE
        if not folder.exists():
            folder.mkdir()
            folder.chmod(0o777)
        return folder

    def folder(self) -> Path:
        """Return the folder of the run's own files."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix=f"{self.prefix}{CANARY}")
            Path(self._folder.name).chmod(0o755)
        return Path(self._folder.name).resolve()

    def remove(self) -> None:
        """Remove the folder with all canaries."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None
