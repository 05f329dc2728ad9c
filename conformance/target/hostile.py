"""Hostile names and canary files: the only source of names and paths that are not ordinary names of the run.

Unusual names are used only below names of the run. Names that climb out of a folder contain the prefix of the run. A
canary is a file outside the storage of the server that the run wrote itself, in a folder of its own. No other module
may name a place of the host.
"""

from __future__ import annotations

import re
import secrets
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

PREFIX = "{prefix}"  # stands for the prefix of the run
UNUSED = f"lakeproof_{secrets.token_hex(8)}"  # a name of no object, for use before a run exists
SEGMENTS = re.compile(r"[/\\]")
CLIMBED = "{prefix}_escaped"  # the target of the climbing names, one or two levels up
CANARY = "-canary-"  # follows the prefix in the name of the folder with the canaries
LAKE = "lake"  # the subfolder in which servers may write
UP = "../"
DEPTH = 16  # number of parent folders that a climbing path leaves

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
    "climbing_far": f"../../{CLIMBED}",
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
}
# No document bounds the length of a name.
LONG_NAMES: dict[str, str] = {
    "length_200": "n" * 200,
    "length_1000": "n" * 1000,
    "wide_100": "ü" * 100,
}


def has_dot_segment(name: str) -> bool:
    """True for a name with a part that is `.` or `..`: whoever normalizes a path with it reads another path."""
    return any(part in (".", "..") for part in SEGMENTS.split(name))


def own(text: str, prefix: str) -> str:
    """Replace the placeholder in a hostile name or path by the prefix of the run."""
    return text.replace(PREFIX, prefix)


def climbs(name: str) -> int:
    """Return the number of folders that a name leaves when it is read as a path, 0 for an ordinary name."""
    return SEGMENTS.split(name).count("..")


@dataclass(frozen=True)
class Canary:
    """File of the run outside the storage of the server, which must not read, move or delete it."""

    path: Path
    content: bytes

    @property
    def uri(self) -> str:
        """The location of the file as a URI."""
        return self.path.as_uri()

    @property
    def climbing(self) -> str:
        """The path of the file, relative to any folder of this machine that is less than DEPTH folders deep."""
        return UP * DEPTH + str(self.path).lstrip("/")

    @property
    def untouched(self) -> bool:
        """True while the file exists with its original content."""
        return self.path.is_file() and self.path.read_bytes() == self.content


@dataclass
class Canaries:
    """The canaries of a run, in a temporary folder whose name contains the prefix of the run.

    `note` receives the location and the content of each new canary.
    """

    prefix: str
    note: Callable[[str, bytes], None] | None = field(default=None, repr=False)
    _folder: tempfile.TemporaryDirectory[str] | None = field(default=None, repr=False)

    def new(self, name: str = "canary.json") -> Canary:
        """Write a canary that servers on this machine can read under any user."""
        path = self.folder() / f"{secrets.token_hex(4)}-{name}"
        content = f"canary {secrets.token_hex(16)}\n".encode()
        path.write_bytes(content)
        if self.note:
            self.note(path.as_uri(), content)
        return Canary(path, content)

    def lake(self) -> Path:
        """Return a folder in which servers can write under any user."""
        folder = self.folder() / LAKE
        if not folder.exists():
            folder.mkdir()
            folder.chmod(0o777)
        return folder

    def folder(self) -> Path:
        """Return the folder of the canaries, created on first use."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix=f"{self.prefix}{CANARY}")
            Path(self._folder.name).chmod(0o755)
        return Path(self._folder.name).resolve()

    def remove(self) -> None:
        """Remove the folder with all canaries."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None
