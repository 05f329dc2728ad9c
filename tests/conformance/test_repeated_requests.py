"""Requests that are sent, undone and sent again: what blocks the undo, and what that says."""

from __future__ import annotations

from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest

from conformance.common.requests import RepeatedRequest
from conformance.http.client import Client
from conformance.values.outcomes import Blocked, Violation


@contextmanager
def preparing():
    try:
        yield
    except Violation as error:
        raise Blocked(str(error), error.evidence.operation) from error


CLIENT = cast(Client, SimpleNamespace(preparing=preparing))


def request(undo: Any, done: list[str], undone: Any = None) -> RepeatedRequest[Any]:
    return RepeatedRequest(
        "renameTable",
        "rename",
        lambda _: "t",
        lambda *_: done.append("act"),
        undo,
        lambda *_: done.append("check"),
        undone,
    )


def fails_at(operation):
    def undo(*_):
        raise Violation(f"{operation} returns 500", operation=operation)

    return undo


def test_the_effect_is_checked_each_time():
    done: list[str] = []
    request(lambda *_: done.append("undo"), done).made_again(None, CLIENT)
    assert done == ["act", "check", "undo", "act", "check"]


def test_what_another_operation_undoes_is_a_preparation():
    with pytest.raises(Blocked, match="dropTable returns 500"):
        request(fails_at("dropTable"), []).made_again(None, CLIENT)


def test_an_operation_that_cannot_undo_itself_is_a_finding_about_it():
    with pytest.raises(Violation, match="renameTable returns 500"):
        request(fails_at("renameTable"), [], lambda *_: None).made_again(None, CLIENT)
