"""Values and transforms by themselves: how values are written, and examples of the table specification."""

from __future__ import annotations

import datetime as dt
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyiceberg import transforms as theirs
from pyiceberg import types

from reference_server.iceberg.scans import moments
from reference_server.iceberg.scans.transforms import read_transform
from reference_server.iceberg.scans.values import decoded, kind_of, show_value

SHOWN = [
    ("boolean", True, True),
    ("long", -(1 << 63), -(1 << 63)),
    ("float", 0.5, 0.5),
    ("double", float("nan"), "NaN"),
    ("double", float("-inf"), "-Infinity"),
    ("decimal(9, 2)", -1, "-0.01"),
    ("decimal(9, 2)", 1234500, "12345.00"),
    ("decimal(38, 0)", 10**37, "1" + 37 * "0"),
    ("string", "é", "é"),
    ("uuid", bytes(range(16)), "00010203-0405-0607-0809-0a0b0c0d0e0f"),
    ("fixed[3]", b"xyz", "78797A"),
    ("binary", b"", ""),
    ("date", 20696, "2026-08-31"),
    ("date", -719529, "-0001-12-31"),
    ("date", 2932897, "+10000-01-01"),
    ("time", 81068123456, "22:31:08.123456"),
    ("timestamp", 1196676630123456, "2007-12-03T10:10:30.123456"),
    ("timestamptz", -1, "1969-12-31T23:59:59.999999+00:00"),
    ("timestamp_ns", 1196676630123456789, "2007-12-03T10:10:30.123456789"),
    ("timestamptz_ns", 0, "1970-01-01T00:00:00.000000000+00:00"),
]


@pytest.mark.parametrize(("column_type", "value", "shown"), SHOWN)
def test_values_as_json(column_type, value, shown):
    assert show_value(column_type, value) == shown
    if column_type != "double" and not str(shown).startswith("-00"):
        assert kind_of(column_type).read(shown) == value


READ = [
    ("timestamptz", "2026-08-31T10:00:00+02:00", "2026-08-31T08:00:00.000000+00:00"),
    ("timestamptz", "2026-08-31T10:00Z", "2026-08-31T10:00:00.000000+00:00"),
    ("timestamptz", "2026-08-31T10:00:00", "2026-08-31T10:00:00.000000+00:00"),
    ("timestamp", 0, "1970-01-01T00:00:00.000000"),
    ("date", 0, "1970-01-01"),
    ("decimal(9, 2)", "1.5", "1.50"),
    ("decimal(9, 2)", 2, "2.00"),
    ("decimal(9, 2)", "2E+1", "20.00"),
    ("decimal(9, 2)", 1.25, "1.25"),
    ("long", 7.0, 7),
    ("float", 0.1, struct.unpack("f", struct.pack("f", 0.1))[0]),
    ("float", 1e300, 1e300),
    ("binary", "ab", "AB"),
]


@pytest.mark.parametrize(("column_type", "sent", "shown"), READ)
def test_what_literals_mean(column_type, sent, shown):
    kind = kind_of(column_type)
    assert kind.show(kind.read(sent)) == shown


WRONG = [
    ("timestamp", "2026-08-31T10:00:00Z"),
    ("timestamp", "2026-08-31"),
    ("timestamp", "2026-08-31T10:00:00.1234567"),
    ("timestamptz", "2026-08-31T10:00:00+20:00"),
    ("date", "2026-02-29"),
    ("date", "2026-13-01"),
    ("date", "2026-00-01"),
    ("time", "24:00:00"),
    ("decimal(9, 2)", "1.255"),
    ("decimal(9, 2)", ""),
    ("decimal(9, 2)", True),
    ("boolean", 1),
    ("int", "1"),
    ("double", "1"),
    ("string", 1),
    ("uuid", "x"),
    ("binary", "x"),
]


@pytest.mark.parametrize(("column_type", "sent"), WRONG)
def test_what_is_no_literal(column_type, sent):
    with pytest.raises(ValueError, match=r"."):
        kind_of(column_type).read(sent)


BOUNDS = [
    ("long", (5).to_bytes(4, "little"), 5),
    ("double", struct.pack("<f", 0.5), 0.5),
    ("timestamp", (1).to_bytes(4, "little"), 86_400_000_000),
    ("decimal(9, 2)", b"\xff", -1),
    ("double", struct.pack("<d", float("nan")), None),
    ("double", b"\0", None),
    ("string", b"\xff", None),
    ("long", None, None),
    ("variant", b"\0", None),
]


@pytest.mark.parametrize(("column_type", "data", "value"), BOUNDS)
def test_bounds(column_type, data, value):
    """Types may have become wider since, and a bound that cannot be read says nothing."""
    assert decoded(column_type, data) == value


@given(st.dates())
def test_dates(date):
    days = (date - dt.date(1970, 1, 1)).days
    assert moments.show_date(days) == date.isoformat()
    assert moments.read_date(date.isoformat()) == days


HASHED = [
    ("int", 34, 2017239379),
    ("long", 34, 2017239379),
    ("decimal(9, 2)", 1420, -500754589),
    ("date", 17486, -653330422),
    ("time", 81068000000, -662762989),
    ("timestamp", 1510871468000000, -2047944441),
    ("timestamp", 1510871468000001, -1207196810),
    ("timestamptz", 1510871468000000, -2047944441),
    ("timestamp_ns", 1510871468000001001, -1207196810),
    ("string", "iceberg", 1210000089),
    ("uuid", bytes.fromhex("f79c3e09677c4bbda4793f349cb785e7"), 1488055340),
    ("binary", b"\0\1\2\3", -188683207),
    ("fixed[4]", b"\0\1\2\3", -188683207),
]


@pytest.mark.parametrize(("column_type", "value", "hashed"), HASHED)
def test_buckets_of_the_specification(column_type, value, hashed):
    bucket = read_transform("bucket[1000]", column_type)
    assert bucket.apply(value) == (hashed & 0x7FFFFFFF) % 1000


@given(st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-(10**12), max_value=10**12))
def test_buckets_of_decimals(value):
    expected = theirs.BucketTransform(97).transform(types.DecimalType(20, 2))(value)
    assert read_transform("bucket[97]", "decimal(20, 2)").apply(int(value * 100)) == expected


@pytest.mark.parametrize("name", ["year", "month", "day", "hour"])
@given(value=st.integers(min_value=-(10**16), max_value=10**16))
def test_times(name, value):
    """A time is among those that its partition value can stand for; PyIceberg computes the same value."""
    transform = read_transform(name, "timestamp")
    result = transform.apply(value)
    assert result == theirs.parse_transform(name).transform(types.TimestampType())(value)
    lower, upper = transform.sources(result)
    assert lower <= value <= upper
    assert transform.apply(upper) == result
    assert transform.apply(upper + 1) == result + 1
    assert transform.apply(lower) == result - (result <= 0)


@given(st.integers(), st.integers(min_value=1, max_value=1000))
def test_cut_integers(value, width):
    transform = read_transform(f"truncate[{width}]", "long")
    lower, upper = transform.sources(transform.apply(value))
    assert lower <= value <= upper
    assert upper - lower == width - 1


def test_unknown_transforms():
    assert read_transform("zorder", "long") is None
    assert read_transform("bucket", "long") is None
    assert read_transform("bucket[0]", "long") is None
    assert read_transform("day[3]", "date") is None
