"""Names over HTTP: where they lead in the storage, and their limits."""

from __future__ import annotations

import pytest

CLIMBING = ["..", "new/db", "a\\b", "%2F"]


def encoded(name):
    return "".join(f"%{byte:02X}" for byte in name.encode())


@pytest.mark.parametrize("name", CLIMBING)
def test_a_name_leads_to_no_folder_above(api, name):
    api.namespace(name)
    location = api.table(f"{encoded(name)}/tables/{encoded(name)}").body["metadata-location"]
    assert ".." not in location.split("/")


@pytest.mark.parametrize("levels", [[], [""], ["a", ""], ["\x00"], ["a\x1fb"], ["x" * 256], [" "], ["l"] * 65])
def test_impossible_names_are_refused(api, levels):
    refused = api.call("POST", "namespaces", {"namespace": levels}, expect=400)
    assert refused.type == "BadRequestException"
