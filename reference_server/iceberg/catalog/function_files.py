"""Functions from a folder: no operation creates functions, so the server reads them when it starts.

`FOLDER/<namespace>/<name>.json` contains the metadata of a function, as the document's schema describes it; nested
folders are nested namespaces. All files are checked before the server starts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path as FilePath
from typing import Any

import orjson

from reference_server.errors import InvalidInput
from reference_server.iceberg.catalog.names import Path, check_name, check_namespace
from reference_server.iceberg.metadata.reading import Json
from specs.openapi import Document
from specs.problems import Problem
from specs.validation import Validators

SAMPLES = FilePath(__file__).parent / "sample_functions"
SUFFIX = ".json"
LOAD = "loadFunction"
TABLE_FUNCTION = "udtf"
HINT = "A function is FOLDER/<namespace>/<name>.json with the metadata that loadFunction is to show."
Rule = Callable[[Json], Iterator[str]]


def read_functions(folder: str, document: Document) -> dict[Path, Json]:
    """Return the functions of a folder as loadFunction returns them, by namespace and name.

    Empty without a folder, and in a revision without functions. Raises Problem for a folder that does not exist, and
    for the first file that contains no function.
    """
    if not folder or LOAD not in document.operations:
        return {}
    root = FilePath(folder).expanduser().resolve()
    if not root.is_dir():
        raise Problem(f"The folder of functions {folder} does not exist.", HINT)
    validators = Validators(document)
    return {_path(root, file): _read(file, validators) for file in sorted(root.rglob(f"*{SUFFIX}"))}


def _path(root: FilePath, file: FilePath) -> Path:
    path = (*file.relative_to(root).parts[:-1], file.name.removesuffix(SUFFIX))
    try:
        check_namespace(path[:-1])
        check_name(path[-1])
    except InvalidInput as error:
        raise Problem(f"{file} cannot be a function: {error.message}", HINT) from None
    return path


def _read(file: FilePath, validators: Validators) -> Json:
    try:
        metadata = orjson.loads(file.read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise Problem(f"{file} cannot be read: {error}.", HINT) from None
    answer = {"metadata-location": f"file://{file}", "metadata": metadata}
    for mismatch in validators.response_mismatches(LOAD, 200, answer):
        raise Problem(f"{file} is invalid at {mismatch.pointer}: {mismatch.message}.", HINT)
    for rule in RULES:
        for message in rule(metadata):
            raise Problem(f"{file} is invalid: {message}.", HINT)
    return answer


def _ids(metadata: Json) -> Iterator[str]:
    """Yield violations: the id of an overload is built from its parameters' types, and is unique.

    No document says how an id contains nested types: only its spaces are checked.
    """
    for definition in metadata["definitions"]:
        types = [parameter["type"] for parameter in definition["parameters"]]
        plain = all(isinstance(type, str) for type in types)
        if " " in definition["definition-id"] or (plain and definition["definition-id"] != ",".join(types)):
            yield f"the id {definition['definition-id']!r} is not the types of the parameters, joined by commas"
    yield from _twice("overload", [definition["definition-id"] for definition in metadata["definitions"]])


def _specific_names(metadata: Json) -> Iterator[str]:
    names = [definition["specific-name"] for definition in metadata["definitions"] if "specific-name" in definition]
    yield from _twice("specific name", names)


def _versions(metadata: Json) -> Iterator[str]:
    """Yield violations: the current version exists, and the log names existing versions."""
    known = {
        definition["definition-id"]: {v["version-id"] for v in definition["versions"]}
        for definition in metadata["definitions"]
    }
    for definition in metadata["definitions"]:
        yield from _twice("version", [version["version-id"] for version in definition["versions"]])
        if definition["current-version-id"] not in known[definition["definition-id"]]:
            yield f"the overload {definition['definition-id']!r} has no version {definition['current-version-id']}"
    for entry in metadata["definition-log"]:
        for ref in entry["definition-versions"]:
            if ref["version-id"] not in known.get(ref["definition-id"], ()):
                yield f"the log names version {ref['version-id']} of {ref['definition-id']!r}, which is not there"


def _table_functions(metadata: Json) -> Iterator[str]:
    for definition in metadata["definitions"]:
        returned = definition["return-type"]
        if definition["function-type"] == TABLE_FUNCTION and (
            isinstance(returned, str) or returned["type"] != "struct"
        ):
            yield f"the table function {definition['definition-id']!r} does not return a struct"


def _type_texts(metadata: Json) -> Iterator[str]:
    for definition in metadata["definitions"]:
        for type in (definition["return-type"], *(parameter["type"] for parameter in definition["parameters"])):
            yield from (f"the type {text!r} has a space or a quote" for text in _texts(type) if set(text) & set(" \"'"))


def _texts(type: Any) -> Iterator[str]:
    """Yield the names of all types in a type."""
    if isinstance(type, str):
        yield type
        return
    for key in ("element", "key", "value"):
        if key in type:
            yield from _texts(type[key])
    for field in type.get("fields", ()):
        yield from _texts(field["type"])


def _twice(noun: str, values: list[Any]) -> Iterator[str]:
    yield from (f"the {noun} {value!r} occurs twice" for value, count in Counter(values).items() if count > 1)


RULES: tuple[Rule, ...] = (_ids, _specific_names, _versions, _table_functions, _type_texts)
