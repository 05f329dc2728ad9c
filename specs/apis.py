"""APIs and their facts: an API is a folder with an `api.toml`.

    title, place     its name for people; its place in the order of APIs (the first is the default)
    port, mount      the port of a server of this API alone; its path on a server of several APIs
    extra            the extra of the distribution that runs and servers of the API need
    revisions        from the oldest to the newest: the order is stated, never derived from the names
    default          the revision that the name of the API means, the newest if there is no such field
    [dialects]       profiles beside the revisions, each with the revision that it counts as
    [[document]]     a document of a profile; without any, one document in `<revision>.yaml` at the root
        mount        the path prefix of the document's operations
        file         the document; `{revision}` stands for the revision
        follows      a profile of another API: its document is the basis, `file` contains the differences, and the
                     requirements of that API apply, too
        revisions    the profiles that contain this document, all by default
        rename       new ids for operations whose id another document of the profile also uses
    [error]          the places of number and type in an error body, see specs/errors.py
    [selectors]      fields by which requests of later revisions select a place to read or write
        names        of fields and query parameters; a revision without them rejects them, see the server's selectors.py
        beside       the name of the field that they accompany
    [reading]        the requests that a read-only run may send, beside GET and HEAD
        posts        operations that read, although they POST
        log_in       operations that issue credentials: sent to log the run in, and never as a test
    [instead]        options of a run that replace an operation
        unoffered    by operation that the server lacks: the option that tests its users all the same
        refused      by operation that returns 4xx wherever it prepares something
    [groups]         groups of operations that servers may lack as a whole: by name, patterns as for files of
                     `METHOD path`; beside them `reads` and `writes` follow from [reading]

The part of an API in another package has its name: `reference_server.<api>`, `conformance.<api>`,
`spark_tests.races.<api>`. The folder of an API may be in any directory of `specs.__path__`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import specs
from specs.errors import ErrorBody
from specs.extras import require_extra
from specs.files import read_toml
from specs.problems import Problem, did_you_mean

FILE_NAME = "api.toml"
SHARED_PORT = 8181  # of a server of several APIs
LAST = 1000
FIELDS = {
    *("title", "place", "port", "mount", "extra", "revisions", "default", "dialects", "document", "error"),
    *("selectors", "reading", "instead", "groups"),
}


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """Document of an API's profiles: the fields of a [[document]]."""

    file: str = ""
    mount: str = ""
    follows: str = ""
    revisions: tuple[str, ...] = ()
    rename: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Selectors:
    """Fields and query parameters by which requests of later revisions select a place: the table [selectors]."""

    names: tuple[str, ...] = ()
    beside: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """Operations beside GET and HEAD that a read-only run may send: the table [reading]."""

    posts: tuple[str, ...] = ()
    log_in: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ApiFacts:
    """Facts about an API: the fields of its `api.toml`."""

    name: str
    folder: Path
    title: str
    revisions: tuple[str, ...]
    dialects: Mapping[str, str]
    documents: tuple[DocumentPart, ...]
    error: ErrorBody
    selectors: Selectors = field(default_factory=Selectors)
    reading: Reading = field(default_factory=Reading)
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    instead: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    port: int = SHARED_PORT
    mount: str = ""
    place: int = LAST
    extra: str = ""
    chosen: str = ""

    @property
    def default(self) -> str:
        """The revision that the name of the API means."""
        return self.chosen or self.revisions[-1]

    @property
    def profiles(self) -> tuple[str, ...]:
        """Names of the profiles within the API: dialects, then revisions from the oldest to the newest."""
        return (*self.dialects, *self.revisions)

    def parts(self, revision: str) -> list[DocumentPart]:
        """Return the documents of a profile."""
        return [part for part in self.documents if not part.revisions or revision in part.revisions]

    def reached(self, revision: str, since: str) -> bool:
        """True if a revision (for a dialect, the revision that it counts as) is not older than `since`.

        Raises Problem for an unknown revision.
        """
        unknown = {revision, since} - {*self.profiles}
        if unknown:
            names = ", ".join(self.profiles)
            raise Problem(f"The API {self.name} has no revision {min(unknown)}.", f"Its revisions: {names}.")
        age = self.revisions.index
        return age(self.dialects.get(revision, revision)) >= age(self.dialects.get(since, since))


@cache
def _apis(folders: tuple[str, ...]) -> dict[str, ApiFacts]:
    paths = [path for folder in folders for path in sorted(Path(folder).glob(f"*/{FILE_NAME}"))]
    in_order = sorted(map(_read, paths), key=lambda api: (api.place, api.name))
    return {api.name: api for api in in_order}


def apis() -> dict[str, ApiFacts]:
    """Return the APIs by name, in their order. Raises Problem for a malformed `api.toml`."""
    return _apis(tuple(specs.__path__))


def find_api(name: str) -> ApiFacts:
    """Return an API by name. Raises Problem for an unknown one."""
    if name not in apis():
        raise Problem(f"Unknown API {name!r}.", did_you_mean(name, apis()))
    return apis()[name]


def default_api() -> str:
    """Return the API that is used if none is named."""
    return next(iter(apis()))


def folder_of(name: str) -> Path:
    """Return the folder with the clauses of an API, or of a suite over several APIs such as Spark's."""
    folders = [Path(folder) / name for folder in specs.__path__]
    return next(filter(Path.is_dir, folders), folders[0])


def require_extra_of(api: str) -> None:
    """Check that the extra of an API is installed. Raises Problem that names the missing packages."""
    if extra := find_api(api).extra:
        require_extra(extra)


def part_of(package: str, api: str) -> Any:
    """Import the part of an API in another package: the module with the API's name. Raises Problem if it is missing."""
    name = f"{package}.{api}"
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise Problem(f"The API {api} has no part in {package}.", f"Add the package {name}.") from None


def _read(path: Path) -> ApiFacts:
    raw = read_toml(path)
    unknown = sorted(raw.keys() - FIELDS)
    if unknown or not raw.get("title") or not raw.get("revisions"):
        raise Problem(f"{path} lacks `title` or `revisions`, or has unknown fields: {', '.join(unknown) or 'none'}.")
    dialects = raw.get("dialects", {})
    if raw.get("default", raw["revisions"][-1]) not in raw["revisions"]:
        raise Problem(f"{path}: the default {raw['default']!r} is not a listed revision.")
    wrong = [name for name, revision in dialects.items() if revision not in raw["revisions"]]
    if wrong:
        raise Problem(f"{path}: the dialect {wrong[0]} counts as a revision that is not listed.")
    try:
        documents = tuple(_part(entry) for entry in raw.get("document", [{"file": "{revision}.yaml"}]))
        error = ErrorBody(**raw.get("error", {}))
        selectors = Selectors(**_tuples(raw.get("selectors", {}), "names"))
        reading = Reading(**{name: tuple(names) for name, names in raw.get("reading", {}).items()})
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
        reading,
        raw.get("groups", {}),
        raw.get("instead", {}),
        raw.get("port", SHARED_PORT),
        raw.get("mount", ""),
        raw.get("place", LAST),
        raw.get("extra", ""),
        raw.get("default", ""),
    )


def _part(raw: dict[str, Any]) -> DocumentPart:
    return DocumentPart(**_tuples(raw, "revisions"))


def _tuples(raw: dict[str, Any], name: str) -> dict[str, Any]:
    return {**raw, name: tuple(raw.get(name, ()))}
