"""Tags and branches that are deleted while others read them."""

from __future__ import annotations

import pytest

from reference_server.lance.data.refs import listed

GONE = ValueError("Not found: t/_refs/branches/old.json, local.rs:1:1")


class Refs:
    """Refs that cannot be listed at first."""

    def __init__(self, *errors):
        self.errors = list(errors)

    def list(self):
        if self.errors:
            raise self.errors.pop()
        return {"dev": {"version": 1}}


def test_what_is_deleted_meanwhile_is_read_again():
    assert listed(Refs(GONE, GONE)) == {"dev": {"version": 1}}


@pytest.mark.parametrize("errors", [[ValueError("Not found: t/_versions")], [GONE] * 60], ids=["another", "always"])
def test_other_errors_are_raised(errors):
    with pytest.raises(ValueError, match="Not found"):
        listed(Refs(*errors))
