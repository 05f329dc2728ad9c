"""Text of a target made safe for terminals and pages: control characters are escaped."""

from __future__ import annotations

from typing import Any

LAYOUT = "\n\t"


def visible(text: str) -> str:
    """Return a text with every unprintable character escaped as in JSON, except line breaks and tabs.

    These are control characters, which terminals obey, and marks that reverse the direction of text.
    """
    hidden = [sign for sign in set(text) if not sign.isprintable() and sign not in LAYOUT]
    return text.translate({ord(sign): _escaped(sign) for sign in hidden}) if hidden else text


def visible_in(value: Any) -> Any:
    """Return a JSON value with `visible` applied to all texts, keys included."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {visible(key): visible_in(item) for key, item in value.items()}
    return [visible_in(item) for item in value] if isinstance(value, list | tuple) else value


def _escaped(sign: str) -> str:
    units = sign.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[start : start + 2].hex()}" for start in range(0, len(units), 2))
