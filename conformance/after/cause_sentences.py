"""Sentences of causes: the operations, their behaviour, the expectation, and the requirements' common text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

import msgspec

from conformance.after.grouping import Sighting
from conformance.values.evidence import Evidence, Request, sentence
from conformance.values.patterns import GAP, pattern

MOST_NAMES = 3
MOST_SAID = 110
MOST_STATED = 200
REQUESTS: dict[Request, str] = {
    "valid": "a valid request",
    "invalid": "an invalid request",
    "unusual": "an unusual but valid request",
    "unknown": "a request",
}
PLURALS = {"is": "are", "has": "have", "does": "do", "answers": "answer", "returns": "return", "fails": "fail"}
WORDS = re.compile(r"\([^()]*\)\S*|\S+")  # a text in parentheses counts as one word
NO_STATEMENT = ("wire",)  # kinds whose statement is general: only the message names the defect


def sentence_of(example: Sighting, findings: Sequence[Sighting]) -> str:
    """Return the sentence about findings of one cause; `example` is the finding shown with it."""
    evidence = example.evidence
    if evidence.died:
        text = sentence(evidence)
        return text[:1].upper() + text[1:]
    names = sorted({finding.evidence.operation for finding in findings} - {""})
    who = _listed(names) if len(names) <= MOST_NAMES else f"{len(names)} operations"
    several = len(names) > 1
    in_words = example.result.verdict == "blocked" or example.result.kind in NO_STATEMENT
    if in_words and not evidence.said.page and sentence(evidence):
        return _message(example, who, several=several)
    if not evidence.about_status:
        if evidence.thing and evidence.states_all and _is_stated_of_most(example, findings):
            return _message(example, who, several=several)
        return f"{who or 'The server'} {'violate' if several else 'violates'} {_norm(findings, example)}"
    subject = f"{who or 'The server'} {_behaviour(evidence, several=several)}"
    due = f" (expected {_listed([str(status) for status in evidence.statuses], 'or')})" if evidence.statuses else ""
    said = _said(findings)
    if not evidence.said.page and (_of_one_statement(findings) or (not said and not evidence.done)):
        return f"{subject}{due}: {_norm(findings, example)}"
    return f"{subject} for {REQUESTS[evidence.request]}{due}{'' if evidence.said.page else said}"


def common_text(texts: Iterable[str]) -> str:
    """Return the words that texts share, in their order, with a gap for those that differ; no full stop."""
    shared: list[str] = []
    for text in texts:
        words = WORDS.findall(text.rstrip("."))
        shared = _common(shared, words) if shared else words
    return " ".join(shared)


def _common(words: list[str], other: list[str]) -> list[str]:
    shared: list[str] = []
    for kind, start, end, _, _ in SequenceMatcher(a=words, b=other, autojunk=False).get_opcodes():
        if kind == "equal":
            shared += words[start:end]
        elif shared[-1:] != [GAP]:
            shared.append(GAP)
    return shared


def _of_one_statement(findings: Sequence[Sighting]) -> bool:
    """True when all requirements of a cause share one statement for several cases."""
    return len({finding.result.where for finding in findings}) == 1


def _is_stated_of_most(example: Sighting, findings: Sequence[Sighting]) -> bool:
    """True when the check of the example failed for more than half of the findings."""
    return 2 * sum(finding.evidence.check == example.evidence.check for finding in findings) > len(findings)


def _norm(findings: Sequence[Sighting], example: Sighting) -> str:
    """Return the expectation in the requirements' common words: their own, or those of their clause."""
    if _of_one_statement(findings):
        return f"“{common_text(finding.result.statement for finding in findings)}”"
    if len({finding.result.clause.id for finding in findings}) == 1:
        return f"“{_cut(example.result.clause.text.rstrip('.'), MOST_STATED)}”"
    return f"“{example.result.statement.rstrip('.')}”, for example"


def _said(findings: Sequence[Sighting]) -> str:
    """Return the server's most frequent words in these errors, "" without any."""
    texts = Counter(pattern(finding.evidence.said.message) for finding in findings if finding.evidence.said.message)
    text = texts.most_common(1)[0][0] if texts else ""
    return f": “{_cut(text)}”" if len(text.replace(GAP, " ").split()) > 1 else ""


def _message(example: Sighting, who: str, *, several: bool) -> str:
    """Return the sentence of the example's evidence, for all operations."""
    operation = example.evidence.operation
    message = sentence(msgspec.structs.replace(example.evidence, more=0)).partition("\n")[0]
    if not operation or operation not in message:
        return f"{who}: {message}" if who else message[:1].upper() + message[1:]
    text = (_in_plural(message, operation) if several else message).replace(operation, who)
    return text if text.startswith(who) else text[:1].upper() + text[1:]


def _in_plural(message: str, operation: str) -> str:
    """Return a sentence about one operation in the plural: verbs follow its name, or "but"."""
    verbs = rf"(?:(?<={re.escape(operation)} )|(?<=but ))(?:{'|'.join(PLURALS)})\b"
    return re.sub(verbs, lambda verb: PLURALS[verb.group()], message)


def _behaviour(evidence: Evidence, *, several: bool) -> str:
    """Return the verb and its object: the returned status, or the closed connection."""
    if evidence.status:
        page = " and an HTML page" if evidence.said.page else ""
        return f"{'return' if several else 'returns'} {evidence.status}{page}"
    why = f" ({_cut(evidence.said.message)})" if evidence.said.message else ""
    return f"{'close' if several else 'closes'} the connection without a response{why}"


def _cut(text: str, most: int = MOST_SAID) -> str:
    line = text.partition("\n")[0]
    return line if len(line) <= most else f"{line[: most - 1]}{GAP}"


def _listed(names: Sequence[str], word: str = "and") -> str:
    return f"{', '.join(names[:-1])} {word} {names[-1]}" if len(names) > 1 else "".join(names)
