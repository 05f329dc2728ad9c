"""The badge: JSON for an endpoint of shields.io."""

from __future__ import annotations

import json

from conformance.values.results import Results


def render_badge(results: Results) -> str:
    """Return the badge: the number of tested MUST requirements that pass. A partial run is never green."""
    tested = [entry for entry in results.requirements if entry.level == "MUST" and entry.verdict != "unoffered"]
    met = sum(entry.verdict == "pass" for entry in tested)
    all_met = bool(tested) and met == len(tested)
    good = "lightgrey" if results.partial else "brightgreen"
    colour = good if all_met else "yellow" if tested and met >= 0.9 * len(tested) else "red"
    badge = {
        "schemaVersion": 1,
        "label": results.target.profile,
        "message": f"{met}/{len(tested)}{' (partial run)' if results.partial else ''}",
        "color": colour,
    }
    return json.dumps(badge) + "\n"
