"""Columns that are not called as the request calls them."""

from __future__ import annotations

import re
from collections.abc import Callable

from reference_server.faults import Around, fault, request_becomes
from reference_server.iceberg.metadata.reading import Json

CREATE = ["createTable"]

FOREIGN = re.compile(r"\W", re.ASCII)


def _called(edit: Callable[[str], str]) -> Around:
    """Create tables whose columns of the first level have other names."""

    def edited(body: Json) -> Json:
        fields = [{**column, "name": edit(column["name"])} for column in body["schema"]["fields"]]
        return {**body, "schema": {**body["schema"], "fields": fields}}

    return request_becomes(edited)


fault(
    "columns-as-words",
    "What is no letter, digit or underscore becomes an underscore in the name of a column.",
    on=CREATE,
)(_called(lambda name: FOREIGN.sub("_", name)))
fault("columns-in-capitals", "Names of columns are folded to upper case.", on=CREATE)(_called(str.upper))
