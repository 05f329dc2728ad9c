"""Choice of the revision that judges a server, for settings that name none, before the first requirement.

An expectations file and the run that `--last-failed` continues keep their revision. Otherwise the first requests of the
newest revision decide; where the server shows no sign of it, the run starts again with an older one, unless the server
also lacks what the newest has removed from that.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from conformance.apis import suite_part
from conformance.replay.expectations_file import read_expectations
from conformance.run.session import Session, met
from conformance.target.sandbox import STAYED
from conformance.target.signs import Shown, removals
from conformance.target.standing import Doubt
from conformance.target.target import OFFERED, connect
from conformance.values.exchange import Exchange
from conformance.values.outcomes import Stopped
from conformance.values.results import load_results
from conformance.values.results_files import results_file
from conformance.values.settings import Settings
from specs.problems import Problem
from specs.profiles import find_profile, newest_profile


def begin(settings: Settings, command: str = "", ids: Collection[str] | None = None, *, own: bool = False) -> Session:
    """Return the session of a run against the revision that the settings name, or the one that the server shows.

    The arguments are those of Session. Raises Problem as Session does.
    """
    shown = _followed(settings)
    settings = replace(settings, profile=shown.profile.name) if shown else settings
    session = Session(settings, command, ids, own=own)
    heard: list[Exchange] = []
    shown = shown or _confirmed(session.target.shown, settings, heard)
    session.client.requests += len(heard)
    session.client.recording.purposes["fixture"] += len(heard)
    for exchange in heard:
        session.log.add(exchange)
    if shown is None:
        return session
    if shown.profile != session.target.profile:
        _leave(session)
        first, settings = session, replace(settings, profile=shown.profile.name)
        session = Session(settings, command, ids, log=first.log, own=own)
        _continue(session, first)
    session.target.shown = shown
    if note := shown.note():
        session.note(note)
    return session


def shown_by(settings: Settings) -> Shown | None:
    """Return the revision that a server shows, None where the settings name one. Raises Problem for no such server."""
    if settings.profile or settings.spec:
        return None
    with met(settings) as target:
        return _confirmed(target.shown, settings, [])


def _confirmed(shown: Shown | None, settings: Settings, heard: list[Exchange]) -> Shown | None:
    """Return the revision that a server shows: the newest, if it lacks all that the newest removed from an older one.

    Such a server is rather a part of the newest one. A read-only run cannot ask for operations that write. `heard`
    receives the exchanges.
    """
    gone = removals(shown.profile) if shown else frozenset[str]()
    if shown is None or not gone:
        return shown
    target = connect(replace(settings, profile=shown.profile.name))
    try:
        with suppress(Stopped), target.client.recording.overheard() as sent:
            prober = suite_part(settings.api).prober(target)
            target.first_request(prober)
            target.probe(prober, gone)
            target.sandbox.sweep()
    finally:
        heard += sent
        target.close()
    if not target.probes or target.names(OFFERED):
        return shown
    newest = newest_profile(settings.api)
    return Shown(newest, f"the server shows nothing of it, and lacks {', '.join(sorted(gone))}, which it removed")


def _followed(settings: Settings) -> Shown | None:
    """Return the revision of the run that this one continues, or of its expectations, None without either."""
    if settings.profile or settings.spec:
        return None
    kept: list[tuple[str, str]] = []
    if settings.last_failed and results_file(Path(settings.report)).exists():
        kept.append((load_results(Path(settings.report)).target.profile, f"the run in {settings.report} used it"))
    if settings.expect:
        kept.append((read_expectations(Path(settings.expect)).profile, f"{settings.expect} is for it"))
    for name, why in kept:
        with suppress(Problem):  # a profile of another release of the kit
            profile = find_profile(name)
            if profile.api == settings.api and profile.revision in profile.facts.revisions:
                return Shown(profile, why)
    return None


def _leave(session: Session) -> None:
    """Drop what the first requests of a session created, and close its connections."""
    target = session.target
    try:
        with suppress(Stopped):
            target.sandbox.sweep()
    except BaseException:
        session.finish()
        raise
    target.close()


def _continue(session: Session, first: Session) -> None:
    """Take over the requests, the end and the remaining objects of a session that ended before its requirements."""
    session.client.requests += first.client.requests
    session.client.recording.purposes += first.client.recording.purposes
    session.client.traffic.ends = first.client.traffic.ends
    left = first.target.sandbox
    if left.left_behind:
        session.target.sandbox.doubtful |= {resource: Doubt(STAYED, made=True) for resource in left.put_off}
