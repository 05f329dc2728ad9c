"""The profile and the document of a run, including a copy of the document from `--spec`."""

from __future__ import annotations

from pathlib import Path

from conformance.values.settings import Settings
from specs.openapi import Document
from specs.problems import Problem
from specs.profiles import Profile, find_profile, nearest_profile

MOST_NAMED = 5


def named_profile(settings: Settings) -> Profile:
    """Return the profile that the settings name, the newest of their API by default. Raises Problem for an unknown one.

    The profile may be of another API: commands without a server take the API from it.
    """
    return find_profile(settings.revision or settings.api)


def profile_of(settings: Settings) -> Profile:
    """Return the profile of the settings, or the one nearest to their copy of the document.

    Raises Problem for an unknown profile, one of another API, and an unreadable document.
    """
    if settings.spec and not settings.profile:
        return nearest_profile(settings.api, Path(settings.spec))
    profile = named_profile(settings)
    if profile.api != settings.api:
        raise Problem(
            f"The profile {profile.name} does not belong to the API {settings.api}.",
            f"Use --api {profile.api}, or another profile.",
        )
    return profile


def document_of(settings: Settings, profile: Profile) -> tuple[Document, list[str]]:
    """Return the document of a run, and notes on a copy of it. Raises Problem for an unreadable one."""
    if not settings.spec:
        return profile.document(), []
    document = profile.document_from(Path(settings.spec))
    return document, [*_nearest(settings, profile), *_left_out(settings, profile, document)]


def has_prefixes(document: Document) -> bool:
    """True when paths of a document have a prefix that the server chooses."""
    return any("{prefix}" in operation.path for operation in document.operations.values())


def _nearest(settings: Settings, profile: Profile) -> list[str]:
    """Return a note on the profile that is nearest to the copy."""
    if not settings.profile:
        return [f"{settings.spec} is tested against {profile.name}, the nearest profile."]
    nearest = nearest_profile(profile.api, Path(settings.spec))
    if nearest == profile:
        return []
    return [f"{settings.spec} is nearer to {nearest.name} than to {profile.name}: use --profile {nearest.name}."]


def _left_out(settings: Settings, profile: Profile, document: Document) -> list[str]:
    """Return a note on corrections that do not fit the copy: another revision, or one that is corrected already."""
    targets = list(dict.fromkeys(action.target for action in document.unused_actions))
    if not targets:
        return []
    rest = len(targets) - MOST_NAMED
    named = ", ".join(targets[:MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")
    return [f"Corrections of {profile.name} that do not fit {settings.spec} are left out: {named}."]
