"""The image in place of Iceberg's REST fixture: its variables, its Dockerfile and its compose file."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from lakeproof.commands.serve import serve_command
from lakeproof.fixture import PORT, is_ready, start_of

FOLDER = Path(__file__).parents[2] / "docker" / "iceberg-rest-fixture"
OF_PYICEBERG = {
    "AWS_REGION": "us-east-1",
    "CATALOG_WAREHOUSE": "s3://warehouse/",
    "CATALOG_IO__IMPL": "org.apache.iceberg.aws.s3.S3FileIO",
    "CATALOG_S3_ENDPOINT": "http://minio:9000",
    "CATALOG_JDBC_STRICT__MODE": "true",
}


def test_the_variables_of_the_fixture():
    start = start_of(OF_PYICEBERG)
    warehouse = start.options[start.options.index("--warehouse") + 1]
    name, _, uri = warehouse.partition("=")
    split = urlsplit(uri)
    assert (name, f"{split.scheme}://{split.netloc}{split.path}") == ("default", "s3://warehouse")
    assert parse_qs(split.query) == {
        "endpoint_override": ["http://minio:9000"],
        "region": ["us-east-1"],
        "credentials": ["none"],
        "config": ["none"],
        "bucket": ["later"],
    }
    assert start.ignored == [
        "CATALOG_IO__IMPL has no effect: the server reads and writes files itself.",
        "CATALOG_JDBC_STRICT__MODE has no effect: there is nothing to set for jdbc.strict-mode.",
    ]
    assert start.options[:6] == ["--api", "iceberg", "--host", "0.0.0.0", "--port", PORT]


def test_keys_are_no_options():
    given = {"CATALOG_S3_ACCESS__KEY__ID": "id", "CATALOG_S3_SECRET__ACCESS__KEY": "hidden", **OF_PYICEBERG}
    start = start_of({**given, "CATALOG_INCLUDE__CREDENTIALS": "true"})
    assert start.keys == {"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "hidden"}
    assert [option for option in start.options if "hidden" in option] == []
    assert any("credentials=own" in option for option in start.options)


@pytest.mark.parametrize("warehouse", ["/data/house", "file:///data/house"])
def test_a_local_warehouse(warehouse):
    assert start_of({"CATALOG_WAREHOUSE": warehouse}).options[-1] == f"default={warehouse}"


def test_without_variables_the_server_has_a_folder_of_its_own():
    assert "--warehouse" not in start_of({}).options


def test_the_options_are_those_of_serve():
    serve_command.make_context("serve", start_of(OF_PYICEBERG).options)


def test_the_entry_point_serves_and_is_healthy(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    given = {"CATALOG_WAREHOUSE": str(tmp_path), "CATALOG_URI": "jdbc:sqlite::memory:", "REST_PORT": str(port)}
    entry = json.loads(instructions()["ENTRYPOINT"])
    assert not is_ready(port)
    process = subprocess.Popen(
        [sys.executable, *entry[1:]],
        env={**os.environ, **given},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline() == f"ready: iceberg http://0.0.0.0:{port}\n"
        assert is_ready(port)
        check = json.loads(instructions()["HEALTHCHECK"].partition(" CMD ")[2])
        subprocess.run([sys.executable, *check[1:]], env={**os.environ, **given}, check=True)
    finally:
        process.terminate()
    _, said = process.communicate(timeout=20)
    assert "CATALOG_URI has no effect: the state is in memory; --storage dir:PATH keeps it." in said


def instructions():
    """The last instruction of each kind in the Dockerfile."""
    lines = (FOLDER / "Dockerfile").read_text().splitlines()
    return dict(line.split(" ", 1) for line in lines if line and not line.startswith("#"))


def test_the_dockerfile_is_that_of_the_kit_with_another_entry_point():
    own = (FOLDER / "Dockerfile").read_text().splitlines()
    kit = (FOLDER.parents[1] / "Dockerfile").read_text().splitlines()
    same = [line for line in kit if not line.startswith(("#", "ARG", "ENTRYPOINT"))]
    assert [line for line in own if line in same] == same
    assert instructions()["EXPOSE"] == PORT


def test_the_compose_file_starts_the_image_with_the_variables_of_the_fixture():
    services = yaml.safe_load((FOLDER / "compose.yaml").read_text())["services"]
    rest = services["rest"]
    given = dict(line.split("=", 1) for line in rest["environment"])
    start = start_of(given)
    assert [line.split()[0] for line in start.ignored] == ["CATALOG_IO__IMPL"]
    assert rest["ports"] == [f"{PORT}:{PORT}"]
    assert (FOLDER / rest["build"]["context"] / rest["build"]["dockerfile"]).resolve() == FOLDER / "Dockerfile"
    endpoint, bucket = urlsplit(given["CATALOG_S3_ENDPOINT"]), given["CATALOG_WAREHOUSE"].split("/")[2]
    assert services[endpoint.hostname]["ports"] == [f"{endpoint.port}:{endpoint.port}"]
    assert services["bucket"]["command"][-1] == f"{given['CATALOG_S3_ENDPOINT']}/{bucket}"
