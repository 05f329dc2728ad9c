"""Index settings: type, distance, name and options, read from a request and checked.

Types are spelled as in the API. Pure rules; `indices.py` builds indices.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from reference_server.errors import InvalidInput

Body = dict[str, Any]
FTS, GEOMETRIES = "FTS", "RTREE"
# pylance's names of the types of scalar indices.
SCALAR = {
    "BTREE": "BTree",
    "BITMAP": "Bitmap",
    "LABEL_LIST": "LabelList",
    "NGRAM": "NGram",
    "ZONEMAP": "ZoneMap",
    "BLOOMFILTER": "BloomFilter",
    GEOMETRIES: "RTree",
    FTS: "Inverted",
}
VECTOR = ("IVF_FLAT", "IVF_SQ", "IVF_PQ", "IVF_RQ", "IVF_HNSW_FLAT", "IVF_HNSW_SQ", "IVF_HNSW_PQ")
ALIASES = {"INVERTED": FTS}
SPELLINGS = {known.upper(): kind for kind, known in SCALAR.items()}
DISTANCES = ("l2", "cosine", "dot", "hamming")
LANGUAGES = (
    *("Arabic", "Danish", "Dutch", "English", "Finnish", "French", "German", "Greek", "Hungarian", "Italian"),
    *("Norwegian", "Portuguese", "Romanian", "Russian", "Spanish", "Swedish", "Tamil", "Turkish"),
)
PLAIN_OPTIONS = ("with_position", "base_tokenizer", "lower_case", "stem", "remove_stop_words", "ascii_folding")
LONGEST_TOKEN = 2**31 - 1
MOST_SUB_VECTORS = 16
IVF, PQ, HNSW, QUANTIZED = "IVF", "PQ", "HNSW", ("PQ", "SQ", "RQ")


class Parameter(NamedTuple):
    """A parameter of vector indices: the types that have it, by a part of their name, its least and largest value.

    Larger values take hours or all memory of the machine, whatever the table holds.
    """

    types: tuple[str, ...]
    least: int
    most: int


PARAMETERS = {
    "num_partitions": Parameter((IVF,), 1, 65_536),
    "target_partition_size": Parameter((IVF,), 1, 2**31 - 1),
    "sample_rate": Parameter((IVF,), 1, 65_536),
    "max_iterations": Parameter((IVF,), 1, 10_000),
    "num_sub_vectors": Parameter((PQ,), 1, 4_096),
    "num_bits": Parameter(QUANTIZED, 1, 16),
    "m": Parameter((HNSW,), 4, 1_024),
    "ef_construction": Parameter((HNSW,), 4, 65_536),
}
PYLANCE_NAMES = {"max_iterations": "max_iters"}
BITS = {"PQ": (4, 8), "SQ": (8,), "RQ": tuple(range(1, 10))}
RESERVED_PREFIX = "__lance_"


def read_type(text: str, allowed: Collection[str]) -> str:
    """Return the type of index in a request, case-insensitively. Raises InvalidInput."""
    kind = ALIASES.get(text.upper(), text.upper())
    if kind not in allowed:
        raise InvalidInput(f"There is no index type {text!r} here; use {', '.join(sorted(allowed))}.")
    return kind


def type_of(known: str) -> str:
    """Return the API's type of an index that pylance describes: BTree -> BTREE."""
    return SPELLINGS.get(known.upper(), known.upper())


def read_distance(body: Body) -> str:
    """Return the distance of a vector index, l2 by default. Raises InvalidInput."""
    text = body.get("distance_type")
    distance = DISTANCES[0] if text is None else str(text).lower()
    if distance not in DISTANCES:
        raise InvalidInput(f"The distance type must be one of {', '.join(DISTANCES)}, not {text!r}.")
    return distance


def check_index_name(name: str) -> None:
    """Raise InvalidInput for a name that cannot be a segment of a URL, or that Lance reserves."""
    if name in ("", ".", ".."):
        raise InvalidInput(f"An index cannot be named {name!r}: no URL could name it.")
    if name.startswith(RESERVED_PREFIX):
        raise InvalidInput(f"Names that start with {RESERVED_PREFIX} belong to Lance itself, not to {name!r}.")


def free_name(column: str, taken: Collection[str]) -> str:
    """Return an unused name for an index without one, derived from its column."""
    name, number = f"{column}_idx", 1
    while name in taken:
        number += 1
        name = f"{column}_idx_{number}"
    return name


def fts_options(body: Body) -> dict[str, Any]:
    """Return the settings of a full-text index in pylance's form. Raises InvalidInput."""
    options = {name: body[name] for name in PLAIN_OPTIONS if body.get(name) is not None}
    length, language = body.get("max_token_length"), body.get("language")
    if length is not None:
        if length > LONGEST_TOKEN:
            raise InvalidInput(f"max_token_length must be at most {LONGEST_TOKEN}, not {length}.")
        options["max_token_length"] = int(length)
    if language is not None:
        options["language"] = _language(language)
    return options


def _language(text: str) -> str:
    if text.title() not in LANGUAGES:
        raise InvalidInput(f"The language must be one of {', '.join(LANGUAGES)}, not {text!r}.")
    return text.title()


def sub_vectors(dimension: int) -> int:
    """Return the largest number of sub-vectors that divides a dimension."""
    return max(count for count in range(1, min(dimension, MOST_SUB_VECTORS) + 1) if dimension % count == 0)


def vector_parameters(kind: str, body: Body) -> dict[str, int]:
    """Return the parameters for a type of vector index in pylance's form; those of other types are ignored.

    Raises InvalidInput for a value that the type cannot have.
    """
    chosen = {}
    for name, parameter in PARAMETERS.items():
        value = body.get(name)
        if value is None or not any(part in kind for part in parameter.types):
            continue
        if not parameter.least <= value <= parameter.most:
            raise InvalidInput(f"{name} of {kind} must be {parameter.least} to {parameter.most}, not {value}.")
        chosen[name] = int(value)
    bits = next((bits for part, bits in BITS.items() if kind.endswith(part)), ())
    if "num_bits" in chosen and chosen["num_bits"] not in bits:
        raise InvalidInput(f"num_bits of {kind} must be one of {', '.join(map(str, bits))}, not {chosen['num_bits']}.")
    if "num_partitions" in chosen and "target_partition_size" in chosen:
        raise InvalidInput("num_partitions and target_partition_size both say how many partitions there are; give one.")
    return {PYLANCE_NAMES.get(name, name): value for name, value in chosen.items()}
