"""Pruning: manifests and files that may contain rows matching a filter, and the residual filter of a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reference_server.iceberg.scans.evaluators import (
    ONLY_NULL,
    BoundsEvaluator,
    MetricsEvaluator,
    ValueInterval,
    ValueKinds,
    ValueSet,
)
from reference_server.iceberg.scans.expressions import Constant, Expression, FilterTerm, Test, holds, simplified
from reference_server.iceberg.scans.manifests import ListedFile, ManifestFile, summary_of
from reference_server.iceberg.scans.partitions import Spec, evaluator_of_summary, evaluator_of_value, mapped
from reference_server.iceberg.scans.values import decoded, is_float

VALUE_COUNTS, NULL_COUNTS, NAN_COUNTS, LOWER_BOUNDS, UPPER_BOUNDS = 109, 110, 137, 125, 128
NOT_A_NUMBER_ONLY = ValueKinds(null=False, other=False)


def manifest_can_match(filter_: Expression, manifest: ManifestFile, spec: Spec) -> bool:
    """Return whether a file of a manifest may contain matching rows, according to the manifest list."""

    def decide(test: Test) -> bool:
        return _rows_might_match(test, _evaluators_of_manifest(test.term, manifest, spec))

    return holds(filter_, decide)


def file_can_match(filter_: Expression, file: ListedFile, spec: Spec) -> bool:
    """Return whether a data file may contain matching rows, according to its partition and its columns' bounds."""
    if isinstance(filter_, Constant):
        return filter_.holds
    return file.records != 0 and holds(
        filter_,
        lambda test: _rows_might_match(
            test, [*evaluators_of_partition(test.term, file, spec), evaluator_of_column(test.term, file)]
        ),
    )


def residual(filter_: Expression, file: ListedFile, spec: Spec) -> Expression:
    """Return a filter without the tests that the partition of a file decides."""

    def decide(test: Test) -> bool | None:
        evaluators = list(evaluators_of_partition(test.term, file, spec))
        if not _rows_might_match(test, evaluators):
            return False
        strict = any(evaluator.rows_must_match(test.operator, test.values) for evaluator in evaluators)
        return True if strict else None

    return simplified(filter_, decide)


def evaluators_of_partition(term: FilterTerm, file: ListedFile, spec: Spec) -> Iterator[MetricsEvaluator]:
    """Yield an evaluator for each partition value of a file that is related to a term."""
    for field, value in zip(spec.fields, file.partition, strict=True):
        evaluator = evaluator_of_value(field, term, value)
        if evaluator is not None:
            yield evaluator


def evaluator_of_column(term: FilterTerm, file: ListedFile) -> MetricsEvaluator:
    """Return the evaluator of a file's counts and bounds for a term."""
    column = term.column.id
    values, nulls, nans = (file.map(counts).get(column) for counts in (VALUE_COUNTS, NULL_COUNTS, NAN_COUNTS))
    if values is not None and nulls == values:
        return BoundsEvaluator(ONLY_NULL)
    if values is not None and nans == values:
        return BoundsEvaluator(NOT_A_NUMBER_ONLY)
    kinds = ValueKinds(null=nulls != 0, nan=is_float(term.column.type) and nans != 0)
    return BoundsEvaluator(kinds, _bounds(term, file))


def _bounds(term: FilterTerm, file: ListedFile) -> ValueSet | None:
    ends = (file.map(bounds).get(term.column.id) for bounds in (LOWER_BOUNDS, UPPER_BOUNDS))
    lower, upper = (decoded(term.column.type, end) for end in ends)
    if term.transform is None:
        return ValueInterval(lower, upper)
    return None if lower is None or upper is None else mapped(term.transform, lower, upper)


def _evaluators_of_manifest(term: FilterTerm, manifest: ManifestFile, spec: Spec) -> Iterator[MetricsEvaluator]:
    for position, field in enumerate(spec.fields):
        summary = summary_of(manifest, position, field)
        evaluator = None if summary is None else evaluator_of_summary(field, term, summary)
        if evaluator is not None:
            yield evaluator


def _rows_might_match(test: Test, evaluators: Iterable[MetricsEvaluator]) -> bool:
    return all(evaluator.rows_might_match(test.operator, test.values) for evaluator in evaluators)
