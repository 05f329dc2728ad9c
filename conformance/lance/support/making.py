"""In how many ways a table with rows comes into a Lance catalog."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from conformance.author.checks import text
from conformance.lance.support.arrow import stream
from conformance.values.outcomes import Unoffered
from conformance.values.resources import REGISTRATION

if TYPE_CHECKING:
    from conformance.lance.catalog import LanceCatalog, Names

STORAGE = "storage_options"
# What Lance calls the settings that Iceberg's clients know; those of Lance's own names are given to it as they are.
OF_LANCE = {
    "s3.endpoint": "aws_endpoint",
    "s3.access-key-id": "aws_access_key_id",
    "s3.secret-access-key": "aws_secret_access_key",
    "s3.session-token": "aws_session_token",
    "s3.region": "aws_region",
}


def create(catalog: LanceCatalog, id: Names, data: Any) -> None:
    """Create it."""
    catalog.create_table(id, stream(data))


def create_by_mode(catalog: LanceCatalog, id: Names, data: Any) -> None:
    """Create it, with the mode spelled out."""
    catalog.create_table(id, stream(data), mode="Create")


def declare_and_insert(catalog: LanceCatalog, id: Names, data: Any) -> None:
    """Declare it, and insert its rows."""
    catalog.declare_table(id)
    catalog.insert_into_table(id, stream(data))


def declare_and_write(catalog: LanceCatalog, id: Names, data: Any) -> None:
    """Declare it, and write its files where it lies, as clients do."""
    declared = catalog.declare_table(id)
    _write(catalog, text(declared["location"], "the location of the declared table"), data, declared.get(STORAGE))


def register(catalog: LanceCatalog, id: Names, data: Any) -> None:
    """Write its files in a place of the run's own, and register them: it is taken out again, and never purged."""
    location = catalog.target.new_place() or catalog.target.canaries.folder().as_uri() + f"/{catalog.target.new_name()}"
    _write(catalog, location, data, None)
    catalog.sandbox.note(REGISTRATION, [id])
    catalog.register_table(id, location=location)


Make = Callable[["LanceCatalog", "Names", Any], None]
WAYS: Mapping[str, Make] = {
    "CreateTable": create,
    "CreateTable with the mode spelled out": create_by_mode,
    "DeclareTable, then InsertIntoTable": declare_and_insert,
    "DeclareTable, then files at its location": declare_and_write,
    "RegisterTable of files that the run wrote": register,
}


def _write(catalog: LanceCatalog, location: str, data: Any, handed_out: Any) -> None:
    """Write a dataset. Raises Unoffered where that cannot be done from here."""
    import lance  # noqa: PLC0415 - slow to import

    options = {**(handed_out if isinstance(handed_out, dict) else {}), **storage_options(catalog)}
    if catalog.target.prefix not in location:
        raise Unoffered(f"a declared table lies at {location}, which does not show that it is the run's own")
    try:
        lance.write_dataset(data, location, mode="create", storage_options=options or None)
    except (OSError, ValueError, RuntimeError):
        keys = "" if storage_options(catalog) or "://" not in location else ": --storage-option gives the keys to it"
        raise Unoffered(f"no dataset can be written at {location} from here{keys}") from None


def storage_options(catalog: LanceCatalog) -> dict[str, str]:
    """Return by what settings of the run Lance reaches files, in its own names."""
    options = {OF_LANCE.get(name, name): value for name, value in catalog.target.settings.pairs("storage_option")}
    plain = options.get("aws_endpoint", "").startswith("http://")
    return {"allow_http": "true", **options} if plain else options
