"""Differences between the revisions, beside their documents."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules since a revision.

    `lists_declared`: listings include declared tables unless a request leaves them out. `tells_declared`: every
    description tells whether the table is only declared; else only on request. `index_parameters`: requests may set the
    parameters of a vector index, and listings of indices describe them. `computed_columns`: a new column may keep an
    expression that backfills evaluate.
    """

    lists_declared: bool
    tells_declared: bool
    index_parameters: bool
    computed_columns: bool


RULES = {
    "2026-03": Rules(
        lists_declared=False,
        tells_declared=True,
        index_parameters=False,
        computed_columns=False,
    ),
    "0.11": Rules(
        lists_declared=True,
        tells_declared=False,
        index_parameters=True,
        computed_columns=True,
    ),
}
