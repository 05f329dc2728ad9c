"""Writes the stub from which type checkers know the methods of an API: python -m conformance.operation_stub."""

from __future__ import annotations

import keyword
from collections.abc import Iterator
from pathlib import Path

from conformance.apis import suite_part
from conformance.operation_client import DATA, Signature
from specs.apis import apis

HEADER = '''"""Generated from the document by conformance/operation_stub.py."""

from collections.abc import Sequence
from typing import Any

from conformance.client import Answer, Expected
from conformance.operation_client import Headers, OperationClient, Query

Id = {id}

class {name}(OperationClient):
'''
IDS = ("id", "namespace")


def stub(api: str) -> str:
    """Return the stub of the methods of an API."""
    client = suite_part(api).client
    header = HEADER.format(id=client.id_type, name=f"{api.capitalize()}Methods")
    return header + "".join(line for one in client.signatures.values() for line in _lines(one))


def path_of(api: str) -> Path:
    """Return where the stub of an API lies."""
    return Path(__file__).parent / api / "methods.pyi"


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
        path_of(name).write_text(stub(name))
