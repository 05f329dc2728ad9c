"""Requirements that follow from the model of an Iceberg catalog: effects, refusals and sequences."""

from __future__ import annotations

from conformance.common.model import requirements
from conformance.iceberg.model.whole import MODEL

test_effect = requirements.effect.declare(__name__, requirements.effects_of(MODEL))
test_refusal = requirements.refusal.declare(__name__, requirements.refusals_of(MODEL))
test_harmless = requirements.harmless.declare(__name__, requirements.harmless_of(MODEL))
test_after = requirements.after.declare(__name__, requirements.afters_of(MODEL))
WALKED = ("createNamespace", "dropNamespace", "createTable", "loadTable", "listTables", "updateTable", "dropTable")
WALKS = requirements.walks_of(MODEL, "operations-compose", WALKED)
test_random_walk = requirements.random_walk.declare(__name__, WALKS)
