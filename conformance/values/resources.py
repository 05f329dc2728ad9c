"""Resources that a run makes on a server, and what is left of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

NAMESPACE, TABLE, VIEW, REGISTRATION = "namespace", "table", "view", "registration"
Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Resource:
    """Something that a run may have made. An id that is a string is sent as it is.

    A registration is a table whose files are not the server's own: it is taken out of the catalog, its files stay.
    """

    kind: str
    id: Names | str

    @property
    def name(self) -> str:
        """Its levels with dots between them."""
        return self.id if isinstance(self.id, str) else ".".join(self.id)


@dataclass(frozen=True, slots=True)
class Leftover:
    """What is still there after a run, and why."""

    kind: str
    name: str
    reason: str


def summary(left_behind: Collection[Leftover | str]) -> list[str]:
    """Return a line for each kind and reason: "12 tables: dropTable is answered with 405"; older results have lines."""
    lines = [left for left in left_behind if isinstance(left, str)]
    counts = Counter((left.kind, left.reason) for left in left_behind if not isinstance(left, str))
    return [*lines, *(f"{count:,} {kind}{'s' * (count > 1)}: {why}" for (kind, why), count in counts.most_common())]
