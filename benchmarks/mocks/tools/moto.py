"""moto, in the process of the test: its catalog is the one of AWS Glue, not this API."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
import requests
from moto import mock_aws

RESET = "http://motoapi.amazonaws.com/moto-api/reset"
OTHER = "it answers for AWS: it has Glue's catalog, and not this API"
ROWS = (
    "retry delay applied lost conflict sent unauthorized expired pages partial read_only cut status stale tls command"
)
CANNOT = {
    **dict.fromkeys((*ROWS.split(), "language"), OTHER),
    "isolated": "nothing: its state is of one process",
}


@contextmanager
def start() -> Iterator[Any]:
    """The mock."""
    with mock_aws():
        yield SimpleNamespace(url="", glue=boto3.client("glue", region_name="us-east-1"))


@contextmanager
def fresh(mock: Any) -> Iterator[Any]:
    """The mock of a row."""
    requests.post(RESET, timeout=9)
    yield mock


def seed(mock: Any) -> None:
    mock.glue.create_database(DatabaseInput={"Name": "a"})
    mock.glue.create_table(DatabaseName="a", TableInput={"Name": "t"})
    mock.glue.get_table(DatabaseName="a", Name="t")


def reset(mock: Any) -> None:
    requests.post(RESET, timeout=9)
    with pytest.raises(mock.glue.exceptions.EntityNotFoundException):
        mock.glue.get_table(DatabaseName="a", Name="t")
