"""Names that break careless servers: what is made under one has exactly this name, or the name is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from conformance.checks import contains, lacks, same_items
from conformance.client import Answer
from conformance.sandbox import Names

MADE, REFUSED = 200, 400


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of things that have names; every function takes the catalog and the id of a thing.

    `id` is where a thing of a hostile name lies, `make`, `look` and `drop` are what is done with it, `listed` are the
    ids that are listed beside it: of nothing but this example where it is `alone`. `refused` looks at what was refused,
    `made` is the status of what was made.
    """

    plural: str
    id: Callable[[Any, str], Names]
    make: Callable[..., Answer]
    look: Callable[[Any, Names], object]
    listed: Callable[[Any, Names], Iterable[Names]]
    drop: Callable[[Any, Names], object]
    refused: Callable[[Any, Names, Answer], object]
    alone: bool = False
    made: int = MADE


def name_is_kept(catalog: Any, kind: Kind, name: str) -> None:
    """Check that a name is kept exactly from the creation to the drop, or refused with 400."""
    id = kind.id(catalog, name)
    answer = kind.make(catalog, id, expect=(kind.made, REFUSED))
    if answer.status == REFUSED:
        kind.refused(catalog, id, answer)
        return
    kind.look(catalog, id)
    what = f"the listed {kind.plural}"
    (same_items if kind.alone else contains)(kind.listed(catalog, id), [id], what)
    kind.drop(catalog, id)
    if kind.alone:
        same_items(kind.listed(catalog, id), [], f"{what} after the drop")
    else:
        lacks(kind.listed(catalog, id), [id], f"{what} after the drop")
