"""Counterexamples of an expectations file, in a compressed JSON file beside it: `NAME.examples.json.gz`.

Without this file the expectations hold; but then any failure of an expected requirement counts as known, and there are
no steps to replay.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from conformance.values.exchange import Step
from specs.problems import Problem
from specs.writing import write_file

SUFFIX = ".examples.json.gz"


class Example(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A stored finding: its message and signature, and the steps of a counterexample.

    `due` are the statuses that the counterexample expected, `prepared` the objects that its steps depend on.
    """

    seen: str = ""
    evidence: str = ""
    due: list[int] = msgspec.field(default_factory=lambda: [])
    prepared: dict[str, list[str]] = msgspec.field(default_factory=lambda: {})
    steps: list[Step] = msgspec.field(default_factory=lambda: [])


def examples_file(path: Path) -> Path:
    """Return the path of the counterexamples of an expectations file."""
    return path.with_name(path.stem + SUFFIX)


def read_examples(path: Path) -> dict[str, Example]:
    """Return the counterexamples of an expectations file by requirement, none without a file.

    Raises Problem for a broken file.
    """
    beside = examples_file(path)
    try:
        return msgspec.json.decode(gzip.decompress(beside.read_bytes()), type=dict[str, Example])
    except FileNotFoundError:
        return {}
    except (OSError, EOFError, zlib.error, msgspec.MsgspecError) as error:
        raise Problem(
            f"{beside} is no file of counterexamples: {error}.",
            "Remove it, or write it anew with `lakeproof expect RESULTS`.",
        ) from None


def write_examples(path: Path, examples: Mapping[str, Example]) -> None:
    """Write the counterexamples of an expectations file, equal ones as equal bytes. Raises OSError if that fails."""
    content = msgspec.json.encode(dict(sorted(examples.items())))
    write_file(examples_file(path), gzip.compress(content, mtime=0))
