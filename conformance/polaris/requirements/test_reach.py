"""Reach of a grant: the object that it names and everything in that, and nothing beside or above it."""

from __future__ import annotations

from collections.abc import Callable

from conformance.author.requirement import must, should
from conformance.polaris.callers import Caller
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import Names
from conformance.polaris.support.grants import ADD, OLDER, add
from conformance.polaris.support.readables import DENIED, NEWER_TYPES, OLDER_TYPES, SINCE, ReadableType

GRANT = [ADD]


def _holder(catalog: PolarisCatalog, kind: ReadableType, grant: dict[str, object], sample: Names) -> Caller:
    """Create a caller with one grant, which lets it read a sample that it could not read before."""
    caller = catalog.new_caller()
    with catalog.client.preparing():
        kind.read(catalog, caller.client, sample, expect=DENIED)
        add(catalog, (catalog.home, caller.catalog_role), grant)
        kind.read(catalog, caller.client, sample)
    return caller


def _beside(catalog: PolarisCatalog, kind: ReadableType) -> None:
    shorter, granted, longer = (kind.new(catalog, kind.named(catalog, name)) for name in ("o", "ob", "obj"))
    others = [shorter, longer]
    if kind.field:
        others.append(kind.new(catalog, (*catalog.tables.new_namespace(), granted[-1])))
    caller = _holder(catalog, kind, kind.grant(granted), granted)
    add(catalog, (catalog.home, caller.catalog_role), kind.grant(granted))
    for id in others:
        kind.read(catalog, caller.client, id, expect=DENIED)


@must("polaris.reach.object.{}", operations=GRANT, clause="grant-names-one", kind="auth", each=OLDER_TYPES)
def test_grant_on_one_object(catalog: PolarisCatalog, case: ReadableType) -> None:
    """A grant on a {} gives no access to one with a similar name, or of the same name in another namespace."""
    _beside(catalog, case)


@must("polaris.reach.object.{}", operations=GRANT, clause="grant-names-one", kind="auth", each=NEWER_TYPES, since=SINCE)
def test_grant_on_one_object_since(catalog: PolarisCatalog, case: ReadableType) -> None:
    """A grant on a {} gives no access to one with a similar name, or of the same name in another namespace."""
    _beside(catalog, case)


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


def _around(catalog: PolarisCatalog, kind: ReadableType) -> None:
    create = _nested(catalog, kind)
    inner, above, beside = create("a", "o"), create("o"), create("aa", "o")
    grant = OLDER["namespace"].grant(inner[:-1], kind.privilege)
    caller = _holder(catalog, kind, grant, inner)
    add(catalog, (catalog.home, caller.catalog_role), grant)
    for id in (above, beside):
        kind.read(catalog, caller.client, id, expect=DENIED)


@must("polaris.reach.namespace.{}", operations=GRANT, clause="grant-names-one", kind="auth", each=OLDER_TYPES)
def test_grant_on_a_nested_namespace(catalog: PolarisCatalog, case: ReadableType) -> None:
    """A grant on a nested namespace gives no access to a {} in its parent or in a namespace of a similar name."""
    _around(catalog, case)


@must(
    "polaris.reach.namespace.{}", operations=GRANT, clause="grant-names-one", kind="auth", each=NEWER_TYPES, since=SINCE
)
def test_grant_on_a_nested_namespace_since(catalog: PolarisCatalog, case: ReadableType) -> None:
    """A grant on a nested namespace gives no access to a {} in its parent or in a namespace of a similar name."""
    _around(catalog, case)


def _below(catalog: PolarisCatalog, kind: ReadableType) -> None:
    create = _nested(catalog, kind)
    direct, deep = create("a", "o"), create("a", "b", "o")
    caller = _holder(catalog, kind, OLDER["namespace"].grant(direct[:-1], kind.privilege), direct)
    add(catalog, (catalog.home, caller.catalog_role), OLDER["namespace"].grant(direct[:-1], kind.privilege))
    kind.read(catalog, caller.client, deep)


@should("polaris.reach.below.{}", operations=GRANT, clause="access-allowed", kind="auth", each=OLDER_TYPES)
def test_grant_above_a_nested_namespace(catalog: PolarisCatalog, case: ReadableType) -> None:
    """A grant on a namespace gives access to a {} in a namespace inside it."""
    _below(catalog, case)


@should("polaris.reach.below.{}", operations=GRANT, clause="access-allowed", kind="auth", each=NEWER_TYPES, since=SINCE)
def test_grant_above_a_nested_namespace_since(catalog: PolarisCatalog, case: ReadableType) -> None:
    """A grant on a namespace gives access to a {} in a namespace inside it."""
    _below(catalog, case)
