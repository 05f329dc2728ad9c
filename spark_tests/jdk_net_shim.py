"""Shim for jdk.net: two classes that Iceberg's HTTP client needs and the Java of the wheel does not contain.

Their sources are in `jdk_net/`; the pyspark wheel contains the compiler.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from spark_tests.jars import cache_folder, pyspark_jar
from spark_tests.java import CLIENT_MODULE, Java
from specs.problems import Problem

SOURCES = Path(__file__).with_name("jdk_net")
COMPILER = "org.codehaus.commons.compiler.samples.CompilerDemo"
FOLDER = "jdk.net-1"  # change the number with the sources
SECONDS = 120


def compiled_shim(java: Java) -> Path | None:
    """Return the folder of the shim's classes, None for a Java that has the module.

    Raises Problem if they cannot be compiled.
    """
    if java.has_module(CLIENT_MODULE):
        return None
    folder = cache_folder() / FOLDER
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
            _compile(java, Path(scratch) / "classes")
            try:
                (Path(scratch) / "classes").rename(folder)
            except OSError:  # another process has compiled them
                if not folder.exists():
                    raise
    return folder


def _compile(java: Java, folder: Path) -> None:
    path = os.pathsep.join(str(pyspark_jar(name)) for name in ("janino", "commons-compiler"))
    sources = [str(source) for source in sorted(SOURCES.glob("*.java"))]
    command = java.command("-cp", path, COMPILER, "-d", str(folder), *sources)
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    if result.returncode:
        why = (result.stderr.strip().splitlines() or ["no reason given"])[0]
        raise Problem(
            f"{java.program} does not contain the module {CLIENT_MODULE}, and the kit cannot replace it: {why}.",
            "Install a Java 17 or newer, and put it on PATH or into JAVA_HOME.",
        )
