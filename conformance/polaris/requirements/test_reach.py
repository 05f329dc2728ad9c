"""Reach of a grant: the object that it names and everything in that, and nothing beside or above it."""

from __future__ import annotations

from collections.abc import Callable

from conformance.author.requirement import must, should
from conformance.polaris.callers import Caller
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import Names
from conformance.polaris.support.grants import ADD, OLDER, add
from conformance.polaris.support.readables import REFUSED, TYPES, ReadableType

GRANT = [ADD]


def _holder(catalog: PolarisCatalog, kind: ReadableType, grant: dict[str, object], sample: Names) -> Caller:
    """Create a caller with one grant, which lets it read a sample that it could not read before."""
    caller = catalog.new_caller()
    with catalog.client.preparing():
        kind.read(catalog, caller.client, sample, expect=REFUSED)
        add(catalog, (catalog.home, caller.catalog_role), grant)
        kind.read(catalog, caller.client, sample)
    return caller


@must("polaris.reach.object.{}", operations=GRANT, clause="grant-names-one", kind="auth", each=TYPES)
def test_grant_on_one_object(catalog: PolarisCatalog, case: ReadableType) -> None:
    """A grant on a {} gives no access to one with a similar name, or of the same name in another namespace."""
    shorter, granted, longer = (case.new(catalog, case.named(catalog, name)) for name in ("o", "ob", "obj"))
    others = [shorter, longer]
    if case.field:
        others.append(case.new(catalog, (*catalog.tables.new_namespace(), granted[-1])))
    caller = _holder(catalog, case, case.grant(granted), granted)
    add(catalog, (catalog.home, caller.catalog_role), case.grant(granted))
    for id in others:
        case.read(catalog, caller.client, id, expect=REFUSED)


def _nested(catalog: PolarisCatalog, kind: ReadableType) -> Callable[..., Names]:
    """Return a function that creates an object at levels below the home, and their namespaces."""
    catalog.tables.require_nested()
    home = catalog.tables.home

    def create(*levels: str) -> Names:
        with catalog.client.preparing():
            for depth in range(1, len(levels)):
                catalog.tables.create_namespace((*home, *levels[:depth]), expect=(200, 409))
        return kind.new(catalog, (*home, *levels))

    return create


@must("polaris.reach.namespace.{}", operations=GRANT, clause="grant-names-one", kind="auth", each=TYPES)
def test_grant_on_a_nested_namespace(catalog: PolarisCatalog, case: ReadableType) -> None:
    """A grant on a nested namespace gives no access to a {} in its parent or in a namespace of a similar name."""
    create = _nested(catalog, case)
    inner, above, beside = create("a", "o"), create("o"), create("aa", "o")
    grant = OLDER["namespace"].grant(inner[:-1], case.privilege)
    caller = _holder(catalog, case, grant, inner)
    add(catalog, (catalog.home, caller.catalog_role), grant)
    for id in (above, beside):
        case.read(catalog, caller.client, id, expect=REFUSED)


@should("polaris.reach.below.{}", operations=GRANT, clause="access-allowed", kind="auth", each=TYPES)
def test_grant_above_a_nested_namespace(catalog: PolarisCatalog, case: ReadableType) -> None:
    """A grant on a namespace gives access to a {} in a namespace inside it."""
    create = _nested(catalog, case)
    direct, deep = create("a", "o"), create("a", "b", "o")
    caller = _holder(catalog, case, OLDER["namespace"].grant(direct[:-1], case.privilege), direct)
    add(catalog, (catalog.home, caller.catalog_role), OLDER["namespace"].grant(direct[:-1], case.privilege))
    case.read(catalog, caller.client, deep)
