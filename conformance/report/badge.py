"""The badge: JSON for an endpoint of shields.io."""

from __future__ import annotations

import json

from conformance.values.results import Results
from conformance.values.verdict import UNTESTED


def render_badge(results: Results) -> str:
    """Return the badge: the number of tested MUST requirements that pass, and the share of offered operations.

    A partial run is never green.
    """
    tested = [entry for entry in results.requirements if entry.level == "MUST" and entry.verdict not in UNTESTED]
    met = sum(entry.verdict == "pass" for entry in tested)
    all_met = bool(tested) and met == len(tested) and not results.target.lacking
    good = "lightgrey" if results.partial else "brightgreen"
    colour = good if all_met else "yellow" if tested and met >= 0.9 * len(tested) else "red"
    share = "" if results.target.offers_all else f", {results.target.share} operations"
    badge = {
        "schemaVersion": 1,
        "label": results.target.profile,
        "message": f"{met}/{len(tested)}{share}{' (partial run)' if results.partial else ''}",
        "color": colour,
    }
    return json.dumps(badge) + "\n"
