"""API of a run that names none: the one that answers at its server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from conformance.values.settings import NEWEST, Settings, given_elsewhere, load_settings
from specs.apis import find_api

OF_ONE_API = ("api", "profile", "spec")
BY_API = ("path_prefix",)  # whether it has an effect depends on the API


def names_an_api(given: Mapping[str, Any]) -> bool:
    """True if the settings, the environment or `lakeproof.toml` name an API, a profile or a document."""
    return bool(_named(given))


def load_before_api(given: Mapping[str, Any]) -> Settings:
    """Return the settings of a run, whose API may be unknown yet. Raises Problem as `load_settings`."""
    if names_an_api(given):
        return load_settings(given)
    return load_settings(given, told={name: value for name, value in given.items() if value and name not in BY_API})


def answering_api(given: Mapping[str, Any], say: Callable[[str], None] = lambda sentence: None) -> dict[str, str]:
    """Return the setting `api` for a run that names none: the API of its profile, or the one that answers at its URL.

    It is empty for a run that names an API, or has neither. `say` receives a sentence with the API that answers. Raises
    Problem for a server that speaks no API, or cannot be reached.
    """
    from specs.profiles import find_profile  # noqa: PLC0415 - reads documents, which few commands need

    named = _named(given)
    if "profile" in named and "api" not in named:
        return {"api": find_profile(named["profile"]).api}
    if named or not (settings := load_before_api(given)).server:
        return {}
    from conformance.run.recognition import recognise  # noqa: PLC0415 - importing the suite takes a while

    api = find_api(recognise(settings))
    say(f"{settings.server} speaks {api.title}.")
    return {"api": api.name}


def shown_api(given: Mapping[str, Any]) -> dict[str, str]:
    """Return the setting `api` as `answering_api`; show the search, and print its result to standard error."""
    if names_an_api(given):
        return answering_api(given)
    from rich.text import Text  # noqa: PLC0415 - as above

    from lakeproof.console import err  # noqa: PLC0415
    from lakeproof.progress import showing  # noqa: PLC0415

    with showing():
        return answering_api(given, lambda sentence: err.print(Text(sentence), soft_wrap=True))


def _named(given: Mapping[str, Any]) -> dict[str, Any]:
    merged = given_elsewhere() | {name: value for name, value in given.items() if value}
    return {name: merged[name] for name in OF_ONE_API if merged.get(name) and merged[name] != NEWEST}
