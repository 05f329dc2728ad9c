"""Application of Polaris for Java: built once with Maven, then cached in the user's cache folder.

    python -m peers.polaris.application          prints the folder

The name of the cache folder contains a digest of the sources, so changed sources are built again.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from peers.iceberg_java.jars import run, versions
from peers.polaris import java_sources
from spark_tests.java import Java, find_java
from specs.cache import cache_root
from specs.problems import Problem

HERE = Path(__file__).parent
POM = HERE / "pom.xml"
INPUTS = ("pom.xml", "application.properties", "java_*.py", "java/**/*.java", "repository/**/*.pom")
OLDEST = 21  # the jars of Polaris are compiled for it
SECONDS = 1800


def java() -> Java:
    """Return a Java that is new enough. Raises Problem if there is none."""
    return find_java(oldest=OLDEST)


def cache_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the cache folder of the application, which may not exist."""
    digest = hashlib.sha256()
    for path in sorted(path for pattern in INPUTS for path in HERE.glob(pattern)):
        digest.update(path.read_bytes())
    return cache_root(environ) / "polaris" / f"{versions(POM)['polaris.version']}-{digest.hexdigest()[:12]}"


def build() -> Path:
    """Return the folder of the application, and build it if it is not cached.

    Raises Problem without Maven, a network or a Java that is new enough.
    """
    folder = cache_folder()
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="build-", dir=folder.parent) as scratch:
        project = Path(scratch)
        _lay_out(project)
        goal = ("-q", "-B", "-ntp", "-Dstyle.color=never", "-f", str(project / POM.name), "package")
        run([_maven(), *goal], java(), SECONDS)
        try:
            (project / "target" / "quarkus-app").rename(folder)
        except OSError:
            if not folder.is_dir():  # else another process has built the same application
                raise
    return folder


def _lay_out(project: Path) -> None:
    """Create the folders of a Maven project."""
    sources, resources = project / "src" / "main" / "java", project / "src" / "main" / "resources"
    shutil.copytree(HERE / "java", sources)
    java_sources.write(sources)
    resources.mkdir()
    shutil.copy(HERE / "application.properties", resources)
    shutil.copy(POM, project)
    shutil.copytree(HERE / "repository", project / "repository")


def _maven() -> str:
    program = shutil.which("mvn")
    if program is None:
        raise Problem("Building Polaris needs Maven, which is not installed.", "Install it, and put `mvn` on PATH.")
    return program


def main() -> None:
    """Build the application and print its folder."""
    try:
        sys.stdout.write(f"{build()}\n")
    except Problem as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
