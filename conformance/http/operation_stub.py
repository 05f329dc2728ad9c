"""Stubs from which type checkers know the methods of each API: python -m conformance.http.operation_stub writes them.

The build of the package does so too: hatch_build.py.
"""

from __future__ import annotations

import importlib
import keyword
from collections.abc import Iterator
from pathlib import Path

from conformance.http.operation_client import DATA, OperationClient, Signature
from specs.apis import apis
from specs.writing import write_file

HEADER = '''"""Generated from the document by conformance/http/operation_stub.py."""

from typing import Any

from conformance.http.answers import Answer
from conformance.http.client import Expected
from conformance.http.operation_client import Headers, Id, OperationClient, Query

class {name}(OperationClient):
'''
IDS = ("id", "namespace")


def client_of(api: str) -> type[OperationClient]:
    """Return the class with the operations of an API, from conformance.<api>.client."""
    members = vars(importlib.import_module(f"conformance.{api}.client")).values()
    return next(
        member
        for member in members
        if isinstance(member, type) and issubclass(member, OperationClient) and member.signatures
    )


def stub(api: str) -> str:
    """Return the stub of the base class of an API's client, with a method per operation."""
    client = client_of(api)
    lines = (line for signature in client.signatures.values() for line in _lines(signature))
    return HEADER.format(name=client.__bases__[0].__name__) + "".join(lines)


def path_of(api: str) -> Path:
    """Return the path of the stub of an API."""
    return Path(__file__).parent.parent / api / "methods.pyi"


def _lines(signature: Signature) -> Iterator[str]:
    yield f"    def {signature.operation.name}(\n        self,\n"
    yield from (f"        {name}: {'Id' if name in IDS else 'str'},\n" for name in signature.path)
    for name in signature.leading:
        yield f"        {name}: {'bytes' if name == DATA else 'Any'}{'' if name == signature.content else ' = ...'},\n"
    yield "        *,\n"
    yield from (f"        {name}: Any = ...,\n" for name in signature.keywords if not keyword.iskeyword(name))
    yield "        expect: Expected = ...,\n"
    yield "        _query: Query | None = ...,\n"
    yield "        _headers: Headers | None = ...,\n"
    yield "        **fields: Any,\n    ) -> Answer: ...\n"


if __name__ == "__main__":
    for name in apis():
        write_file(path_of(name), stub(name))
