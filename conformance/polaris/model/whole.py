"""The whole model of Polaris."""

from __future__ import annotations

from conformance.common.model.rows import Model
from conformance.polaris.entities import ENTITIES
from conformance.polaris.inventory import GENERIC_TABLE, POLICY
from conformance.polaris.model import content, entities, links
from conformance.polaris.model.kinds import (
    GIVEN,
    KINDS,
    named,
)

MODEL = Model(
    "polaris",
    KINDS,
    [*entities.COMMANDS, *links.COMMANDS, *content.COMMANDS],
    [*entities.VIEWS, *links.VIEWS, *content.VIEWS],
    named,
    GIVEN,
    renewed=[*(entity.id for entity in ENTITIES.values()), POLICY, GENERIC_TABLE],
)
