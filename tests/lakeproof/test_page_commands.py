"""Commands on pages and in help texts: all of lakeproof's and mutants' are parsed; those without a server are run."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from conformance.values.settings import SETTINGS
from lakeproof.answering_api import load_before_api
from lakeproof.cli import COMMANDS, lakeproof
from mutants.__main__ import mutants

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
TABLE = tomllib.loads(Path(__file__).with_name("page_commands.toml").read_text())
KIT = "lakeproof"
MUTANTS = ["python", "-m", "mutants"]
OWN = re.compile(r"\.(venv|lakeproof)/bin/")
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`((?:lakeproof|python -m mutants) [a-z][^`]*)`")
NO_COMMAND = re.compile(r"\.\.\.|…|<")
ENDS = {"|", "||", "&", "&&", ";", ">", ">>", "<"}
ASSIGNMENT = re.compile(r"\w+=")
OPTION = re.compile(r"--?[a-z][a-z-]*")
LEAST = {"README.md": 30, "gate-your-server.md": 20}  # commands of these pages, so that none is overlooked


def simple_commands(script: str) -> Iterator[list[str]]:
    """Yield the words of each simple command of a shell script, without comments, assignments and redirections."""
    for line in script.replace("\\\n", " ").splitlines():
        words = shlex.shlex(line, posix=True, punctuation_chars=True)
        words.whitespace_split = True
        command: list[str] = []
        for word in [*words, ";"]:
            if word not in ENDS:
                command += [word] if command or not ASSIGNMENT.match(word) else []
                continue
            if command:
                yield command
            command = []
            if word.startswith((">", "<")):
                break


def commands(page: Path) -> list[list[str]]:
    """Return the commands in the blocks of a page."""
    return [command for script in BLOCK.findall(page.read_text()) for command in simple_commands(script)]


def named(page: Path) -> list[list[str]]:
    """Return the commands of lakeproof in the sentences of a page; they may lack arguments."""
    found = INLINE.findall(BLOCK.sub("", page.read_text()))
    scripts = (" ".join(text.split()) for text in found if not NO_COMMAND.search(text))
    return [command for script in scripts for command in simple_commands(script)]


def examples(command: click.Command) -> list[list[str]]:
    """Return the commands of lakeproof in the examples of a help text, without the remarks behind them."""
    epilog = (command.epilog or "").replace("\\\n", " ")
    starts = (f"  {KIT} ", f"  {' '.join(MUTANTS)} ")
    lines = [re.split(r" {2,}(?!-)", line.strip())[0] for line in epilog.splitlines() if line.startswith(starts)]
    return [words for line in lines for words in simple_commands(line) if is_own(words)]


def every_command() -> Iterator[click.Command]:
    """Yield all commands, with those of groups."""
    yield from (lakeproof, mutants, *mutants.commands.values())
    for name in COMMANDS:
        command = lakeproof.get_command(click.Context(lakeproof), name)
        assert command
        yield command
        yield from command.commands.values() if isinstance(command, click.Group) else ()


def is_own(words: list[str]) -> bool:
    """True for a command of lakeproof or of mutants."""
    return words[0] == KIT or words[: len(MUTANTS)] == MUTANTS


def resolve(words: list[str]) -> tuple[str, click.Command, list[str]]:
    """Return the name of such a command, the command, and the other words. Raises Problem if it is unknown."""
    command: click.Command = lakeproof if words[0] == KIT else mutants
    name, rest = "", words[1 if words[0] == KIT else len(MUTANTS) :]
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        part, found, rest = command.resolve_command(click.Context(command), rest)
        assert found
        command, name = found, f"{name} {part}".strip()
    return name, command, rest


def parse(words: list[str]) -> str:
    """Parse a command of lakeproof with its settings, and return its name. Raises Problem and the errors of click."""
    name, command, rest = resolve([word.replace("URL", "https://h") for word in words])
    if not isinstance(command, click.Group):
        params = command.make_context(name, rest).params
        if "url" in params:
            load_before_api({**{key: params[key] for key in params if key in SETTINGS}, "server": params["url"]})
    return name


def unknown_options(words: list[str]) -> set[str]:
    """Return the options that a command of lakeproof does not have. Raises Problem for an unknown command."""
    _, command, rest = resolve(words)
    rest = rest[: rest.index("--")] if "--" in rest else rest
    known = {flag for param in command.params for flag in param.opts}
    return {word for word in rest if OPTION.fullmatch(word)} - known - {"--help", "--version"}


def is_run(name: str, words: list[str]) -> bool:
    """True for a command that the test runs."""
    return any(
        name == " ".join(word for word in entry.split() if not word.startswith("-")) and {*entry.split()} <= {*words}
        for entry in TABLE["run"]
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_on_a_page_are_accepted(page, cli):
    found = commands(page)
    assert len(found) >= LEAST.get(page.name, 0)
    for words in found:
        program = Path(words[0]).name if OWN.match(words[0]) else words[0]
        command = [program, *words[1:]]
        if not is_own(command):
            assert program in TABLE["others"], words
            continue
        if is_run(name := parse(command), command):
            assert cli(*command[1:])[0] == 0, words
        else:
            assert name in TABLE["parsed"], words
    assert [words for words in named(page) if unknown_options(words)] == []


def test_examples_in_help_texts_are_accepted():
    found = [words for command in every_command() for words in examples(command)]
    assert len(found) > 60
    for words in found:
        parse(words)


def test_a_wrong_option_on_a_page_is_noticed():
    with pytest.raises(click.UsageError):
        parse(["lakeproof", "check", "--no-such-option"])
    assert unknown_options(["lakeproof", "check", "--no-such-option", "-k", "x"]) == {"--no-such-option"}
    assert list(simple_commands("A=1 lakeproof check URL -k 'a b' | sh > x # c")) == [
        ["lakeproof", "check", "URL", "-k", "a b"],
        ["sh"],
    ]
