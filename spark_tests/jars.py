"""Connector jars: resolved once by Ivy, which the pyspark wheel contains, then cached in the user's cache folder."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import tempfile
import time
from pathlib import Path

from spark_tests.java import find_java
from specs.cache import cache_root
from specs.extras import missing_extra
from specs.problems import Problem

SECONDS = 900
ATTEMPTS = 3
PAUSE_SECONDS = 2.0
PATTERN = "[artifact]-[revision](-[classifier]).[ext]"
LOUD = re.compile(r"unresolved|not found|error|PKIX|refused", re.IGNORECASE)
SETTINGS = """<ivysettings>
  <settings defaultResolver="central"/>
  <resolvers><ibiblio name="central" m2compatible="true"/></resolvers>
</ivysettings>
"""


def cache_folder() -> Path:
    """Return the cache folder of connectors."""
    return cache_root() / "spark"


def resolve(coordinates: str) -> Path:
    """Return the jar of `group:artifact:version`, and fetch it if it is not cached.

    Raises Problem, with the coordinates, if it cannot be fetched.
    """
    _, artifact, version = coordinates.split(":")
    jar = cache_folder() / f"{artifact}-{version}.jar"
    if jar.exists():
        return jar
    jar.parent.mkdir(parents=True, exist_ok=True)
    for attempt in range(1, ATTEMPTS + 1):
        try:
            _fetch(coordinates, jar)
            break
        except Problem:
            if attempt == ATTEMPTS:
                raise
            time.sleep(PAUSE_SECONDS)
    return jar


def _fetch(coordinates: str, jar: Path) -> None:
    """Fetch a jar, in one attempt: a registry may miss a jar that it has. Raises Problem if the attempt fails."""
    group, artifact, version = coordinates.split(":")
    with tempfile.TemporaryDirectory(prefix=f"{artifact}-", dir=jar.parent) as scratch:
        folder = Path(scratch)
        settings = folder / "settings.xml"
        settings.write_text(SETTINGS)
        options = ("-settings", str(settings), "-cache", str(folder / "ivy"), "-dependency", group, artifact, version)
        fetched = ("-retrieve", str(folder / PATTERN), "-notransitive", "-types", "jar")
        _run(find_java().command("-jar", str(pyspark_jar("ivy")), *options, "-confs", "default", *fetched), coordinates)
        temporary = folder / jar.name
        if not temporary.exists():
            raise _failure(coordinates, "the registry has no such jar")
        temporary.replace(jar)


def _run(command: list[str], coordinates: str) -> None:
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise _failure(coordinates, f"it took more than {SECONDS} s") from None
    output = result.stdout + result.stderr
    if result.returncode or "UNRESOLVED" in output:
        lines = [line.strip(" :\t") for line in output.splitlines() if LOUD.search(line)]
        raise _failure(coordinates, (lines or ["Ivy printed no reason"])[0][:200])


def _failure(coordinates: str, why: str) -> Problem:
    return Problem(
        f"The jar {coordinates} cannot be fetched: {why}.",
        f"Connect to the registry, put the jar into {cache_folder()}, or give it with --jars FILE.",
    )


def pyspark_jar(name: str) -> Path:
    """Return a jar inside the installed pyspark, found without importing it. Raises Problem if pyspark is missing."""
    spec = importlib.util.find_spec("pyspark")
    folder = Path(spec.origin).parent / "jars" if spec and spec.origin else Path()
    jars = sorted(folder.glob(f"{name}-[0-9]*.jar"))
    if not jars:
        raise missing_extra("spark", "pyspark")
    return jars[0]
