"""The actions on a transaction: what each does to its state, and what it refuses."""

from __future__ import annotations

import copy

import pytest

from reference_server.errors import InvalidInput
from reference_server.lance.errors import ConcurrentModification
from reference_server.lance.handlers.transactions import NEXT, apply_action


def state(status="Running", **properties):
    return {"status": status, "properties": properties}


def status(name):
    return {"setStatusAction": {"status": name}}


def put(key, value, **mode):
    return {"setPropertyAction": {"key": key, "value": value, **mode}}


def drop(key, **mode):
    return {"unsetPropertyAction": {"key": key, **mode}}


DONE = [
    (state(), status("Succeeded"), state("Succeeded")),
    (state(), status("SUCCEEDED"), state("Succeeded")),
    (state("Queued"), status("running"), state("Running")),
    (state("Failed"), status("Failed"), state("Failed")),
    (state(), put("k", "v"), state(k="v")),
    (state(k="old"), put("k", "v"), state(k="v")),
    (state(k="old"), put("k", "v", mode="skip"), state(k="old")),
    (state(), put("k", "v", mode="Fail"), state(k="v")),
    (state(k="v"), drop("k"), state()),
    (state(k="v"), drop("k", mode="Fail"), state()),
    (state(), drop("k"), state()),
]


@pytest.mark.parametrize(("before", "action", "after"), DONE)
def test_actions(before, action, after):
    altered = copy.deepcopy(before)
    apply_action(altered, action)
    assert altered == after


REFUSED = [
    (state("Succeeded"), status("Running"), ConcurrentModification),
    (state("Queued"), status("Succeeded"), ConcurrentModification),
    (state(k="old"), put("k", "v", mode="Fail"), ConcurrentModification),
    (state(), drop("k", mode="Fail"), ConcurrentModification),
    (state(), status("Perhaps"), InvalidInput),
    (state(), put("k", "v", mode="Perhaps"), InvalidInput),
    (state(), {"setPropertyAction": {"key": "k"}}, InvalidInput),
    (state(), {"unsetPropertyAction": {}}, InvalidInput),
    (state(), {}, InvalidInput),
    (state(), {**put("k", "v"), **drop("k")}, InvalidInput),
]


@pytest.mark.parametrize(("before", "action", "error"), REFUSED)
def test_refused_actions_change_nothing(before, action, error):
    altered = copy.deepcopy(before)
    with pytest.raises(error):
        apply_action(altered, action)
    assert altered == before


def test_what_is_finished_has_no_next_status():
    assert {name for name, following in NEXT.items() if not following} == {"Succeeded", "Failed", "Canceled"}
