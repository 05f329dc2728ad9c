"""What a Lance catalog can do, whatever keeps it: namespaces, tables, and where the tables lie."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from reference_server.pagination import Page

if TYPE_CHECKING:
    from reference_server.lance.catalog.batch import Batch

Path = tuple[str, ...]
Properties = Mapping[str, str]
Record = dict[str, Any]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Table:
    """A table's entry in the catalog.

    `location` is relative to the data root. `created` is True once data are known to lie there;
    a table that was only declared may get data from a client behind the catalog's back.
    """

    location: str
    properties: Properties = field(default_factory=dict)
    created: bool = False


class Listed(NamedTuple):
    """A table in a listing: its path, and whether data are known to lie there."""

    path: Path
    created: bool


@dataclass(frozen=True, slots=True)
class ListRequest:
    """Which page of a listing is wanted; `maximum` is the server's own page size."""

    token: str | None
    limit: int | None
    maximum: int


class Catalog(Protocol):
    """The names of a Lance namespace. The root is the empty path and always exists.

    `forbidden` are characters that no name may have, beside those that no catalog allows. `managed`
    says that clients keep versions of tables through the catalog.

    Every change is atomic. A change that keeps losing against others raises ConcurrentModification.
    """

    def state(self) -> Hashable:
        """Return a value that changes with every change of the catalog, whoever makes it."""

    forbidden: str
    managed: bool

    def close(self) -> None:
        """Give everything back."""

    def location_for(self, path: Path, unused: str) -> str:
        """Return where a table that is declared under this name will have its data.

        `unused` is a location that was never used, for a catalog that does not care.
        """

    async def place(self, path: Path, written: str) -> str:
        """Return the location of data that were just written at `written`, for a new table.

        A catalog that wants them elsewhere moves them. Raises TableAlreadyExists.
        """

    def keeps_place(self, path: Path, table: Table) -> bool:
        """True when a table that is overwritten has to stay where it is."""

    def follows(self, path: Path) -> bool:
        """True when what is said about the tables of a namespace follows from `state`."""

    async def namespace(self, path: Path) -> Properties:
        """Return the properties of a namespace. Raises NamespaceNotFound."""

    async def create_namespace(self, path: Path, properties: Properties) -> None:
        """Create a namespace. Raises NamespaceNotFound (the parent) or NamespaceAlreadyExists."""

    async def drop_namespace(self, path: Path, *, cascade: bool) -> list[Table]:
        """Drop a namespace and return the tables that went with it.

        Raises NamespaceNotFound, or NamespaceNotEmpty unless `cascade`.
        """

    async def list_namespaces(self, path: Path, request: ListRequest) -> Page[str]:
        """Return names of child namespaces. Raises NamespaceNotFound."""

    async def table(self, path: Path) -> Table:
        """Return a table's entry. Raises NamespaceNotFound or TableNotFound."""

    async def add_table(self, path: Path, table: Table) -> None:
        """Add an entry. Raises NamespaceNotFound or TableAlreadyExists."""

    async def replace_table(self, path: Path, before: Table, after: Table) -> None:
        """Replace an entry that still is `before`. Raises ConcurrentModification."""

    async def remove_table(self, path: Path, *, dropping: bool) -> Table:
        """Remove an entry and return it; `dropping` says that its data will be deleted next.

        Raises NamespaceNotFound or TableNotFound.
        """

    async def rename_table(self, path: Path, target: Path) -> None:
        """Move an entry. Raises NamespaceNotFound, TableNotFound or TableAlreadyExists."""

    async def list_tables(self, path: Path, request: ListRequest) -> Page[Listed]:
        """Return the tables of one namespace, by name. Raises NamespaceNotFound."""

    def versions(self, kind: str, path: Path) -> dict[int, Record]:
        """Return the records of a table's versions by number; `kind` is VERSION or PENDING."""

    def tables_with_pending_versions(self) -> list[Path]:
        """Return the tables of which some versions are committed, but not in their place."""

    async def settle_versions(
        self, path: Path, records: Mapping[int, Record | None], pending: Mapping[int, Record] | None = None
    ) -> None:
        """Note that versions are in their place now: their records, None for those that are gone.

        `pending` are the records that were pending and still must be. Where versions are managed the
        records are kept.
        """

    async def recover(self) -> None:
        """Bring names in order that a killed server left half changed: called before the first request."""

    async def commit_batch(self, build: Callable[[Batch], Coroutine[Any, Any, T]], paths: Sequence[Path]) -> T:
        """Commit what `build` puts into a batch, all or nothing, and return what it returns.

        `paths` are the tables that it touches. `build` may be called again when others were quicker;
        what it raises is raised. Raises ConcurrentModification.
        """

    async def list_all_tables(self, request: ListRequest) -> Page[Listed]:
        """Return the tables of all namespaces, by namespace, then name."""
