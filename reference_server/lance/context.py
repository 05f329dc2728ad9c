"""A request to the Lance API: its identifier taken apart, its modes read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reference_server.context import Context, Request
from reference_server.errors import InvalidInput
from reference_server.lance.catalog import Catalog, Path
from reference_server.lance.data import TableData
from reference_server.lance.names import check_names
from specs.identifiers import LANCE_DELIMITER, IdentifierError, split_parts


@dataclass(slots=True)
class LanceContext(Context):
    """A request bound to the catalog and the data. `id` holds the parts of the identifier in the path."""

    catalog: Catalog
    data: TableData
    page_size: int
    id: Path
    delimiter: str

    @property
    def table_id(self) -> Path:
        """The identifier, which must name a table. Raises InvalidInput for the root."""
        if not self.id:
            raise InvalidInput("The root namespace is not a table.")
        return self.id

    def argument(self, name: str) -> Any:
        """Return an argument that may travel in the query or in the body; the query wins."""
        value = self.query(name)
        return self.body.get(name) if value is None and isinstance(self.body, dict) else value

    def choice(self, name: str, default: str, *others: str) -> str:
        """Return a mode-like argument as one of the given spellings.

        Case and underscores do not matter: ExistOk, exist_ok and EXISTOK are one mode.
        Raises InvalidInput for anything else.
        """
        text = self.argument(name)
        if text is None:
            return default
        for choice in (default, *others):
            if text.replace("_", "").lower() == choice.lower():
                return choice
        raise InvalidInput(f"{name} must be one of {', '.join((default, *others))}, not {text!r}.")

    def properties(self) -> dict[str, str]:
        """Return the `properties` of the body, empty when there are none."""
        return (self.body or {}).get("properties") or {}


def bind(request: Request, path: Mapping[str, str], body: Any, forbidden: str) -> tuple[Path, str]:
    """Return the identifier of a request and its delimiter; `forbidden` is that of the catalog.

    Raises InvalidInput for an identifier that cannot be read, for impossible names, and when the
    body names another object than the path.
    """
    delimiter = request.query.get("delimiter", [LANCE_DELIMITER])[-1]
    try:
        parts = tuple(split_parts(path["id"], delimiter)) if "id" in path else ()
        if not delimiter:
            raise IdentifierError("the delimiter is empty")
    except IdentifierError as error:
        raise InvalidInput(f"The identifier cannot be read: {error}.") from None
    check_names(parts, forbidden)
    named = body.get("id") if isinstance(body, dict) else None
    if named is not None and "id" in path and list(named) != list(parts):
        raise InvalidInput(f"The body names {named}, the path names {list(parts)}.")
    return parts, delimiter
