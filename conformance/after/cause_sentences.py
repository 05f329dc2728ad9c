"""Sentences of causes, made from their claims alone: the operations, their behaviour, the expectation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from conformance.values.causes import OPERATION, Claims
from conformance.values.evidence import Aspect, Request, State, alternatives

MOST_NAMES = 3
MISSING = " for a missing object"
REQUESTS: dict[Request, str] = {
    "valid": " for a valid request",
    "invalid": " for an invalid request",
    "unusual": " for an unusual but valid request",
    "unknown": "",
}
ASPECTS: dict[Aspect, str] = {
    "": "a wrong answer",
    "status": "a wrong status",
    "connection": "no response",
    "header": "a wrong header",
    "schema": "a body that does not match its schema",
    "body": "a wrong body",
    "effect": "a wrong body after another operation",
    "history": "answers that contradict each other",
}
PLURALS = {
    "is": "are",
    "has": "have",
    "does": "do",
    "changes": "change",
    "shows": "show",
    "omits": "omit",
    "repeats": "repeat",
    "answers": "answer",
    "returns": "return",
    "fails": "fail",
}
OF_WRITES: dict[State, tuple[str, str]] = {
    "not done": ("does", "nothing"),
    "half done": ("does", "a part of it alone"),
    "more done": ("changes", "more than it names"),
    "done": ("does", "it all the same"),
}
OF_VIEWS: dict[State, tuple[str, str]] = {
    "old": ("shows", "what was before"),
    "short": ("omits", "an entry after"),
    "doubled": ("repeats", "an entry after"),
}
STATES: dict[State, str] = {
    "": "",
    "unsteady": "; the same request again returns another answer",
    "not done": "; {write} succeeded and changed nothing",
    "done": "; {write} returned an error and changed the state all the same",
    "stale": "; the answer of {write} is the one before it, and {reader} shows the change",
    "answer": "; the answer of {write} is wrong, and {reader} shows another value",
    "state": "; {reader} shows the same as the answer of {write}",
    "earlier": "",
    "half done": "; {write} did a part alone",
    "more done": "; {write} changed more than it names",
    "old": "; {reader} shows what was before {write}",
    "short": "; {reader} leaves out an entry",
    "doubled": "; {reader} lists an entry twice",
}


def sentence_of(claims: Claims) -> str:
    """Return the sentence that states these claims and nothing else."""
    if claims.writes and claims.state in OF_WRITES:
        return _of_writes(claims)
    if claims.operations and claims.state in OF_VIEWS:
        return _of_views(claims)
    several = len(claims.operations) > 1
    who = _listed(claims.operations) if len(claims.operations) <= MOST_NAMES else f"{len(claims.operations)} operations"
    if claims.message:
        place = f"{claims.place}: " if claims.place and OPERATION not in claims.message else ""
        text = _message(f"{place}{claims.message}", who, several=several)
    elif claims.callers:
        text = f"{who or 'The server'} {_towards_callers(claims, several=several)}"
    elif claims.status is not None:
        said = f": “{claims.norm or claims.said}”" if claims.norm or claims.said else ""
        behaviour = _behaviour(claims, several=several)
        text = f"{who or 'The server'} {behaviour}{_request(claims)}{_due(claims)}{said}"
    elif claims.norm:
        text = f"{who or 'The server'} {'violate' if several else 'violates'} “{claims.norm}”"
    else:
        text = f"{who or 'The server'} {_wrong_part(claims, several=several)}"
    text += STATES[claims.state].format(write=claims.write or "the write", reader=claims.reader or "a read")
    text += f" ({claims.only})" if claims.only else ""
    return "".join(sign for sign in text if sign.isprintable())


def _of_writes(claims: Claims) -> str:
    """Return the sentence about writes that are answered as if they were done, and are not, or the reverse."""
    several = len(claims.writes) > 1
    returns = "return" if several else "returns"
    who = _listed(claims.writes) if len(claims.writes) <= MOST_NAMES else f"{len(claims.writes)} operations"
    verb, what = OF_WRITES[claims.state]
    answer = "an error" if claims.state == "done" else str(claims.returned or "a success")
    shown = f", as {claims.reader} shows" if claims.reader else ""
    return f"{who} {returns} {answer} and {PLURALS[verb] if several else verb} {what}{shown}"


def _of_views(claims: Claims) -> str:
    """Return the sentence about operations that show another state than all others."""
    verb, what = OF_VIEWS[claims.state]
    who = _listed(claims.operations) if len(claims.operations) <= MOST_NAMES else f"{len(claims.operations)} operations"
    return f"{who} {PLURALS[verb] if len(claims.operations) > 1 else verb} {what} {claims.write or 'a write'}"


def _message(message: str, who: str, *, several: bool) -> str:
    """Return the sentence of a check, told of all operations."""
    if OPERATION not in message:
        return f"{who}: {message}" if who else message[:1].upper() + message[1:]
    text = (_in_plural(message) if several else message).replace(OPERATION, who or "the server")
    return text if text.startswith(who) else text[:1].upper() + text[1:]


def _in_plural(message: str) -> str:
    """Return a sentence about one operation in the plural: verbs follow its name, or "but"."""
    verbs = rf"(?:(?<={re.escape(OPERATION)} )|(?<=but ))(?:{'|'.join(PLURALS)})\b"
    return re.sub(verbs, lambda verb: PLURALS[verb.group()], message)


def _behaviour(claims: Claims, *, several: bool) -> str:
    """Return the verb and its object: the returned status, or the closed connection."""
    if not claims.status:
        return f"{'close' if several else 'closes'} the connection without a response"
    kind = " and an HTML page" if claims.page else f" with type {claims.kind}" if claims.kind else ""
    return f"{'return' if several else 'returns'} {claims.status}{kind}"


def _towards_callers(claims: Claims, *, several: bool) -> str:
    """Return the verb and its object: the status that callers without a privilege get; they may get several."""
    callers = _listed(claims.callers, "or")
    if claims.status is None:
        return f"{'let' if several else 'lets'} {callers} through"
    return f"{_behaviour(claims, several=several)} to {callers}{_due(claims)}"


def _request(claims: Claims) -> str:
    """Return the kind of request: that it names something missing follows from the one status that is due."""
    return MISSING if claims.request == "invalid" and claims.statuses == (404,) else REQUESTS[claims.request]


def _due(claims: Claims) -> str:
    """Return the expected statuses, or their class."""
    statuses = alternatives(claims.statuses) or [f"{claims.due}xx"] * bool(claims.due)
    return f" (expected {_listed(statuses, 'or')})" if statuses else ""


def _wrong_part(claims: Claims, *, several: bool) -> str:
    """Return the verb and its object: the wrong part of an answer, and the values that all findings share."""
    verb, part = "return" if several else "returns", ASPECTS[claims.aspect]
    field = claims.place or claims.field
    if claims.relation == "present":
        return f"{'omit' if several else 'omits'} {field or 'fields'}"
    place = f"a wrong {field}" if field else part
    values = [f"{label} {value}" for label, value in (("expected", claims.expected), ("got", claims.actual)) if value]
    return f"{verb} {place} ({', '.join(values)})" if values else f"{verb} {place}"


def _listed(names: Sequence[str], word: str = "and") -> str:
    return f"{', '.join(names[:-1])} {word} {names[-1]}" if len(names) > 1 else "".join(names)
