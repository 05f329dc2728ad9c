"""The whole model of Polaris."""

from __future__ import annotations

from conformance.common.model.rows import Model
from conformance.polaris.entities import ENTITIES
from conformance.polaris.model import content, entities, links
from conformance.polaris.model.kinds import (
    CATALOG_ROLE_ASSIGNMENT,
    GIVEN,
    GRANT,
    KINDS,
    PRINCIPAL_ROLE_ASSIGNMENT,
    named,
)

MODEL = Model(
    "polaris",
    KINDS,
    [*entities.COMMANDS, *links.COMMANDS, *content.COMMANDS],
    [*entities.VIEWS, *links.VIEWS, *content.VIEWS],
    named,
    GIVEN,
    lasting=[*(entity.id for entity in ENTITIES.values()), PRINCIPAL_ROLE_ASSIGNMENT, CATALOG_ROLE_ASSIGNMENT, GRANT],
)
