"""Reader of rules: their text form, their JSON form, and files of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from reference_server.rules.rule import ABSENT, ANY, DEFAULTS, FLAGS, PRESENT, WHEN, Rule
from reference_server.rules.words import split_rule, split_words
from specs.problems import Problem, did_you_mean

EXAMPLE = "OPERATION: 504 applied x2"
STATUS, TIMES = re.compile(r"\d{3}"), re.compile(r"x(\d+)")
NUMBERS: Mapping[str, Callable[[str], float]] = {"delay": float, "after": int, "every": int}
LISTS = ("lost", "ignored")
ASSIGNED = ("body", "message", "header.")
KINDS: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("operation", "error", "message", "fault"), (str,)),
    **dict.fromkeys(FLAGS, (bool,)),
    **dict.fromkeys(("after", "every"), (int,)),
    **dict.fromkeys(("times", "status"), (int, type(None))),
    **dict.fromkeys(("where", "changed", "headers", "given"), (dict,)),
    "delay": (int, float),
    **dict.fromkeys(("lost", "ignored"), (list, tuple)),
    "body": (str, type(None)),
}


def parse_rule(text: str, operations: Collection[str] = ()) -> Rule:
    """Return the rule of a text: `OPERATION [WHERE]...: WHAT [WHEN]`, or the name of a fault and when it occurs.

    A text is a rule on requests where a colon and a space, or a known operation and a colon, begin it. Raises Problem
    for a text that is neither, and for words that are unknown or contradict each other.
    """
    try:
        split = split_rule(text, (*operations, ANY, "*"))
        if split is None:
            name, _, when = text.strip().partition(" ")
            return _checked(Rule(fault=name, **_read(split_words(when), text)), text)
        head, rest = map(split_words, split)
    except ValueError as error:
        raise Problem(f"The rule {text!r:.300} cannot be read: {str(error).lower()}.", f"Example: {EXAMPLE}") from None
    operation, *where = head or [ANY]
    chosen = "" if operation in (ANY, "*") else operation
    return _checked(Rule(chosen, dict(_conditions(where)), **_read(rest, text)), text)


def rule_from(value: Any, operations: Collection[str] = ()) -> Rule:
    """Return the rule of a text or of a JSON object with the fields of Rule. Raises Problem for anything else.

    An object with one key that is no field is a text as YAML reads it: `updateTable: 504 applied x2`.
    """
    if isinstance(value, Rule):
        return _checked(value, str(value))
    if isinstance(value, Mapping) and len(value) == 1 and not value.keys() & DEFAULTS.keys():
        value = ": ".join(str(part) for part in (*value.keys(), *value.values()))
    if isinstance(value, str):
        return parse_rule(value, operations)
    if not isinstance(value, Mapping):
        raise Problem(f"A rule is a text or an object, not {value!r:.100}.", f"Example: {EXAMPLE}")
    for name, given in value.items():
        if name not in KINDS:
            raise Problem(f"A rule has no field {name!r}.", did_you_mean(str(name), KINDS))
        if not isinstance(given, KINDS[name]) or (isinstance(given, bool) and bool not in KINDS[name]):
            names = " or ".join("null" if kind is type(None) else kind.__name__ for kind in KINDS[name])
            raise Problem(f"The field {name} of a rule is {given!r:.100}.", f"Give a value of the type {names}.")
    lists = {name: tuple(map(str, value[name])) for name in LISTS if name in value}
    rule = Rule(**{**value, **lists})
    return _checked(rule, str(rule))


def read_rules(file: Path) -> list[Any]:
    """Return the rules in a YAML or JSON file, texts or objects. Raises Problem for a file without a list of them."""
    import yaml  # noqa: PLC0415 - slow to import, and most servers read no file

    try:
        rules = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"--rules: {file} cannot be read: {error}.", "Give a YAML or JSON file.") from None
    except yaml.YAMLError as error:
        place = " ".join(str(error).split())
        raise Problem(
            f"--rules: {file} is not YAML: {place:.300}.", "Put a text with `=` or quotes in quotes."
        ) from None
    if not isinstance(rules, list):
        raise Problem(f"--rules: {file} has no list of rules.", f"Example of a line: - {EXAMPLE}")
    return rules


def _conditions(words: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    for word in words:
        name, equals, pattern = word.partition("=")
        if name.startswith(ABSENT):
            yield name.removeprefix(ABSENT), None
        else:
            yield name, pattern if equals else PRESENT


def _read(words: Sequence[str], whole: str) -> dict[str, Any]:
    """Return the fields that the words after the colon stand for."""
    given: dict[str, Any] = {}
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if word in FLAGS:
            given[word] = True
        elif STATUS.fullmatch(word) and "status" not in given:
            given["status"] = int(word)
        elif match := TIMES.fullmatch(word):
            given["times"] = int(match[1])
        elif word in NUMBERS:
            given[word] = _number(word, next(rest, ""), whole)
        elif word in LISTS:
            given[word] = (*given.get(word, ()), *filter(None, next(rest, "").split(",")))
        elif word == "given":
            given[word] = {**given.get(word, {}), **_argument(next(rest, ""), whole)}
        elif equals and name.startswith(ASSIGNED):
            _assign(given, name, value)
        elif not equals and (free := "error" if "status" in given else "fault") not in given:
            given[free] = word
        else:
            known = [*FLAGS, *NUMBERS, *ASSIGNED, *LISTS, "given", "x2"]
            raise Problem(f"The rule {whole!r:.300} has the unknown word {word!r:.100}.", did_you_mean(word, known))
    return given


def _argument(text: str, rule: str) -> dict[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise Problem(f"The rule {rule!r:.300} has no argument after 'given'.", "Example: given pageSize=2")
    return {name: value}


def _assign(given: dict[str, Any], name: str, value: str) -> None:
    """Set what `NAME=VALUE` means: a header or a field of the answer, its whole body, or the message of an error."""
    kind, _, place = name.partition(".")
    if not place:
        given[kind] = value
    elif kind == "header":
        given.setdefault("headers", {})[place] = value
    else:
        given.setdefault("changed", {})[place] = _json(value)


def _number(name: str, text: str, rule: str) -> float:
    try:
        return NUMBERS[name](text.removesuffix("s"))
    except ValueError:
        raise Problem(f"The rule {rule!r:.300} has no number after {name!r}.", f"Example: {name} 2") from None


def _json(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def _checked(rule: Rule, text: str) -> Rule:
    """Return a rule. Raises Problem for one that does nothing, or several things that exclude each other."""
    ends = [name for name in ("cut", "half", "stale") if getattr(rule, name)]
    ends += [f"status {rule.status}"] if rule.status is not None else []
    if len(ends) > 1:
        raise Problem(f"The rule {text!r:.300} has {' and '.join(ends)}.", "Leave one of them out.")
    if rule.absent and (rule.applied or rule.cut or rule.half or rule.stale or (rule.status or 400) < 400):
        raise Problem(f"The rule {text!r:.300} has an absent operation that does something.", "Example: views: absent")
    if rule.applied and not (rule.cut or rule.refuses or rule.delay):
        raise Problem(f"The rule {text!r:.300} says applied without an error, a cut or a delay.", f"Example: {EXAMPLE}")
    for name in ("error", "message"):
        if getattr(rule, name) and not rule.refuses:
            raise Problem(
                f"The rule {text!r:.300} has {name} {getattr(rule, name)!r:.100}, but no status from 400 on.",
                f"Example: {EXAMPLE}",
            )
    if not rule.fields.keys() - {"operation", "where", *WHEN}:
        raise Problem(f"The rule {text!r:.300} does not say what happens.", f"Example: {EXAMPLE}")
    for name, least in (("after", 0), ("every", 1), ("times", 1), ("delay", 0)):
        number = getattr(rule, name)
        if number is not None and not least <= number < float("inf"):
            raise Problem(f"The rule {text!r:.300} has {name} {number}.", f"Give a number from {least} on.")
    return rule
