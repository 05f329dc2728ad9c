"""Valid and invalid names of tags."""

from __future__ import annotations

import pytest

from reference_server.errors import InvalidInput
from reference_server.lance.handlers.tags import check_name


@pytest.mark.parametrize("name", ["v1", "v1.2-rc_3", "2026", "UPPER", "t" * 200])
def test_names_of_tags(name):
    check_name(name)


@pytest.mark.parametrize("name", ["", "a b", "a/b", "a\\b", "gr\u00f6\u00dfe", "\U0001f3f7", "a\nb", "a\n", "t" * 201])
def test_what_is_no_name(name):
    with pytest.raises(InvalidInput):
        check_name(name)
