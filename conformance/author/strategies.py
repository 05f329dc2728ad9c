"""Strategies for drawn arguments: small closed sets that reach the interesting states.

There are few names, so that collisions happen, and few shapes of properties, so that empty, unicode and long values all
occur in a few examples.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

NAMES = ("a", "b", "orders", "Orders", "t_1", "x-y", "z9")
TEXTS = ("", "v", "two words", "ünïcode ✓", "'quoted' \"twice\"", '{"json": true}', "x" * 300)
PLAIN_TEXTS = ("v", "two words", "42", "2024-06-01", "https://docs.example/a_b?c=d")  # values that every server accepts
# Valid column names that need quoting or encoding in SQL, in URLs or in files.
COLUMN_NAMES = {
    "space": "two words",
    "upper": "UPPER",
    "keyword": "select",
    "dash": "a-b",
    "unicode": "größe",
    "percent": "100%25",
    "quote": "it's",
}
KEYS = ("owner", "k", "with.dot", "with-dash", "UPPER")


def names() -> SearchStrategy[str]:
    """Draw an ordinary name."""
    return st.sampled_from(NAMES)


def distinct_names(minimum: int = 0, maximum: int = len(NAMES)) -> SearchStrategy[list[str]]:
    """Draw a list of different names."""
    return st.lists(st.sampled_from(NAMES), min_size=minimum, max_size=maximum, unique=True)


def properties() -> SearchStrategy[dict[str, str]]:
    """Draw properties, a map of strings."""
    return st.dictionaries(st.sampled_from(KEYS), st.sampled_from(TEXTS), max_size=len(KEYS))


def plain_properties() -> SearchStrategy[dict[str, str]]:
    """Draw properties with values that every server accepts."""
    return st.dictionaries(st.sampled_from(KEYS), st.sampled_from(PLAIN_TEXTS), max_size=len(KEYS))


def spellings(*words: str) -> SearchStrategy[str]:
    """Draw one mode in any spelling that the document allows: `spellings("Exist", "Ok")`."""
    pascal, snake = "".join(words), "_".join(words)
    return st.sampled_from(sorted({pascal, pascal.lower(), pascal.upper(), snake.lower(), snake.upper()}))


def row_counts() -> SearchStrategy[int]:
    """Draw a number of rows: one, some, or more than one batch."""
    return st.sampled_from([1, 3, 1500])


def tables(rows: int, first: int = 0) -> Any:
    """Return an Arrow table with columns `id` (int64) and `name` (string) and `rows` rows."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import, and only some APIs need it

    ids = range(first, first + rows)
    return pa.table({"id": pa.array(ids, pa.int64()), "name": pa.array([f"row {i}" for i in ids], pa.string())})
