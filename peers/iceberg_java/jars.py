"""Jars of `pom.xml`: resolved once, then cached in the user's cache folder.

    python -m peers.iceberg_java.jars          prints the folder

Maven resolves them if it is installed, else Ivy, whose jar the pyspark wheel contains; both read the
same `pom.xml`. The name of the cache folder contains a digest of that file, so a changed list is resolved again.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree as ET

from spark_tests.jars import pyspark_jar
from spark_tests.java import Java, find_java
from specs.cache import cache_root
from specs.problems import Problem

POM = Path(__file__).with_name("pom.xml")
NAMESPACE = "{http://maven.apache.org/POM/4.0.0}"
PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin"
PATTERN = "[artifact]-[revision](-[classifier]).[ext]"
SECONDS = 1200
COLOUR = re.compile(r"\x1b\[[\d;]*m")
CAUSES = (
    (
        ("PKIX", "SSLHandshakeException"),
        "Java does not trust the registry's certificate: set "
        "JAVA_TOOL_OPTIONS=-Djavax.net.ssl.trustStore=FILE to a Java trust store that does.",
    ),
    (
        ("UnknownHost", "Unknown host", "Connection refused", "ConnectException", "timed out", "unreachable"),
        "The registry cannot be reached: connect to the network, or copy {folder} from a machine that has it.",
    ),
    (
        ("ArtifactNotFound", "Could not find artifact", "UNRESOLVED"),
        "The registry does not have an artifact: choose another version in {pom}.",
    ),
)


def versions(pom: Path = POM) -> dict[str, str]:
    """Return the properties of the POM: `iceberg.version` and the others."""
    properties = ET.parse(pom).getroot().find(f"{NAMESPACE}properties")  # noqa: S314 - our own file
    return {element.tag.removeprefix(NAMESPACE): element.text or "" for element in properties or ()}


def cache_folder(environ: Mapping[str, str] = os.environ, pom: Path = POM) -> Path:
    """Return the cache folder for the jars of this POM, which may not exist."""
    digest = hashlib.sha256(pom.read_bytes()).hexdigest()[:12]
    return cache_root(environ) / "iceberg-java" / digest


def resolve() -> Path:
    """Return the folder with all jars, and fetch them if they are not cached.

    Raises Problem without a resolver, a network or trust in the registry's certificate.
    """
    folder = cache_folder()
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f"{folder.name}-", dir=folder.parent) as scratch:
        jars = Path(scratch) / "jars"
        run(_resolver(jars, Path(scratch)), find_java())
        try:
            jars.rename(folder)
        except OSError:
            if not folder.is_dir():  # else another process has fetched the same jars
                raise
    return folder


def class_path() -> str:
    """Return the class path of the fixture and the kit. Raises Problem like `resolve`."""
    return f"{resolve()}{os.sep}*"


def _resolver(jars: Path, scratch: Path) -> list[str]:
    """Return the command that fetches the jars of the POM into a folder."""
    maven = shutil.which("mvn")
    if maven:
        goal = f"{PLUGIN}:{versions()['dependency.plugin.version']}:copy-dependencies"
        return [maven, "-q", "-B", "-Dstyle.color=never", "-f", str(POM), goal, f"-DoutputDirectory={jars}"]
    try:
        ivy = pyspark_jar("ivy")
    except Problem:
        raise Problem(
            "Jars cannot be fetched: neither Maven nor pyspark, whose wheel contains Ivy, is installed.",
            "Install Maven, or `pip install 'lakeproof[spark]'`.",
        ) from None
    options = ("-ivy", str(POM), "-confs", "runtime", "-cache", str(scratch / "ivy"))
    return find_java().command("-jar", str(ivy), *options, "-retrieve", str(jars / PATTERN))


def run(command: list[str], java: Java, seconds: float = SECONDS) -> None:
    """Run Maven or Ivy on a Java. Raises Problem if it fails, or takes longer than `seconds`."""
    environ = {**os.environ, "JAVA_HOME": str(java.home)}
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds, env=environ)
    except subprocess.TimeoutExpired:
        raise failure(command, f"timed out after {seconds} s") from None
    if result.returncode:
        raise failure(command, result.stdout + result.stderr)


def failure(command: list[str], output: str) -> Problem:
    """Return the problem of a failed resolver: its first error message, and the way out."""
    lines = COLOUR.sub("", output).splitlines()
    complaints = [line for line in lines if "error" in line.lower() and not line.startswith("::")]
    reason = " ".join((complaints or lines or ["it printed nothing"])[0].split())[:300]
    hint = next((text for signs, text in CAUSES if any(sign in output for sign in signs)), "")
    hint = hint or "Run it by hand to see more: {command}"
    return Problem(
        f"The jars of Iceberg's kit cannot be fetched by {Path(command[0]).name}: {reason}",
        hint.format(folder=cache_folder(), pom=POM, command=" ".join(command)),
    )


def main() -> None:
    """Fetch the jars and print their folder."""
    try:
        sys.stdout.write(f"{resolve()}\n")
    except Problem as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
