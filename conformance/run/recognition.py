"""Recognition of the API that a server speaks, for a run that names none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from conformance.apis import suite_part
from conformance.author.probing import NO_ENTRY
from conformance.target.documents import has_prefixes
from conformance.target.target import connect
from conformance.target.unrecognised import Situation, problem_of, situation_of
from conformance.values.activity import doing
from conformance.values.exchange import Exchange
from conformance.values.settings import Settings
from specs.apis import ApiFacts, apis, find_api
from specs.problems import Problem
from specs.profiles import find_profile


@dataclass(frozen=True, slots=True)
class Reply:
    """Reply of a server to the first request of an API: an exchange, or the problem that the API's prober found."""

    api: ApiFacts
    first_answer: Exchange | None = None
    recognised: bool = False
    problem: Problem | None = None

    @property
    def situation(self) -> Situation | None:
        """The situation that the first answer shows, if the server does not speak the API."""
        return situation_of(self.first_answer) if self.first_answer else None

    @property
    def status(self) -> int:
        """Status of the answer, 0 without one."""
        return self.first_answer.status if self.first_answer else 0

    def __str__(self) -> str:
        """Return the reply in words: the reason why the API is not recognised."""
        if self.problem or not self.first_answer:
            return f"{self.api.title}: {str(self.problem.message).rstrip('.') if self.problem else 'no answer'}"
        return f"{self.api.title}: {self.status} from {self.first_answer.url}"


def recognise(settings: Settings) -> str:
    """Return the name of the API that answers at the server of the settings. Sends only requests that read.

    An API with a 2xx answer of its own comes before one that is known by an error. Where no API is recognised, the only
    one that rejects the credentials or the settings of the run is returned: its run reports the reason. Raises Problem
    for a server that cannot be reached, and one that speaks none of the APIs.
    """
    replies: list[Reply] = []
    with doing(f"finding out which API answers at {settings.server}"):
        for reply in _replies(settings):
            replies.append(reply)
            if reply.first_answer and not reply.status:
                break
    known = sorted((reply for reply in replies if reply.recognised), key=lambda reply: not _succeeded(reply))
    shut = [reply for reply in replies if reply.status in NO_ENTRY]
    rejecting = shut or [reply for reply in replies if reply.problem and reply.first_answer]
    if chosen := known or (rejecting if len(rejecting) == 1 else []):
        return chosen[0].api.name
    raise _problem(settings, replies)


def _replies(settings: Settings) -> Iterator[Reply]:
    for name in apis():
        target = connect(replace(settings, api=name, read_only=True))
        try:
            try:
                prober = suite_part(name).prober(target)
                first_answer = target.first_request(prober)
                yield Reply(find_api(name), first_answer, prober.recognises(first_answer))
            except Problem as problem:
                yield Reply(find_api(name), target.client.steps[-1] if target.client.steps else None, problem=problem)
        finally:
            target.client.close()


def _succeeded(reply: Reply) -> bool:
    return bool(reply.first_answer and reply.first_answer.succeeded)


def _problem(settings: Settings, replies: list[Reply]) -> Problem:
    """Return the problem of a server that speaks no API: what all answers, or one that explains itself, show."""
    telling = [reply for reply in replies if reply.first_answer and not reply.problem]
    shown = [reply for reply in telling if not reply.status or reply.status in NO_ENTRY]
    if not shown and len(telling) == len(replies) and len({id(reply.situation) for reply in telling}) == 1:
        shown = telling
    if not shown:
        return Problem(
            f"No API answers at {settings.server}. {'; '.join(map(str, replies))}.",
            "Give the base URL of the API, the part before /v1; --api names the API, and its error says more.",
        )
    answers = [reply.first_answer for reply in shown if reply.first_answer]
    titles = [find_api(name).title for name in apis()]
    prefixed = any(has_prefixes(find_profile(reply.api.name).document()) for reply in shown)
    return problem_of(settings.server, answers, f"{', '.join(titles[:-1])} or {titles[-1]}", prefixed=prefixed)
