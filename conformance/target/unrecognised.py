"""The problem of a server that answers, but not as the API of a run: what its first answers show, and the way out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from conformance.http.transport import NOT_UP
from conformance.target.reach import encrypted, speaks_tls, unreachable
from conformance.values.evidence import PAGE, PAGE_HEAD
from conformance.values.exchange import Exchange
from conformance.values.json_values import shown
from conformance.values.visible import visible
from specs.openapi import media_type_of
from specs.problems import Problem

BAD_REQUEST, NOT_FOUND = 400, 404
MOST_BODY = 100
BASE = "Give the base URL of the API, the part before /v1, and choose the API with --api."
PREFIX_ADVICE = " If its paths have a prefix, as in /v1/dev/namespaces, add it: --path-prefix dev."
LOG = "Look into its log; --wait SECONDS waits for a server that is starting."


@dataclass(frozen=True, slots=True)
class Situation:
    """A kind of first answer with which no run can start, and its problem in words.

    `always` means that no run can start even if the answer is one of the API. `elsewhere` means that the API may be
    at another path, with a prefix.
    """

    fits: Callable[[Exchange], bool]
    message: str
    hint: str
    always: bool = False
    elsewhere: bool = False


def _is_page(answer: Exchange) -> bool:
    head = answer.response_body[:PAGE_HEAD].decode("utf-8", "replace")
    return media_type_of(answer.response_headers.get("Content-Type", "")) == "text/html" or bool(PAGE.search(head))


SITUATIONS = (
    Situation(
        lambda answer: answer.status in (401, 403),
        "{url} returned {status}: it requires credentials, or rejected the given ones.",
        "Give them with --token or --header; --credential fetches a token if the API issues them.",
        always=True,
    ),
    Situation(
        lambda answer: 300 <= answer.status < BAD_REQUEST,
        "{url} returned {status} and redirects to {place}.",
        "The kit follows no redirects: give the base URL of the API at that place.",
        always=True,
    ),
    Situation(
        lambda answer: answer.status in NOT_UP,
        "{url} returned {status} for the first request: the server, or one behind a proxy, is not up.",
        LOG,
    ),
    Situation(
        _is_page,
        "{url} returned {status} with an HTML page: a console or a proxy answers there, and it does not speak {api}.",
        f"The API may have another port or path than its console. {BASE}",
        elsewhere=True,
    ),
    Situation(lambda answer: answer.status >= 500, "{url} returned {status} for the first request.", LOG),
    Situation(
        lambda answer: answer.status == NOT_FOUND,
        "{base} returned {status} for {paths}: it does not speak {api}.",
        BASE,
        elsewhere=True,
    ),
    Situation(
        lambda answer: isinstance(answer.json(), dict | list),
        "{url} returned {status} with {kind}: it does not speak {api}. Its body is {body}.",
        f"Another service, or another API, answers there. {BASE}",
        elsewhere=True,
    ),
    Situation(lambda _: True, "{url} returned {status} with {kind}: it does not speak {api}.", BASE, elsewhere=True),
)


def situation_of(answer: Exchange) -> Situation | None:
    """Return the situation that an answer shows, None without an answer."""
    return next(situation for situation in SITUATIONS if situation.fits(answer)) if answer.status else None


def problem_of(base: str, answers: Sequence[Exchange], api: str, *, prefixed: bool) -> Problem:
    """Return the problem that the answers to the first requests of a run show, the telling one first.

    `base` is the URL of the run, `api` what the server does not speak; `prefixed` means that its paths may have a
    prefix.
    """
    answer = answers[0]
    situation = situation_of(answer)
    if situation is None:
        return unreachable(base, answer.failure)
    if answer.status == BAD_REQUEST and speaks_tls(base):
        return encrypted(base)
    paths = dict.fromkeys(urlsplit(other.url).path for other in answers if other.status == answer.status)
    message = situation.message.format(
        url=answer.url,
        base=base,
        status=answer.status,
        api=api,
        kind=visible(answer.response_headers.get("Content-Type", "no content type")),
        place=visible(answer.response_headers.get("Location", "nowhere")),
        paths=_listed([*paths]),
        body=shown(answer.json(), MOST_BODY),
    )
    return Problem(message, situation.hint + PREFIX_ADVICE * (situation.elsewhere and prefixed))


def _listed(paths: Sequence[str]) -> str:
    return f"{', '.join(paths[:-1])} and {paths[-1]}" if len(paths) > 1 else paths[0]
