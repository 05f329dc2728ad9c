"""Secrets from a server's answers: files show which request carries which secret, and never the secret itself.

A script of commands extracts the secret from its own answer, into the variable that replaces it here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

import msgspec

from conformance.replay.chosen import places, variable_of
from conformance.replay.renaming import SHORTEST
from conformance.values.exchange import Action, Exchange, Step
from conformance.values.redaction import MADE_UP, REDACTED, hidden_fields, hide_form, is_secret

SCHEME = re.compile(r"(\w+ )?")  # the text before a token in a header


def to_steps(
    exchanges: Collection[Exchange], before: Collection[Exchange] = (), own: Collection[str] = ()
) -> list[Step]:
    """Return exchanges for files, each after the actions beside HTTP before it.

    Variables replace the secrets that requests took from answers. `before` are earlier exchanges that are reported
    elsewhere: secrets are counted from there. `own` are the headers of the run: other secrets in headers were invented,
    or come from answers that are not reported.
    """
    issued = Issued(own)
    for exchange in before:
        issued.told(exchange)
    return [step for exchange in exchanges for step in (*map(Action.to_step, exchange.before), issued.told(exchange))]


@dataclass
class Issued:
    """The secrets of all answers so far, and the variable that replaces each."""

    own: Collection[str]
    variables: dict[str, str] = field(default_factory=dict)

    def told(self, exchange: Exchange) -> Step:
        """Return the next exchange for files."""
        borne, step = self._borne(exchange), exchange.to_step()
        unknown = {
            name for name, value in exchange.request_headers.items() if is_secret(name) and value not in self.own
        }
        step.request.headers |= dict.fromkeys(unknown - borne.keys(), MADE_UP)
        return msgspec.structs.replace(step, borne=borne, issued=self._learned(exchange, step))

    def _borne(self, exchange: Exchange) -> dict[str, str]:
        """Return headers and form fields that carry a secret of an earlier answer, with variables for secrets."""
        return {
            name: value.removesuffix(secret) + variable
            for name, value in _secrets_sent(exchange)
            for secret, variable in self.variables.items()
            if value.endswith(secret) and SCHEME.fullmatch(value.removesuffix(secret))
        }

    def _learned(self, exchange: Exchange, step: Step) -> dict[str, str]:
        """Store the secrets of an answer; return the variables of new ones, with their places in the answer."""
        learned = {}
        shown = (step.response.body or {}).get("json")
        for (key, place, secret), (_, _, hidden) in zip(places(exchange.json()), places(shown), strict=False):
            if hidden == REDACTED and len(secret) >= SHORTEST and secret not in self.variables:
                variable = self.variables[secret] = variable_of(key, len(self.variables) + 1)
                learned[variable] = place
        return learned


def _secrets_sent(exchange: Exchange) -> Iterator[tuple[str, str]]:
    """Yield the headers and form fields whose values files hide."""
    yield from ((name, value) for name, value in exchange.request_headers.items() if is_secret(name))
    hidden = hidden_fields(hide_form(exchange.request_body).decode("latin-1"))
    if hidden:
        fields = parse_qsl(exchange.request_body.decode("latin-1"))
        yield from ((name, value) for name, value in fields if name in hidden)
