"""Reports of JUnit's console launcher, parsed from XML to outcomes of tests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from specs.problems import Problem

FILE = "TEST-junit-jupiter.xml"
ENDS = {"failure": "failed", "error": "failed", "skipped": "skipped"}
FRAME = re.compile(r"^\s+at (\S+)\(([\w$]+\.java:\d+)\)", re.MULTILINE)
TRACE = re.compile(r"^\s*(at \S+\(|\.\.\. \d+ more|Suppressed: |Caused by: )")


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a test: `passed`, `failed` or `skipped`.

    `class_name` is the full name of its class, `name` its method with the number of the case in brackets,
    `error` the class of the exception, `message` its message, `frames` the methods and places of its
    stack, innermost first.
    """

    class_name: str
    name: str
    end: str
    seconds: float
    error: str = ""
    message: str = ""
    frames: tuple[tuple[str, str], ...] = ()


def read_outcomes(folder: Path) -> list[Outcome]:
    """Parse the outcomes in the reports folder of a run, in the order of the tests.

    Raises Problem for a missing report, or one that is not XML.
    """
    path = folder / FILE
    try:
        root = ET.parse(path).getroot()  # noqa: S314 - JUnit wrote it on this machine
    except OSError as error:
        raise Problem(f"The kit wrote no report {path}: {error.strerror}.", "Its log has the reason.") from None
    except ET.ParseError as error:
        raise Problem(f"The kit's report {path} is not XML: {error}.", "Run the kit again.") from None
    return list(_outcomes(root))


def _outcomes(root: ET.Element) -> Iterator[Outcome]:
    for case in root.iter("testcase"):
        tag = next((child for child in case if child.tag in ENDS), None)
        text = tag.text or "" if tag is not None else ""
        error, message = _thrown(text)
        yield Outcome(
            case.get("classname", ""),
            case.get("name", ""),
            ENDS[tag.tag] if tag is not None else "passed",
            float(case.get("time", "0")),
            error,
            message,
            tuple((frame[1], frame[2]) for frame in FRAME.finditer(text)),
        )


def _thrown(text: str) -> tuple[str, str]:
    """Return the class and the message of a printed exception; "" for the class of a plain reason."""
    message_lines = []
    for line in text.splitlines():
        if TRACE.match(line):
            break
        message_lines.append(line.rstrip())
    message = "\n".join(message_lines).strip()
    name, colon, rest = message.partition(":")
    if re.fullmatch(r"[a-z]\w*(\.\w+)*\.[A-Z][\w$]*", name):
        return name, rest.strip() if colon else ""
    return "", message
