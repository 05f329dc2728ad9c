"""The steps of a finding as shell commands for pasting, one after another: on the page and in scripts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from conformance.replay.chosen import chosen, functions, kept, names_files
from conformance.replay.pasted import first, from_file, pasted
from conformance.replay.replaying import Finding, lack
from conformance.values.exchange import Step, is_cut
from conformance.values.redaction import HIDDEN
from conformance.values.settings import ENV_PREFIX, variable

SECRET = re.compile(rf"\$({ENV_PREFIX}[A-Z0-9_]+)")
WANTED = {variable("Authorization"): "the value of the header, like: Bearer TOKEN"}
CLIENTS = ("scenario",)  # kinds whose requests another client sends
Shorten = Callable[[str], tuple[str, Mapping[str, bytes]]]


@dataclass(frozen=True)
class Script:
    """Shell commands of a finding: lines to paste first, lines of each step, and the bodies they read, by path."""

    first: list[str]
    steps: list[list[str]]
    files: dict[str, bytes] = field(default_factory=dict)


def script_of(finding: Finding, preparation: Sequence[Step], base: str, shorten: Shorten | None = None) -> Script:
    """Return the commands that send the steps of a preparation and of a finding to the server at a URL.

    Server-chosen values that a later step uses are extracted from the new answer. `shorten` shortens a command by
    moving bodies to files, and returns the command and these files.
    """
    steps = [*preparation, *finding.steps]
    values = chosen(steps)
    files: dict[str, bytes] = {}
    sent = []
    for number, step in enumerate(steps, 1):
        curl, bodies = shorten(_curl(step)) if shorten else (_curl(step), {})
        files |= bodies
        before = [value for value in values if value.step < number]
        places = [place for value in before for place in value.replacements(number)]
        texts = {value.value: value.variable for value in before if value.everywhere}
        curl = pasted(curl, finding.base, finding.prefix, texts, places)
        for name, body in bodies.items():
            curl = from_file(curl, name, body, finding.prefix, texts)
        taken = [value for value in values if value.step == number]
        sent.append(kept(curl, taken) if taken else [curl])
    called = functions(line for lines in sent for line in lines)
    return Script([first(base, finding.prefix), *_secrets(steps), *called], sent, files)


def doubt(finding: Finding) -> str:
    """Return why the commands for a finding may not reproduce it, "" without a known reason."""
    files = "a request names files, which the run may have written itself"
    actions = [f"step {number} is no request" for number, step in enumerate(finding.steps, 1) if step.beside]
    return lack(finding) or next(iter(actions), files if names_files(finding.steps) else "")


def missing_body(step: Step) -> str:
    """Return the name of the file that a step's command reads and no results contain, "" for none.

    Its body was too large for the results; the name is that of Exchange.curl.
    """
    body = step.request.body
    return f"body-of-{body['size']}-bytes" if body and is_cut(body) else ""


def _secrets(steps: Sequence[Step]) -> list[str]:
    """Return lines that stop a script if the variable of a secret is unset."""
    names = dict.fromkeys(name for step in steps for name in SECRET.findall(_curl(step)))
    return [f': "${{{name}:?{WANTED.get(name, "the value of the header")}}}"' for name in names]


def _curl(step: Step) -> str:
    """Return the recorded command of a step, with variables for the secrets of earlier answers."""
    curl = step.request.curl
    for name, value in step.borne.items():
        curl = curl.replace(f"${variable(name)}", value).replace(f"{name}={HIDDEN}", f"{name}={value}")
    return curl
