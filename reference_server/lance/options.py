"""Options of a Lance Namespace server."""

from __future__ import annotations

from dataclasses import dataclass

from reference_server.options import Options, option


@dataclass(frozen=True)
class LanceOptions(Options):
    """Field: `managed_versions` tells clients to commit versions of tables through the catalog."""

    managed_versions: bool = option(
        False, "--managed-versions", "tell clients to commit versions of tables through the catalog."
    )


OPTIONS = LanceOptions
