"""The whole model of the Lance Namespace."""

from __future__ import annotations

from conformance.common.model.rows import Model
from conformance.lance.model import branches, columns, contents, indices, namespaces, tables, tags, views
from conformance.lance.model.kinds import GIVEN, KINDS, LEFT, TABLE, named

MODEL = Model(
    "lance",
    KINDS,
    [
        *tables.COMMANDS,
        *namespaces.COMMANDS,
        *tags.COMMANDS,
        *contents.COMMANDS,
        *columns.COMMANDS,
        *columns.METADATA_COMMANDS,
        *indices.COMMANDS,
        *branches.COMMANDS,
    ],
    [
        *namespaces.VIEWS,
        *views.VIEWS,
        *tags.VIEWS,
        *contents.VIEWS,
        *columns.VIEWS,
        *columns.METADATA_VIEWS,
        *indices.VIEWS,
        *branches.VIEWS,
    ],
    named,
    GIVEN,
    renewed=[TABLE],
    traces=[LEFT],
    error=lambda answer: answer.code,
)
