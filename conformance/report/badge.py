"""The badge: the JSON that shields.io reads from an endpoint."""

from __future__ import annotations

import json

from conformance.results import Results


def render_badge(results: Results) -> str:
    """Return the badge: how many of the judged MUST requirements are met."""
    judged = [entry for entry in results.requirements if entry.level == "MUST" and entry.verdict != "unoffered"]
    met = sum(entry.verdict == "pass" for entry in judged)
    conforms = bool(judged) and met == len(judged)
    colour = "brightgreen" if conforms else "yellow" if judged and met >= 0.9 * len(judged) else "red"
    badge = {
        "schemaVersion": 1,
        "label": results.target.profile,
        "message": f"{met}/{len(judged)}",
        "color": colour,
    }
    return json.dumps(badge) + "\n"
