"""Runs of Iceberg's REST compatibility kit: Java tests with Iceberg's own client against any server."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import urllib3

from peers.iceberg_java.jars import class_path
from peers.iceberg_java.junit_xml import Outcome, read_outcomes
from spark_tests.java import CLIENT_MODULE, find_java
from specs.problems import Problem

CLASSES = (
    "org.apache.iceberg.rest.RESTCompatibilityKitCatalogTests",
    "org.apache.iceberg.rest.RESTCompatibilityKitViewCatalogTests",
)
LAUNCHER = "org.junit.platform.console.ConsoleLauncher"
PLAIN = ("--details=tree", "--disable-ansi-colors", "--disable-banner")
JUDGED = (0, 1)  # exit codes of the launcher after tests: all passed, or some failed
NO_TESTS = 2
LOOK_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """Facts about a server before it is judged: its Server header, and its endpoints if it lists them."""

    server: str = ""
    endpoints: frozenset[str] = field(default_factory=frozenset)


def probe(url: str, properties: Mapping[str, str]) -> ServerInfo:
    """Request a server's configuration. Raises Problem if no server responds at the URL.

    Any response is accepted: the kit judges it.
    """
    fields = {"warehouse": properties["warehouse"]} if "warehouse" in properties else None
    headers = {"Authorization": f"Bearer {properties['token']}"} if "token" in properties else None
    with urllib3.PoolManager(retries=False, timeout=LOOK_SECONDS) as pool:
        try:
            answer = pool.request("GET", f"{url.rstrip('/')}/v1/config", fields=fields, headers=headers)
        except urllib3.exceptions.HTTPError as error:
            raise Problem(f"No server responds at {url}: {error}.", "Start it, or give another URL.") from None
    try:
        endpoints = answer.json().get("endpoints") if answer.status == 200 else None
    except (ValueError, AttributeError):
        endpoints = None
    return ServerInfo(answer.headers.get("Server", ""), frozenset(endpoints or ()))


def run_kit(
    url: str, properties: Mapping[str, str], log: Path, *, only: Sequence[str] = (), seconds: float = 1800
) -> list[Outcome]:
    """Run the kit against a URL and return the outcomes of its tests.

    `properties` are for the kit (`rck.*`) and Iceberg's client (`warehouse`, `credential`, ...), `only`
    are patterns of method names, `log` is the file for Java's output, `seconds` is the time limit of the
    run. Raises Problem if the kit cannot run, does not end in time, or has no matching test.
    """
    java = find_java(CLIENT_MODULE)
    with tempfile.TemporaryDirectory(prefix="rck-") as scratch, log.open("w", encoding="utf-8") as out:
        command = java.command(*arguments(url, properties, only, Path(scratch)))
        try:
            # JUnit's report contains all properties, even secrets: it stays in the temporary folder.
            code = subprocess.run(command, stdout=out, stderr=out, check=False, timeout=seconds).returncode
        except subprocess.TimeoutExpired:
            raise Problem(
                f"The kit did not end within {seconds:g} s.", f"See {log} for its progress, or give it more --seconds."
            ) from None
        if code == NO_TESTS:
            raise Problem(f"-k: the kit has no test that matches {', '.join(only)}.", "The report lists the ids.")
        if code not in JUDGED:
            raise Problem(f"The kit could not be run: Java ended with {code}.", f"Its output is in {log}.")
        return read_outcomes(Path(scratch))


def arguments(url: str, properties: Mapping[str, str], only: Sequence[str], reports: Path) -> list[str]:
    """Return the arguments of Java: its own options, then the options of JUnit's launcher."""
    kit_properties = {"rck.local": "false", "uri": url, "org.slf4j.simpleLogger.defaultLogLevel": "error", **properties}
    return [
        "-Xmx1g",
        *(f"-D{name}={value}" for name, value in kit_properties.items()),
        *("-cp", class_path(), LAUNCHER, "execute"),
        *(f"--select-class={name}" for name in CLASSES),
        *(f"--include-methodname={method_pattern(text)}" for text in only),
        *("--fail-if-no-tests", f"--reports-dir={reports}", *PLAIN),
    ]


def method_pattern(text: str) -> str:
    """Return JUnit's pattern for a requirement's id, or for a part of a method's name.

    For the id of a case, such as `rck.view_catalog.create_or_replace_view_1`, all cases of the method run.
    """
    name = text.rpartition(".")[2]
    kind = text.split(".")[1] if text.startswith("rck.") else ""
    letters = re.sub(r"_\d+$", "", name).replace("_", "")
    if kind:
        return rf"(?i).*\.RESTCompatibilityKit{kind.replace('_', '')}Tests#{re.escape(letters)}"
    return rf"(?i).*#.*{re.escape(letters)}.*"
