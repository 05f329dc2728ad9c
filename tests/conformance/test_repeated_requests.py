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


def request(undo: Any, done: list[str]) -> RepeatedRequest[Any]:
    return RepeatedRequest(
        "renameTable", "rename", lambda _: "t", lambda *_: done.append("act"), undo, lambda *_: done.append("check")
    )


def fails_at(operation):
    def undo(*_):
        raise Violation(f"{operation} returns 500", operation=operation)

    return undo


def test_the_effect_is_checked_each_time():
    done: list[str] = []
    request(lambda *_: done.append("undo"), done).made_again(None, CLIENT)
    assert done == ["act", "check", "undo", "act", "check"]


@pytest.mark.parametrize(("operation", "outcome"), [("renameTable", Violation), ("dropTable", Blocked)])
def test_an_operation_that_cannot_undo_itself_is_a_finding_about_it(operation, outcome):
    with pytest.raises(outcome, match=f"{operation} returns 500"):
        request(fails_at(operation), []).made_again(None, CLIENT)
