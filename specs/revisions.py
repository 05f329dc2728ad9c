"""Revisions of a document: one is complete, the others are files of differences.

A file with the field `x-lakeproof-basis` is a JSON merge patch (RFC 7396) for the revision that the
field names, in a file beside it: null removes a key, objects are merged, and everything else is
replaced, lists as a whole. The basis may itself be a patch.

With the field `x-lakeproof-pruned`, a file that removes operations also removes the components that only
these operations refer to.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from specs.files import read_text, read_yaml
from specs.problems import Problem
from specs.references import COMPONENTS, references

BASIS = "x-lakeproof-basis"
PRUNED = "x-lakeproof-pruned"
REFERRED = ("parameters", "responses", "schemas")  # the sections that references point to


def read_revision(path: Path) -> Any:
    """Read a document, with its basis if it has one.

    Raises Problem for an unreadable file and for revisions that are each other's basis.
    """
    return _read(path, ())


def _read(path: Path, above: tuple[Path, ...]) -> Any:
    if path in above:
        raise Problem(f"{path} is a basis of itself.", f"Correct `{BASIS}` in one of the revisions.")
    raw = string_keys(read_yaml(path))
    if not isinstance(raw, dict) or BASIS not in raw:
        return raw
    return _patched(_read(path.with_name(f"{raw.pop(BASIS)}.yaml"), (*above, path)), raw)


def lineage(path: Path) -> list[Path]:
    """Return the files of a document: the file itself, its basis, the basis of its basis, and so on."""
    files = [path]
    while BASIS in read_text(files[-1]):  # most files have no basis, and parsing is slow
        raw = read_yaml(files[-1])
        if not isinstance(raw, dict) or BASIS not in raw or (basis := path.with_name(f"{raw[BASIS]}.yaml")) in files:
            break
        files.append(basis)
    return files


def patch_document(basis: dict[str, Any], path: Path) -> dict[str, Any]:
    """Apply the merge patch in a file to a document. Raises Problem for a file that is not a merge patch."""
    raw = string_keys(read_yaml(path))
    if not isinstance(raw, dict):
        raise Problem(
            f"{path} is not a merge patch: it is not an object.", "Write the differences from the basis, by section."
        )
    patched: dict[str, Any] = _patched(basis, raw)
    return patched


def _patched(basis: Any, patch: dict[str, Any]) -> Any:
    merged = merge_patch(basis, {key: value for key, value in patch.items() if key != PRUNED})
    return prune(merged) if patch.get(PRUNED) else merged


def merge_patch(target: Any, patch: Any) -> Any:
    """Return `target` with a JSON merge patch (RFC 7396) applied; `target` itself is not changed."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged


def prune(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document without the parameters, responses and schemas that no operation refers to."""
    components, reached = document["components"], set[str]()
    waiting = list(references(document["paths"]))
    while waiting:
        reference = waiting.pop()
        if reference not in reached:
            reached.add(reference)
            section, _, name = reference.removeprefix(COMPONENTS).partition("/")
            waiting += references(components.get(section, {}).get(name))
    remaining = {
        section: {
            name: component
            for name, component in components.get(section, {}).items()
            if _place(section, name) in reached
        }
        for section in REFERRED
    }
    return {**document, "components": {**components, **remaining}}


def _place(section: str, name: str) -> str:
    return f"{COMPONENTS}{section}/{name}"


def string_keys(node: Any) -> Any:
    """Convert keys to strings: YAML parses the statuses of responses as integers."""
    if isinstance(node, dict):
        return {str(key): string_keys(value) for key, value in node.items()}
    if isinstance(node, list):
        return [string_keys(value) for value in node]
    return node
