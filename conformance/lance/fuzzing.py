"""Fuzzing of the Lance Namespace: objects for drawn bodies, and fields that are never drawn."""

from __future__ import annotations

from dataclasses import replace

from conformance.fuzz.fuzzing import Fuzzing, Subject
from conformance.lance.catalog import LanceCatalog
from conformance.lance.inventory import RENAMED
from conformance.lance.support.ordinary import ordinary
from specs.openapi import Operation


def prepare(catalog: LanceCatalog, operation: Operation) -> Subject:
    """Create the object of an operation's plain request."""
    request = ordinary(catalog, operation.id)
    return Subject(request.body, lambda body: replace(request, body=body).send(catalog, operation.id))


FUZZING = Fuzzing(
    LanceCatalog,
    prepare,
    names=("id", "location", "manifest_path", "identity", "context", "storage_options", "virtual_column", *RENAMED),
    left_out={"RegisterTable": "its body says where files lie, and nothing else"},
)
