"""Errors of an API: their fields in a body, and the revision since which an operation returns them."""

from __future__ import annotations

import pytest

from specs.errors import ErrorBody
from specs.iceberg import errors as types
from specs.lance import errors as codes
from specs.problems import Problem
from specs.profiles import find_profile

NUMBERED = find_profile("lance").document().errors
TYPED = find_profile("iceberg").document().errors


def test_fields_are_read_where_the_api_has_them():
    body = {"code": 4, "error": {"type": "NoSuchTableException", "code": 404}}
    assert (NUMBERED.read("code", body), NUMBERED.read("type", body)) == (4, None)
    assert (TYPED.read("code", body), TYPED.read("type", body)) == (None, "NoSuchTableException")


@pytest.mark.parametrize("body", [None, [], "text", {"error": "text"}, {"error": {}}])
def test_a_body_of_another_form_has_no_fields(body):
    assert TYPED.read("type", body) is None


@pytest.mark.parametrize(
    ("errors", "status", "body", "unsupported"),
    [
        (NUMBERED, 406, {"code": 0}, True),
        (NUMBERED, 406, {"code": False}, False),
        (NUMBERED, 406, {"code": 13}, False),
        (NUMBERED, 404, {"code": 0}, False),
        (TYPED, 406, {"error": {"type": "UnsupportedOperationException"}}, True),
        (TYPED, 406, {"code": 0}, False),
        (ErrorBody(), 406, {"code": 0}, False),
    ],
)
def test_unsupported_is_said_in_the_words_of_the_api(errors, status, body, unsupported):
    assert errors.says_unsupported(status, body) == unsupported


def test_an_error_may_come_with_a_revision(tmp_path, monkeypatch):
    table = tmp_path / "types.toml"
    text = '[[addition]]\noperations = ["loadTable"]\nstatus = 404\ntypes = ["Gone"]\nsince = "1.11"\n'
    table.write_text("[operations]\n" + text)
    monkeypatch.setattr(types, "TABLE", table)
    stated = {
        revision: types.stated_types.__wrapped__("loadTable", find_profile(f"iceberg/{revision}"))
        for revision in ("tables-api", "1.6", "1.11", "2026-08")
    }
    assert stated == {"tables-api": {}, "1.6": {}, "1.11": {404: {"Gone"}}, "2026-08": {404: {"Gone"}}}


def test_an_error_of_a_revision_that_there_is_not_is_a_problem(tmp_path, monkeypatch):
    table = tmp_path / "codes.toml"
    table.write_text(
        'common = [0]\n[operations]\n[[addition]]\noperations = ["ListTables"]\ncodes = [1]\nsince = "1"\n'
    )
    monkeypatch.setattr(codes, "TABLE", table)
    with pytest.raises(Problem, match="lance has no revision 1"):
        codes.codes_of.__wrapped__("ListTables")


def test_errors_are_described_for_people():
    assert "4 TableNotFound" in codes.described("DescribeTable", find_profile("lance"))
    assert "404 NoSuchTableException" in types.described("loadTable", find_profile("iceberg"))


# What a table of errors lacks


@pytest.mark.parametrize(
    ("table", "gone", "sentence"),
    [
        (codes, ("operations", "DropTable"), "error_codes.toml has no row for DropTable in [operations]."),
        (codes, ("errors", "TableTagNotFound"), "error_codes.toml has no row for code 8 in [errors]."),
        (types, ("operations", "loadFunction"), "error_types.toml has no type for 404 of loadFunction"),
    ],
)
def test_a_missing_row_is_told_in_a_sentence(table, gone, sentence, monkeypatch):
    raw = table.read_toml(table.TABLE)
    del raw[gone[0]][gone[1]]
    monkeypatch.setattr(table, "read_toml", lambda _: raw)
    cached = [value for value in vars(table).values() if hasattr(value, "cache_clear")]
    for function in cached:
        function.cache_clear()
    try:
        (told,) = table.unlisted(find_profile(table.API))
    finally:
        monkeypatch.undo()
        for function in cached:
            function.cache_clear()
    assert told.startswith(sentence)
