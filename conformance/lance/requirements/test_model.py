"""Requirements that follow from the model of Lance."""

from __future__ import annotations

from conformance.common.model import requirements
from conformance.lance.model import kinds
from conformance.lance.model.whole import MODEL

test_effect = requirements.effect.declare(__name__, requirements.effects_of(MODEL))
test_lives = requirements.lives.declare(__name__, requirements.lives_of(MODEL, kinds.LIVES))
test_refusal = requirements.refusal.declare(__name__, requirements.refusals_of(MODEL))
test_after = requirements.after.declare(__name__, requirements.afters_of(MODEL))
WALKED = ("CreateNamespace", "DropNamespace", "CreateTable", "DropTable", "DeclareTable", "InsertIntoTable")
WALKS = requirements.walks_of(MODEL, "operations-compose", WALKED, "MUST")
test_random_walk = requirements.random_walk.declare(__name__, WALKS)
