"""Deviations that users reported as bugs, and that the documents permit: no requirement that is a MUST blames them."""

from __future__ import annotations

from reference_server.faults import arguments_lost, fault
from reference_server.iceberg.faults.blocks import SIZE, TOKEN

fault(
    "generic-pages-never",
    "Generic tables and policies are listed in one piece, whatever page is asked for.",
    on=["listGenericTables", "listPolicies"],
)(arguments_lost(TOKEN, SIZE))
