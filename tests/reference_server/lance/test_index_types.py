"""Index types in requests, parsed and checked."""

from __future__ import annotations

import pyarrow as pa
import pytest

from reference_server.errors import InvalidInput
from reference_server.lance.data.index_types import (
    FTS,
    SCALAR,
    VECTOR,
    check_index_name,
    free_name,
    fts_options,
    read_distance,
    read_type,
    sub_vectors,
    type_of,
)
from reference_server.lance.data.pylance_errors import translate

ALL = (*SCALAR, *VECTOR)


@pytest.mark.parametrize(("text", "kind"), [("BTREE", "BTREE"), ("label_list", "LABEL_LIST"), ("Inverted", FTS)])
def test_types_are_read_in_any_case(text, kind):
    assert read_type(text, ALL) == kind


@pytest.mark.parametrize("text", ["", "PERHAPS", "BTREE ", "IVF"])
def test_unknown_types_are_refused(text):
    with pytest.raises(InvalidInput):
        read_type(text, ALL)


def test_vector_types_are_no_scalar_types():
    with pytest.raises(InvalidInput):
        read_type("IVF_FLAT", tuple(SCALAR))


@pytest.mark.parametrize("kind", ALL)
def test_what_pylance_calls_a_type_is_that_type(kind):
    assert type_of(SCALAR.get(kind, kind)) == kind


def test_distances():
    assert read_distance({}) == "l2"
    assert read_distance({"distance_type": "Cosine"}) == "cosine"
    for text in ("", "perhaps"):
        with pytest.raises(InvalidInput):
            read_distance({"distance_type": text})


@pytest.mark.parametrize("name", ["", ".", "..", "__lance_frag_reuse"])
def test_names_that_no_index_can_have(name):
    with pytest.raises(InvalidInput):
        check_index_name(name)


@pytest.mark.parametrize("name", ["a", "a/b", "...", "ü", "_lance"])
def test_names_that_an_index_can_have(name):
    check_index_name(name)


def test_made_up_names_are_free():
    taken: set[str] = set()
    for expected in ("id_idx", "id_idx_2", "id_idx_3"):
        assert free_name("id", taken) == expected
        taken.add(expected)


def test_settings_are_those_that_were_given():
    assert fts_options({"column": "c", "stem": False, "lower_case": None, "language": "german"}) == {
        "stem": False,
        "language": "German",
    }
    assert fts_options({"max_token_length": 40.0}) == {"max_token_length": 40}


@pytest.mark.parametrize("body", [{"language": "Perhaps"}, {"max_token_length": 2**64}])
def test_impossible_settings_are_refused(body):
    with pytest.raises(InvalidInput):
        fts_options(body)


@pytest.mark.parametrize(("dimension", "count"), [(1, 1), (8, 8), (16, 16), (17, 1), (24, 12), (1536, 16)])
def test_sub_vectors_divide_the_dimension(dimension, count):
    assert sub_vectors(dimension) == count


SCHEMA = pa.schema(
    {
        "id": pa.int64(),
        "tags": pa.list_(pa.string()),
        "place": pa.struct({"city": pa.string(), "at": pa.struct({"x": pa.float32()})}),
    }
)


@pytest.mark.parametrize(
    "error",
    [
        TypeError("BTREE/BITMAP index column tags must be int", ", float"),
        TypeError("Vector column id must be FixedSizeListArray 1-dimensional FixedShapeTensorArray, got int64"),
        KeyError("we`ird not found in schema"),
        ValueError("Invalid user input: unknown base tokenizer perhaps, /rust/lance-index/src/x.rs:1:2"),
    ],
)
def test_what_pylance_says_of_unfit_columns_is_invalid_input(error):
    assert isinstance(translate(error), InvalidInput)
