"""Partition specs bound to columns, and evaluators of partition values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reference_server.iceberg.metadata.columns import Column, Columns
from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.scans.evaluators import (
    NO_GAPS,
    ONLY_NULL,
    BoundsEvaluator,
    InBuckets,
    MetricsEvaluator,
    NanEvaluator,
    SingleValue,
    ValueInterval,
    ValueKinds,
    ValueSet,
    WithPrefix,
)
from reference_server.iceberg.scans.expressions import FilterTerm
from reference_server.iceberg.scans.transforms import BUCKET, IDENTITY, VOID, Transform, read_transform
from reference_server.iceberg.scans.values import is_float, is_nan


@dataclass(frozen=True, slots=True)
class BoundField:
    """A partition field; `transform` is None where it, or the type of its source, is unknown."""

    id: int
    source: int
    transform: Transform | None

    @property
    def type(self) -> str:
        """The type of its values, `unknown` if it is not known."""
        return self.transform.result if self.transform else "unknown"


@dataclass(frozen=True, slots=True)
class Spec:
    """A partition spec."""

    id: int
    fields: tuple[BoundField, ...]

    @property
    def is_partitioned(self) -> bool:
        """Whether its files can be in different partitions."""
        return any(field.transform is None or field.transform.name != VOID for field in self.fields)


@dataclass(frozen=True, slots=True)
class Summary:
    """Summary of a partition field's values in a manifest, from the manifest list."""

    null: bool
    nan: bool | None
    lower: Any
    upper: Any


def current_schema(metadata: Json) -> Json:
    """Return the schema of new rows."""
    current = metadata["current-schema-id"]
    schema: Json = next(schema for schema in metadata["schemas"] if schema["schema-id"] == current)
    return schema


def all_columns(metadata: Json, schema: Json | None = None) -> dict[int, Column]:
    """Return all present and former columns of a table by id: in the form of a schema, by default the current one."""
    schemas = [*metadata["schemas"], current_schema(metadata), schema or current_schema(metadata)]
    return {column_id: column for schema in schemas for column_id, column in Columns(schema).by_id.items()}


def bound_specs(metadata: Json, schema: Json | None = None) -> dict[int, Spec]:
    """Return the partition specs of a table by id; the types of their fields are from `all_columns`."""
    columns = all_columns(metadata, schema)
    return {spec["spec-id"]: _bind_spec(spec, columns) for spec in metadata["partition-specs"]}


def _bind_spec(spec: Json, columns: dict[int, Column]) -> Spec:
    return Spec(spec["spec-id"], tuple(_bind(field, columns.get(field["source-id"])) for field in spec["fields"]))


def _bind(field: Json, column: Column | None) -> BoundField:
    source = column.type if column is not None and isinstance(column.type, str) else None
    transform = read_transform(field["transform"], source) if source else None
    return BoundField(field["field-id"], field["source-id"], transform)


def evaluator_of_value(field: BoundField, term: FilterTerm, value: Any) -> MetricsEvaluator | None:
    """Return the evaluator of a file's partition value, None for one unrelated to the term."""
    if not _related(field, term):
        return None
    if value is None:
        return BoundsEvaluator(ONLY_NULL)
    if is_nan(value):
        return NanEvaluator()
    return BoundsEvaluator(NO_GAPS, _value_set(field, term, value, value))


def evaluator_of_summary(field: BoundField, term: FilterTerm, summary: Summary) -> MetricsEvaluator | None:
    """Return the evaluator of a manifest's summary, None for one unrelated to the term."""
    if not _related(field, term):
        return None
    nan = is_float(field.type) and summary.nan is not False
    only_gaps = summary.null and summary.lower is None and not nan
    kinds = ValueKinds(null=summary.null, nan=nan, other=not only_gaps)
    if summary.lower is None or summary.upper is None:
        return BoundsEvaluator(kinds)
    return BoundsEvaluator(kinds, _value_set(field, term, summary.lower, summary.upper))


def _related(field: BoundField, term: FilterTerm) -> bool:
    transform = field.transform
    return field.source == term.column.id and transform is not None and transform.name != VOID


def _value_set(field: BoundField, term: FilterTerm, lower: Any, upper: Any) -> ValueSet | None:
    """Return the set of a term's values, given the interval of a partition field's values."""
    applied, requested = field.transform, term.transform
    assert applied is not None, "related fields have a transform"
    if requested is not None and requested.text == applied.text:
        return _exact(lower, upper)
    if applied.name == IDENTITY:
        return mapped(requested, lower, upper)
    if applied.name == BUCKET:
        return InBuckets(applied, ValueInterval(lower, upper)) if requested is None else None
    if isinstance(lower, str | bytes):
        return _beginning(applied, lower, upper) if requested is None else None
    return (
        None if applied.has_wrapped(upper) else mapped(requested, applied.sources(lower)[0], applied.sources(upper)[1])
    )


def mapped(transform: Transform | None, lower: Any, upper: Any) -> ValueSet | None:
    """Return the image of an interval under a transform, None if it is unbounded."""
    if transform is None:
        return _exact(lower, upper)
    if transform.keeps_order:
        return _exact(transform.apply(lower), transform.apply(upper))
    return SingleValue(transform.apply(lower)) if transform.name == BUCKET and lower == upper else None


def _exact(lower: Any, upper: Any) -> ValueSet:
    return SingleValue(lower) if lower == upper else ValueInterval(lower, upper)


def _beginning(transform: Transform, lower: Any, upper: Any) -> ValueSet:
    if lower == upper and len(lower) < transform.width:
        return SingleValue(lower)
    return WithPrefix(transform, ValueInterval(lower, upper))
