"""Decoded size of an Arrow table: dictionaries and views let rows share values, which Lance writes separately.

Lance writes views out, and readers decode a dictionary: a thousand rows that share one text become a thousand texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_server.errors import InvalidInput
from reference_server.lance.data.arrow_limits import UNPACKED

if TYPE_CHECKING:
    import pyarrow as pa

TEXTS = ("string", "large_string", "binary", "large_binary")
NUMBERS_OF_A_VIEW = 4  # of 32 bits each; the first is the length of the value


def check_decoded(table: pa.Table) -> None:
    """Raise InvalidInput for a table whose decoded dictionaries and views have too many bytes.

    The table's buffers must be as long as its arrays declare; their content may be anything. Nothing is decoded.
    """
    size = sum(_decoded(chunk) for column in table.columns for chunk in column.chunks)
    if size > UNPACKED:
        raise InvalidInput(
            f"The dictionaries and views of the stream stand for {size} bytes; a request has at most {UNPACKED}."
        )


def _decoded(array: pa.Array) -> int:
    """Return the decoded bytes of all dictionaries and views in an array, counted for each row."""
    from pyarrow import types  # noqa: PLC0415 - slow to import

    kind = array.type
    if types.is_dictionary(kind):
        return _of_dictionary(array)
    if _is_view(kind):
        return _sum(_view_lengths(array))
    if types.is_struct(kind):
        return sum(_decoded(array.field(index)) for index in range(kind.num_fields))
    if types.is_map(kind):
        return _decoded(array.keys) + _decoded(array.items)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _decoded(array.values)
    return 0


def _of_dictionary(array: pa.Array) -> int:
    """Return the decoded bytes of a dictionary's rows; types other than texts and bytes have a fixed size."""
    import pyarrow.compute as pc  # noqa: PLC0415

    values = array.dictionary
    if _is_view(values.type):
        lengths = _view_lengths(values)
    elif str(values.type) in TEXTS:
        lengths = pc.abs(pc.binary_length(values))
    else:
        return len(array) * int(values.nbytes // max(1, len(values)))
    return _sum(pc.take(lengths, array.indices))


def _is_view(kind: pa.DataType) -> bool:
    from pyarrow import types  # noqa: PLC0415

    return bool(types.is_string_view(kind) or types.is_binary_view(kind))


def _view_lengths(array: pa.Array) -> pa.Array:
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    end = array.offset + len(array)
    numbers = pa.Array.from_buffers(pa.uint32(), end * NUMBERS_OF_A_VIEW, [None, array.buffers()[1]])
    views = pa.FixedSizeListArray.from_arrays(numbers, NUMBERS_OF_A_VIEW).slice(array.offset)
    return pc.if_else(array.is_valid(), pc.list_element(views, 0), 0)


def _sum(lengths: pa.Array) -> int:
    import pyarrow.compute as pc  # noqa: PLC0415

    return int(pc.sum(lengths).as_py() or 0)
