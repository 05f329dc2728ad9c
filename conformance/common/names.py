"""Template about objects with unusual names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.author.catalog import Catalog
from conformance.author.checks import contains, lacks, same_items
from conformance.author.requirement import should
from conformance.common.template import template
from conformance.http.answers import Answer
from conformance.values.resources import Names

MADE, PLAIN = 200, "plain"
REFUSED = (400, 403)  # 403: the location that follows from the name may not be allowed
TOO_LONG = tuple(range(400, 500))  # documents neither bound the length of a name nor state a status for it


@dataclass(frozen=True, slots=True)
class NamedObject:
    """Kind of objects with names. `word` names the kind, `operations` are the tested ones.

    `id` returns the id of an object with a given name. The other functions take the catalog and such an id: `make`
    creates the object, `look` loads it, `listed` returns the ids in its list, `drop` drops it, and `refused` checks a
    rejected creation. With `alone` the list contains only objects of the example. `made` is the status of a creation.
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
    """Kind of objects with one unusual name; `what` describes the name, `refusals` are the statuses that reject it."""

    kind: NamedObject
    name: str
    what: str
    refusals: Sequence[int] = REFUSED

    @property
    def id(self) -> str:
        """The object in words, for the statement."""
        return f"{self.kind.word} with an unusual name ({self.what})"

    @property
    def operations(self) -> Sequence[str]:
        """The tested operations of the kind."""
        return self.kind.operations


def named(
    kinds: Mapping[str, NamedObject], names: Mapping[str, str], refusals: Sequence[int] = REFUSED
) -> dict[str, Named]:
    """Return the case of every kind with every name, by the keys of both."""
    return {
        f"{place}.{key}": Named(kind, name, key.replace("_", " "), refusals)
        for place, kind in kinds.items()
        for key, name in names.items()
    }


@template("names.{}", should, clause="names-round-trip", kind="hostile")
def name_is_kept(catalog: Catalog, case: Named) -> None:
    """A {} is created, loaded, listed and dropped under exactly this name, or its creation returns 400 or 403.

    A long name may be rejected with any 4xx.
    """
    kind = case.kind
    id = kind.id(catalog, case.name)
    answer = kind.make(catalog, id, expect=(kind.made, *case.refusals))
    if not answer.succeeded:
        if answer.status in REFUSED:
            kind.refused(catalog, id, answer)
        catalog.control(lambda: kind.make(catalog, kind.id(catalog, PLAIN), expect=kind.made))
        return
    kind.look(catalog, id)
    what = f"the listed {kind.word}s"
    (same_items if kind.alone else contains)(kind.listed(catalog, id), [id], what)
    kind.drop(catalog, id)
    if kind.alone:
        same_items(kind.listed(catalog, id), [], f"{what} after the drop")
    else:
        lacks(kind.listed(catalog, id), [id], f"{what} after the drop")
