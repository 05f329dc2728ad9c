"""A Lance catalog small enough to be obviously right: what every command must answer.

Namespaces are a set of paths below a home, tables a map from path to row count, None for declared.
Each method does one command on the model and returns the expected status, with the code of a refusal.
"""

from __future__ import annotations

from dataclasses import dataclass, field

Path = tuple[str, ...]
Outcome = tuple[int, int | None]
OK: Outcome = (200, None)
NAMESPACE_MISSING: Outcome = (404, 1)
NAMESPACE_EXISTS: Outcome = (409, 2)
NAMESPACE_NOT_EMPTY: Outcome = (409, 3)
TABLE_MISSING: Outcome = (404, 4)
TABLE_EXISTS: Outcome = (409, 5)


@dataclass
class Model:
    """See the module."""

    home: Path
    namespaces: set[Path] = field(default_factory=set)
    tables: dict[Path, int | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.namespaces.add(self.home)

    def create_namespace(self, path: Path) -> Outcome:
        """CreateNamespace in mode Create."""
        if path[:-1] not in self.namespaces:
            return NAMESPACE_MISSING
        if path in self.namespaces:
            return NAMESPACE_EXISTS
        self.namespaces.add(path)
        return OK

    def drop_namespace(self, path: Path) -> Outcome:
        """DropNamespace with behavior Restrict."""
        if path not in self.namespaces:
            return NAMESPACE_MISSING
        if self.child_namespaces(path) or self.child_tables(path, declared=True):
            return NAMESPACE_NOT_EMPTY
        self.namespaces.remove(path)
        return OK

    def create_table(self, path: Path, rows: int) -> Outcome:
        """CreateTable in mode Create, on a name that was not only declared."""
        return self._add(path, rows)

    def declare_table(self, path: Path) -> Outcome:
        """DeclareTable."""
        return self._add(path, None)

    def insert(self, path: Path, rows: int) -> Outcome:
        """InsertIntoTable in mode Append."""
        if path not in self.tables:
            return TABLE_MISSING
        self.tables[path] = (self.tables[path] or 0) + rows
        return OK

    def drop_table(self, path: Path) -> Outcome:
        """DropTable."""
        return OK if self.tables.pop(path, self) is not self else TABLE_MISSING

    def rename_table(self, path: Path, target: Path) -> Outcome:
        """RenameTable between different names."""
        if path not in self.tables:
            return TABLE_MISSING
        if target[:-1] not in self.namespaces:
            return NAMESPACE_MISSING
        if target in self.tables:
            return TABLE_EXISTS
        self.tables[target] = self.tables.pop(path)
        return OK

    def child_namespaces(self, path: Path) -> list[str]:
        """Return the names that ListNamespaces must show."""
        return sorted(name[-1] for name in self.namespaces if name[:-1] == path and name != self.home)

    def child_tables(self, path: Path, *, declared: bool) -> list[str]:
        """Return the names that ListTables must show."""
        return sorted(
            name[-1] for name, rows in self.tables.items() if name[:-1] == path and (declared or rows is not None)
        )

    def _add(self, path: Path, rows: int | None) -> Outcome:
        if path[:-1] not in self.namespaces:
            return NAMESPACE_MISSING
        if path in self.tables:
            return TABLE_EXISTS
        self.tables[path] = rows
        return OK
