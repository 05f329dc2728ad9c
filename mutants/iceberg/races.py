"""Faults that occur when requests meet."""

from __future__ import annotations

from mutants.common.races import updates_coalesced

updates_coalesced("updateProperties", "updateTable")
