"""The badge: the JSON that shields.io reads from an endpoint."""

from __future__ import annotations

import json

from conformance.results import Results


def render_badge(results: Results) -> str:
    """Return the badge: how many of the tested MUST requirements are met."""
    tested = [entry for entry in results.requirements if entry.level == "MUST" and entry.verdict != "unoffered"]
    met = sum(entry.verdict == "pass" for entry in tested)
    conforms = bool(tested) and met == len(tested)
    colour = "brightgreen" if conforms else "yellow" if tested and met >= 0.9 * len(tested) else "red"
    badge = {
        "schemaVersion": 1,
        "label": results.target.profile,
        "message": f"{met}/{len(tested)}",
        "color": colour,
    }
    return json.dumps(badge) + "\n"
