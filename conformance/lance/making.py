"""Ways to bring a table with rows into a Lance catalog."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from conformance.author.catalog import Catalog
from conformance.author.checks import text
from conformance.http.answers import Answer
from conformance.http.client import Expected
from conformance.lance.client import Id, LanceClient
from conformance.lance.locations import relative_location
from conformance.lance.support.arrow import stream
from conformance.target.target import Target
from conformance.values.outcomes import Skipped, Unoffered
from conformance.values.resources import REGISTRATION, TABLE, Names

STORAGE = "storage_options"
EMPTY_TABLE = "table without rows"  # as the name of its ways
CREATED_EMPTY, EMPTIED = "created without rows", "created with rows, which are then deleted"
# Lance's names of the storage settings that Iceberg's clients use; settings under Lance's names stay as they are.
OF_LANCE = {
    "s3.endpoint": "aws_endpoint",
    "s3.access-key-id": "aws_access_key_id",
    "s3.secret-access-key": "aws_secret_access_key",
    "s3.session-token": "aws_session_token",
    "s3.region": "aws_region",
}


class TableMaker(LanceClient, Catalog):
    """A catalog in which tables with rows are created in the first way that the server accepts."""

    def make_table(self, id: Names, data: Any) -> None:
        """Create a table with the rows of an Arrow table, in the way that was chosen for this target."""
        WAYS[self.target.ways.chosen.get(TABLE, FIRST)](self, id, data)

    def with_extra_data(self, data: Any) -> Any:
        """Return rows with the data that the current world adds to them: for files that are written beside HTTP."""
        return data

    def restore_registration(self, id: Id, location: str, *, expect: Expected = 200, **body: Any) -> Answer:
        """Register a table at a location that the target returned.

        Some servers reject the location that they return and accept it relative to their root:
        lance.table.register.reported_location judges that.
        """
        answer = self.register_table(id, location=location, expect=None, **body)
        if answer.status == 400:
            return self.register_table(id, location=relative_location(location), expect=expect, **body)
        self.client.check_status(self.client.steps[-1], expect)
        return answer


def create(catalog: TableMaker, id: Names, data: Any) -> None:
    """Create the table by CreateTable."""
    catalog.create_table(id, stream(data))


def create_by_mode(catalog: TableMaker, id: Names, data: Any) -> None:
    """Create the table by CreateTable with an explicit mode."""
    catalog.create_table(id, stream(data), mode="Create")


def declare_and_insert(catalog: TableMaker, id: Names, data: Any) -> None:
    """Declare the table and insert its rows."""
    catalog.declare_table(id)
    catalog.insert_into_table(id, stream(data))


def declare_and_write(catalog: TableMaker, id: Names, data: Any) -> None:
    """Declare the table and write its files at its location, as clients do."""
    declared = catalog.declare_table(id)
    location = text(declared["location"], "the location of the declared table")
    _write(catalog, location, data, declared.get(STORAGE))


def register(catalog: TableMaker, id: Names, data: Any) -> None:
    """Write the files in a directory of the run and register them; the clean-up deregisters the table."""
    target = catalog.target
    location = target.new_place() or target.canaries.folder().as_uri() + f"/{target.new_name()}"
    _write(catalog, location, data, None)
    catalog.sandbox.note(REGISTRATION, [id])
    catalog.register_table(id, location=location)


WAYS: Mapping[str, Callable[[TableMaker, Names, Any], None]] = {
    "CreateTable": create,
    "CreateTable with the mode spelled out": create_by_mode,
    "DeclareTable, then InsertIntoTable": declare_and_insert,
    "DeclareTable, then files at its location": declare_and_write,
    "RegisterTable of files that the run wrote": register,
}
FIRST = next(iter(WAYS))


def _write(catalog: TableMaker, location: str, data: Any, handed_out: Any) -> None:
    """Write a dataset. Raises Unoffered for a location of others, Skipped where the kit cannot write."""
    import lance  # noqa: PLC0415 - slow to import

    target, given = catalog.target, storage_options(catalog.target)
    options = {**(handed_out if isinstance(handed_out, dict) else {}), **given}
    if target.prefix not in location:
        raise Unoffered(f"a declared table lies at {location}, which does not show that it is the run's own")
    try:
        lance.write_dataset(catalog.with_extra_data(data), location, mode="create", storage_options=options or None)
    except (OSError, ValueError, RuntimeError):
        option = "" if given or "://" not in location else "--storage-option"
        raise Skipped(f"no dataset can be written at {location} from here", option) from None
    catalog.client.note_beside("wrote", location, thing="a Lance dataset")


def storage_options(target: Target) -> dict[str, str]:
    """Return the storage options of the run under Lance's names."""
    options = {OF_LANCE.get(name, name): value for name, value in target.settings.pairs("storage_option")}
    plain = options.get("aws_endpoint", "").startswith("http://")
    return {"allow_http": "true", **options} if plain else options
