"""Named arguments of `serve`: all settings and options, and nothing else."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from lakeproof import serve
from reference_server.options import flags
from reference_server.serve import ServerSettings, api_class, options_of, servable
from reference_server.serve_arguments import ServeArguments
from specs.problems import Problem


def test_the_arguments_are_the_settings_and_the_options():
    settings = {field.name for field in fields(ServerSettings)} - {"apis"}
    assert [options_of(api) for api in servable()] == [api_class(api).options for api in servable()]
    options = {name for api in servable() for name, _, _ in flags(options_of(api))}
    assert ServeArguments.__annotations__.keys() == settings | options


@pytest.mark.parametrize(("wrong", "near"), [("strage", "storage"), ("warehuses", "warehouses")])
def test_an_unknown_argument_is_refused_with_the_nearest(wrong, near):
    given: dict[str, Any] = {wrong: "memory"}
    with pytest.raises(Problem, match=rf"no option {wrong} for iceberg.\nDid you mean {near}"):
        serve("iceberg", **given)
