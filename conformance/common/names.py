"""Names that break careless servers: what is made under one has exactly this name, or the name is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.author.checks import contains, lacks, same_items
from conformance.author.requirement import should
from conformance.common.template import template
from conformance.http.client import Answer
from conformance.values.resources import Names

MADE = 200
REFUSED = (400, 403)  # 403: there may be no place for what is named so


@dataclass(frozen=True, slots=True)
class NamedObject:
    """A kind of things that have names, in words; every function takes the catalog and the id of a thing.

    `id` is where a thing of a hostile name lies, `make`, `look` and `drop` are what is done with it, `listed` are the
    ids that are listed beside it: of nothing but this example where it is `alone`. `refused` looks at what was refused,
    `made` is the status of what was made. `operations` are those that are tested.
    """

    word: str
    operations: Sequence[str]
    id: Callable[[Any, str], Names]
    make: Callable[..., Answer]
    look: Callable[[Any, Names], object]
    listed: Callable[[Any, Names], Iterable[Names]]
    drop: Callable[[Any, Names], object]
    refused: Callable[[Any, Names, Answer], object]
    alone: bool = False
    made: int = MADE


@dataclass(frozen=True, slots=True)
class Named:
    """A kind of things, and a name for one; `what` the name has, in words."""

    kind: NamedObject
    name: str
    what: str

    @property
    def id(self) -> str:
        """What is made, in words."""
        return f"{self.kind.word} with an unusual name ({self.what})"

    @property
    def operations(self) -> Sequence[str]:
        """The operations of its kind."""
        return self.kind.operations


def named(kinds: Mapping[str, NamedObject], names: Mapping[str, str]) -> dict[str, Named]:
    """Return every name for every kind, by the keys of both."""
    return {
        f"{place}.{key}": Named(kind, name, key.replace("_", " "))
        for place, kind in kinds.items()
        for key, name in names.items()
    }


@template("names.{}", should, clause="names-round-trip", kind="hostile")
def name_is_kept(catalog: Any, case: Named) -> None:
    """A {} is made, found, listed and dropped under this name, or refused with 400 or 403."""
    kind = case.kind
    id = kind.id(catalog, case.name)
    answer = kind.make(catalog, id, expect=(kind.made, *REFUSED))
    if answer.status in REFUSED:
        kind.refused(catalog, id, answer)
        return
    kind.look(catalog, id)
    what = f"the listed {kind.word}s"
    (same_items if kind.alone else contains)(kind.listed(catalog, id), [id], what)
    kind.drop(catalog, id)
    if kind.alone:
        same_items(kind.listed(catalog, id), [], f"{what} after the drop")
    else:
        lacks(kind.listed(catalog, id), [id], f"{what} after the drop")
