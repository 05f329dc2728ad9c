"""The whole model of the Lance Namespace."""

from __future__ import annotations

from conformance.common.model.rows import Model
from conformance.lance.model import namespaces, tables, tags, views
from conformance.lance.model.kinds import GIVEN, KINDS, named

MODEL = Model(
    "lance",
    KINDS,
    [*tables.COMMANDS, *namespaces.COMMANDS, *tags.COMMANDS],
    [*namespaces.VIEWS, *views.VIEWS, *tags.VIEWS],
    named,
    GIVEN,
    error=lambda answer: answer.code,
)
