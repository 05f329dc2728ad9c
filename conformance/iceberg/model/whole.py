"""The whole model of an Iceberg catalog."""

from __future__ import annotations

from conformance.common.model.rows import Model
from conformance.iceberg.model import namespaces, tables, views
from conformance.iceberg.model.kinds import GIVEN, KINDS, named

MODEL = Model(
    "iceberg",
    KINDS,
    [*namespaces.COMMANDS, *tables.COMMANDS, *views.COMMANDS],
    [*namespaces.VIEWS, *tables.VIEWS, *views.VIEWS],
    named,
    GIVEN,
)
