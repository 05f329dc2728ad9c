"""The types of errors, which clients tell one reason from another by."""

from __future__ import annotations

from conformance.author.checks import one_of
from conformance.http.client import Answer
from specs.iceberg.errors import known_types


def type_is(refused: Answer, *names: str) -> None:
    """Check that no client takes an error for one of another reason: its type is one of these, or none that they know.

    That errors have the types that clients know is what `iceberg.errors.type` asks for.
    """
    if refused.type in known_types():
        one_of(refused.type, names, "the type of the error")
