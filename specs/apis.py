"""The APIs: each is a folder that says in its `api.toml` what everything else has to know about it.

    title, place     its name for people; its place among all APIs (the first is meant where none is named)
    port, mount      where a server listens that serves it alone; the path of it on a server of several
    revisions        from the oldest to the newest: the order is stated, never read off the names
    [dialects]       profiles beside that line, each with the revision that it counts as
    [[document]]     what a profile consists of; without any, one document in `<revision>.yaml` at the root
        mount        the path below which the document's own paths are
        file         the document; `{revision}` stands for the revision
        follows      a profile of another API whose document this is, as far as `file` says nothing else;
                     the requirements of that API apply too
        revisions    the profiles that have this document, all if none is named
        rename       other ids for operations whose id another document of the profile has too
    [error]          where an error body has what clients tell errors apart by, see specs/errors.py
    [selectors]      what later revisions let a request say about where it reads and writes
        names        of fields and query parameters; a revision without them refuses them, see the server's selectors.py
        beside       the name of the field beside which they stand

The part of an API in each package is a subpackage of its name: `reference_server.<api>`, `conformance.<api>`,
`spark_tests.races.<api>`. Its folder may be in any directory of `specs.__path__`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import specs
from specs.errors import ErrorBody
from specs.files import read_toml
from specs.problems import Problem, did_you_mean

FILE_NAME = "api.toml"
SHARED_PORT = 8181  # of a server of several APIs
LAST = 1000
FIELDS = {"title", "place", "port", "mount", "revisions", "dialects", "document", "error", "selectors"}


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """One document of an API's profiles; see the module."""

    file: str = ""
    mount: str = ""
    follows: str = ""
    revisions: tuple[str, ...] = ()
    rename: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Selectors:
    """Fields and query parameters by which requests of later revisions select a place; see the module."""

    names: tuple[str, ...] = ()
    beside: str = ""


@dataclass(frozen=True, slots=True)
class ApiFacts:
    """What `api.toml` says of an API; see the module."""

    name: str
    folder: Path
    title: str
    revisions: tuple[str, ...]
    dialects: Mapping[str, str]
    documents: tuple[DocumentPart, ...]
    error: ErrorBody
    selectors: Selectors = field(default_factory=Selectors)
    port: int = SHARED_PORT
    mount: str = ""
    place: int = LAST

    @property
    def profiles(self) -> tuple[str, ...]:
        """Every profile's name within the API: dialects, then the revisions from the oldest on."""
        return (*self.dialects, *self.revisions)

    def parts(self, revision: str) -> list[DocumentPart]:
        """Return the documents of a profile."""
        return [part for part in self.documents if not part.revisions or revision in part.revisions]

    def reached(self, revision: str, since: str) -> bool:
        """True when a revision, or what a dialect counts as, is not older than another one.

        Raises Problem for one that the API does not have.
        """
        unknown = {revision, since} - {*self.profiles}
        if unknown:
            names = ", ".join(self.profiles)
            raise Problem(f"The API {self.name} has no revision {min(unknown)}.", f"It has {names}.")
        age = self.revisions.index
        return age(self.dialects.get(revision, revision)) >= age(self.dialects.get(since, since))


@cache
def _apis(folders: tuple[str, ...]) -> dict[str, ApiFacts]:
    paths = [path for folder in folders for path in sorted(Path(folder).glob(f"*/{FILE_NAME}"))]
    in_order = sorted(map(_read, paths), key=lambda api: (api.place, api.name))
    return {api.name: api for api in in_order}


def apis() -> dict[str, ApiFacts]:
    """Return every API by name, in their order. Raises Problem for a malformed `api.toml`."""
    return _apis(tuple(specs.__path__))


def find_api(name: str) -> ApiFacts:
    """Return an API by name. Raises Problem for an unknown one."""
    if name not in apis():
        raise Problem(f"There is no API {name!r}.", did_you_mean(name, apis()))
    return apis()[name]


def default_api() -> str:
    """Return the API that is meant where none is named."""
    return next(iter(apis()))


def folder_of(name: str) -> Path:
    """Return the folder of an API, or of a view on several such as Spark's, where its clauses are."""
    folders = [Path(folder) / name for folder in specs.__path__]
    return next(filter(Path.is_dir, folders), folders[0])


def part_of(package: str, api: str) -> Any:
    """Return the part of an API in another package: the module of its name in a package. Raises Problem without one."""
    name = f"{package}.{api}"
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise Problem(f"The API {api} has no part in {package}.", f"It would be the package {name}.") from None


def _read(path: Path) -> ApiFacts:
    raw = read_toml(path)
    unknown = sorted(raw.keys() - FIELDS)
    if unknown or not raw.get("title") or not raw.get("revisions"):
        raise Problem(f"{path} lacks `title` or `revisions`, or has unknown fields: {', '.join(unknown) or 'none'}.")
    dialects = raw.get("dialects", {})
    wrong = [name for name, revision in dialects.items() if revision not in raw["revisions"]]
    if wrong:
        raise Problem(f"{path}: the dialect {wrong[0]} counts as a revision that is not listed.")
    try:
        documents = tuple(_part(entry) for entry in raw.get("document", [{"file": "{revision}.yaml"}]))
        error = ErrorBody(**raw.get("error", {}))
        selectors = Selectors(**_tuples(raw.get("selectors", {}), "names"))
    except TypeError as error_:
        raise Problem(f"{path} has an entry with unknown fields: {error_}.") from None
    return ApiFacts(
        path.parent.name,
        path.parent,
        raw["title"],
        tuple(raw["revisions"]),
        dialects,
        documents,
        error,
        selectors,
        raw.get("port", SHARED_PORT),
        raw.get("mount", ""),
        raw.get("place", LAST),
    )


def _part(raw: dict[str, Any]) -> DocumentPart:
    return DocumentPart(**_tuples(raw, "revisions"))


def _tuples(raw: dict[str, Any], name: str) -> dict[str, Any]:
    return {**raw, name: tuple(raw.get(name, ()))}
