"""Faults derived from the document, for every operation of any API: `FAMILY:OPERATION:SUBJECT`.

    lost-answer-field:describeTable:location

None of them is written by hand, and each is made only on request: `find_fault` makes one from its name, and
`derived_faults` lists them for a document. Faults that cannot be derived from a document are written by hand: see
`faults.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from reference_server import derived_effects as effects
from reference_server.answer_fields import ANY, SCALARS, WHOLE, AnswerField, answer_fields, body_fields
from reference_server.derived_effects import KEY, READING, REPEATABLE
from reference_server.faults import FAMILIES, Around, Fault
from specs.openapi import JSON_TYPE, Document, Operation

Subjects = Callable[[Document, Operation], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Family:
    """Faults of one kind: their subjects and their effects.

    `breaks` is a sentence about an operation, with `{}` for the subject; `kind` names the kind of subject, "" for a
    family with one fault per operation.
    """

    name: str
    kind: str
    breaks: str
    subjects: Subjects
    around: Callable[[str], Around]

    def fault(self, operation: str, subject: str) -> Fault:
        """Return the fault of an operation and a subject, "" for a family without subjects."""
        name = ":".join(filter(None, (self.name, operation, subject)))
        sentence = f"{operation} {self.breaks.format(subject)}"
        return Fault(name, sentence, frozenset({operation}), self.around(subject))


def derived_faults(document: Document) -> Iterator[Fault]:
    """Yield every fault derived from a document."""
    for family in FAMILIES_OF_DOCUMENTS:
        for operation in document.operations.values():
            for subject in family.subjects(document, operation):
                yield family.fault(operation.id, subject)


# Subjects: the parts of an operation that a fault can break.


def _optional_arguments(document: Document, operation: Operation) -> list[str]:
    parameters = [parameter.name for parameter in operation.parameters if not parameter.required]
    fields = [field.path for field in body_fields(document, operation) if not field.required]
    return list(dict.fromkeys([*parameters, *fields]))


def _fields(is_subject: Callable[[AnswerField], bool]) -> Subjects:
    return lambda document, operation: [field.path for field in answer_fields(document, operation) if is_subject(field)]


def _refusals(_document: Document, operation: Operation) -> list[str]:
    return effects.refusals(operation)


def _operations(is_subject: Callable[[Operation], bool]) -> Subjects:
    return lambda _document, operation: [""] if is_subject(operation) else []


def _can_be_lost(field: AnswerField) -> bool:
    return field.path[-1] not in (ANY, WHOLE)


def _can_be_changed(field: AnswerField) -> bool:
    return field.type in SCALARS and not field.fixed


def _is_list(field: AnswerField) -> bool:
    return field.type == "array"


def _may_write(operation: Operation) -> bool:
    return operation.method not in READING


def _has_answer(operation: Operation) -> bool:
    return any(JSON_TYPE in operation.responses[str(status)].content for status in operation.successes)


def _is_repeatable(operation: Operation) -> bool:
    return operation.method in REPEATABLE or any(parameter.name == KEY for parameter in operation.parameters)


_ROWS: tuple[tuple[str, str, str, Subjects, Callable[[str], Around]], ...] = (
    ("ignored-argument", "ARGUMENT", "does not heed {}.", _optional_arguments, effects.argument_ignored),
    ("lost-answer-field", "FIELD", "answers without {}.", _fields(_can_be_lost), effects.field_lost),
    ("changed-answer-field", "FIELD", "answers another {}.", _fields(_can_be_changed), effects.field_changed),
    ("short-list", "FIELD", "answers {} without the last item.", _fields(_is_list), effects.list_shortened),
    ("other-status", "STATUS", "refuses with another status than {}.", _refusals, effects.other_status),
    ("other-error", "STATUS", "refuses with {} and another code and type.", _refusals, effects.other_error),
    ("said-only", "", "is answered with success, but not done.", _operations(_may_write), effects.said_only),
    ("first-answer", "", "never answers a request anew.", _operations(_has_answer), effects.first_answer),
    ("repeat-refused", "", "refuses what it has done before.", _operations(_is_repeatable), effects.repeat_refused),
)
FAMILIES_OF_DOCUMENTS = tuple(Family(*row) for row in _ROWS)
FAMILIES.update({family.name: family for family in FAMILIES_OF_DOCUMENTS})
