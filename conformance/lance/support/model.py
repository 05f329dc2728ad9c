"""Model of a Lance catalog: the expected outcome of every command on namespaces and tables.

Namespaces are a set of paths below a home, tables a map from path to row count, None for a declared-only table.
Each method runs one command on the model and returns the expected status, with the code of an error.
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
class LanceModel:
    """Namespaces and tables below a home."""

    home: Path
    namespaces: set[Path] = field(default_factory=set)
    tables: dict[Path, int | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.namespaces.add(self.home)

    def create_namespace(self, path: Path) -> Outcome:
        """Run CreateNamespace in mode Create."""
        if path[:-1] not in self.namespaces:
            return NAMESPACE_MISSING
        if path in self.namespaces:
            return NAMESPACE_EXISTS
        self.namespaces.add(path)
        return OK

    def drop_namespace(self, path: Path) -> Outcome:
        """Run DropNamespace with behavior Restrict."""
        if path not in self.namespaces:
            return NAMESPACE_MISSING
        if self.child_namespaces(path) or self.child_tables(path, declared=True):
            return NAMESPACE_NOT_EMPTY
        self.namespaces.remove(path)
        return OK

    def create_table(self, path: Path, rows: int) -> Outcome:
        """Run CreateTable in mode Create, on a name that is not declared-only."""
        return self._add(path, rows)

    def declare_table(self, path: Path) -> Outcome:
        """Run DeclareTable."""
        return self._add(path, None)

    def insert(self, path: Path, rows: int) -> Outcome:
        """Run InsertIntoTable in mode Append."""
        if path not in self.tables:
            return TABLE_MISSING
        self.tables[path] = (self.tables[path] or 0) + rows
        return OK

    def drop_table(self, path: Path) -> Outcome:
        """Run DropTable."""
        return OK if self.tables.pop(path, self) is not self else TABLE_MISSING

    def rename_table(self, path: Path, target: Path) -> Outcome:
        """Run RenameTable between different names."""
        if path not in self.tables:
            return TABLE_MISSING
        if target[:-1] not in self.namespaces:
            return NAMESPACE_MISSING
        if target in self.tables:
            return TABLE_EXISTS
        self.tables[target] = self.tables.pop(path)
        return OK

    def child_namespaces(self, path: Path) -> list[str]:
        """Return the expected names of ListNamespaces."""
        return sorted(name[-1] for name in self.namespaces if name[:-1] == path and name != self.home)

    def child_tables(self, path: Path, *, declared: bool) -> list[str]:
        """Return the expected names of ListTables."""
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
