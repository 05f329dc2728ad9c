"""Actions beside HTTP in a replay: files of tables that a recorded run wrote or deleted.

A replay touches only files of its own objects: below, or beside, a location that the server returned in this replay,
and with the prefix of this run in it. What it cannot do in the same way, it does not do at all.
"""

from __future__ import annotations

import base64
import gzip
import re
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.replay.answers import LOCATION
from conformance.replay.renaming import Renaming
from conformance.target.hostile import CANARY, LAKE
from conformance.target.local_files import local_path
from conformance.values.exchange import Exchange, Step, is_cut

GZIP = b"\x1f\x8b"
OWN_FILE = re.compile(rf"{CANARY}\w+(?!\w|/{LAKE}/)")


def unrepeatable(step: Step, prefix: str) -> str:
    """Return why no replay can do a recorded action, "" if one may; `prefix` is that of the recorded run."""
    if not step.beside or is_canary(step):
        return ""
    words = f"the run {step.beside.verb} {step.beside.thing}"
    if step.beside.verb == "staged" or (step.beside.verb == "wrote" and not step.request.body):
        return f"{words}, which cannot be repeated from its results"
    if is_cut(step.request.body):
        return f"{words} that was too large to store"
    if prefix and prefix.encode() in _binary(step):
        return f"{words} with names of the run in binary form"
    return ""


def is_canary(step: Step) -> bool:
    """True for the write of a file outside the storage of the server: a replay does not need it."""
    return bool(step.beside and OWN_FILE.search(step.request.url))


def _binary(step: Step) -> bytes:
    """Return the binary content of a written file, uncompressed; b"" for text."""
    body = step.request.body or {}
    content = base64.b64decode(body.get("base64", ""))
    with suppress(OSError, EOFError, zlib.error):
        return gzip.decompress(content) if content.startswith(GZIP) else content
    return content


@dataclass
class FileActions:
    """The files that one replay writes and deletes; `prefix` is that of its run.

    A deleted file is restored at the end of the replay: without it, a server may be unable to drop its table.
    """

    prefix: str
    _deleted: dict[Path, bytes] = field(default_factory=dict)

    @contextmanager
    def restored(self) -> Iterator[None]:
        """Restore the deleted files after a `with` block."""
        try:
            yield
        finally:
            for path, content in self._deleted.items():
                if path.parent.is_dir() and not path.exists():
                    with suppress(OSError):
                        path.write_bytes(content)

    def repeat(self, step: Step, names: Renaming, answers: Sequence[Exchange]) -> str:
        """Repeat a recorded action under the current names, after these answers; return why not, "" if done."""
        location = names.text(step.request.url)
        path = local_path(location)
        words = f"the run {step.beside.verb if step.beside else ''} {location}"
        if path is None:
            return f"{words}, which cannot be reached from here"
        if not self._owns(location, path, answers):
            return f"{words}, which is not known to be a file of this replay"
        if step.beside and step.beside.verb == "deleted" and not path.is_file():
            return f"{words}, which does not exist"
        if any(old.encode() in _binary(step) for old in names.names):
            return f"{words} with values of the recorded run in binary form"
        try:
            self._do(step, path, names)
        except OSError as error:
            return f"{words}: {error.strerror}"
        return ""

    def _do(self, step: Step, path: Path, names: Renaming) -> None:
        if step.beside and step.beside.verb == "deleted":
            self._deleted[path] = path.read_bytes()
            path.unlink()
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(names.body(step.request.body))

    def _owns(self, location: str, path: Path, answers: Sequence[Exchange]) -> bool:
        """True for a file of the replay's own objects."""
        folders = {place for answer in answers for place in _locations(answer.json())}
        known = any(location == place or location.startswith(f"{place.rstrip('/')}/") for place in folders)
        beside = location.rpartition("/")[0] in {place.rpartition("/")[0] for place in folders}
        return (known or beside) and self.prefix in location and ".." not in path.parts


def _locations(value: Any) -> Collection[str]:
    """Return the locations in a JSON value."""
    if isinstance(value, dict):
        return {place for item in value.values() for place in _locations(item)}
    if isinstance(value, list):
        return {place for item in value for place in _locations(item)}
    return {value} if isinstance(value, str) and LOCATION.match(value) and len(value) > 1 else set()
