"""A cause in plain English: who answers what, what was due, and what the requirements have in common."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from conformance.replay.evidence import GAP, ODD, RIGHT, UNKNOWN, WRONG, Evidence, pattern

MOST_NAMES = 3
MOST_SAID = 110
MOST_STATED = 200
REQUESTS = {RIGHT: "a right request", WRONG: "a wrong request", ODD: "an odd request", UNKNOWN: "a request"}
PLURALS = {"is": "are", "has": "have", "does": "do", "answers": "answer", "fails": "fail"}
WORDS = re.compile(r"\([^()]*\)\S*|\S+")  # what stands in parentheses is one
NO_STATEMENT = ("wire",)  # kinds whose statement says that something is wrong, and the message alone what


def sentence_of(example: Evidence, findings: Sequence[Evidence]) -> str:
    """Return the sentence about findings of one cause; `example` is the one that is shown with it."""
    names = sorted({finding.operation for finding in findings} - {""})
    who = _listed(names) if len(names) <= MOST_NAMES else f"{len(names)} operations"
    several = len(names) > 1
    if not example.page and (example.result.verdict == "blocked" or example.result.kind in NO_STATEMENT):
        return _message(example, who, several=several)
    if not example.about_status and example.says_all and (_said_alike(findings) or _is_said_of_most(example, findings)):
        return _message(example, who, several=several)
    if not example.about_status:
        return f"{who or 'The server'} {'do' if several else 'does'} not keep to {_norm(findings, example)}"
    answers = f"{who or 'The server'} {'answer' if several else 'answers'}"
    due = f", not {_listed([str(status) for status in example.wanted], 'or')}" if example.wanted else ""
    said = _said(findings)
    if not example.page and (_of_one_statement(findings) or (not said and not example.done)):
        return f"{answers} {_answer(example)}{due}: {_norm(findings, example)}"
    return f"{answers} {REQUESTS[example.request]} with {_answer(example)}{'' if example.page else said}{due}"


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


def _of_one_statement(findings: Sequence[Evidence]) -> bool:
    """True when all requirements of a cause are one statement, about several cases."""
    return len({finding.result.where for finding in findings}) == 1


def _said_alike(findings: Sequence[Evidence]) -> bool:
    """True when the kit said the same of all findings, but for names and values."""
    return len({pattern(_what(finding)) for finding in findings}) == 1


def _is_said_of_most(example: Evidence, findings: Sequence[Evidence]) -> bool:
    """True when the kit said of more than half of the findings what it said of the example, word for word."""
    return 2 * list(map(_what, findings)).count(_what(example)) > len(findings)


def _what(finding: Evidence) -> str:
    """Return what the kit said, of whatever operation."""
    return finding.message.replace(finding.operation or GAP, GAP)


def _norm(findings: Sequence[Evidence], example: Evidence) -> str:
    """Return what was due, in the words that the requirements share: theirs, or those of their clause."""
    if _of_one_statement(findings):
        return f"“{common_text(finding.result.statement for finding in findings)}”"
    if len({finding.result.clause.id for finding in findings}) == 1:
        return f"“{_cut(example.result.clause.text.rstrip('.'), MOST_STATED)}”"
    return f"“{example.result.statement.rstrip('.')}”, for example"


def _said(findings: Sequence[Evidence]) -> str:
    """Return what the server says most often in these errors, "" where it says nothing."""
    texts = Counter(pattern(finding.text) for finding in findings if finding.text)
    text = texts.most_common(1)[0][0] if texts else ""
    return f" (“{_cut(text)}”)" if len(text.replace(GAP, " ").split()) > 1 else ""


def _message(example: Evidence, who: str, *, several: bool) -> str:
    """Return what the kit said, of all operations."""
    message = example.message
    if not example.operation or example.operation not in message:
        return f"{who}: {message}" if who else message[:1].upper() + message[1:]
    text = (_in_plural(message, example.operation) if several else message).replace(example.operation, who)
    return text if text.startswith(who) else text[:1].upper() + text[1:]


def _in_plural(message: str, operation: str) -> str:
    """Return what is said of an operation as it is said of several: verbs come after its name, or after "but"."""
    verbs = rf"(?:(?<={re.escape(operation)} )|(?<=but ))(?:{'|'.join(PLURALS)})\b"
    return re.sub(verbs, lambda verb: PLURALS[verb.group()], message)


def _answer(example: Evidence) -> str:
    if not example.got:
        return f"nothing ({_cut(example.text)})" if example.text else "nothing"
    return f"{example.got} and an HTML page" if example.page else str(example.got)


def _cut(text: str, most: int = MOST_SAID) -> str:
    line = text.partition("\n")[0]
    return line if len(line) <= most else f"{line[: most - 1]}{GAP}"


def _listed(names: Sequence[str], word: str = "and") -> str:
    return f"{', '.join(names[:-1])} {word} {names[-1]}" if len(names) > 1 else "".join(names)
