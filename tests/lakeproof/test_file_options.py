"""Options of a command in the environment and in `lakeproof.toml`."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from lakeproof.commands.serve import serve_command
from lakeproof.options import FileOptionsCommand
from specs.problems import Problem


@click.command("paint", cls=FileOptionsCommand)
@click.option("--page-size", type=int, default=1)
@click.option("--colour", "colours", multiple=True)
@click.option("--wet", is_flag=True)
def paint(**options):
    click.echo(f"{options['page_size']} {' '.join(options['colours'])} {options['wet']}")


@pytest.fixture
def painted(tmp_path, monkeypatch):
    """Run the command in an empty folder, or beside a file, and return what it prints."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments, text="", **environ):
        (tmp_path / "lakeproof.toml").write_text(text)
        ended = CliRunner().invoke(paint, arguments, env=environ)
        if isinstance(ended.exception, Problem):
            raise ended.exception
        return ended.output.strip()

    return run


def test_the_nearest_place_wins(painted):
    text = '[paint]\npage_size = 5\ncolour = ["red", "blue"]\nwet = true'
    assert painted() == "1  False"
    assert painted(text=text) == "5 red blue True"
    assert painted(text=text, LAKEPROOF_PAINT_PAGE_SIZE="6", LAKEPROOF_PAINT_COLOUR="green grey") == "6 green grey True"
    assert painted("--page-size", "7", text=text, LAKEPROOF_PAINT_PAGE_SIZE="6") == "7 red blue True"


def test_one_value_of_several_needs_no_list(painted):
    assert painted(text='[paint]\ncolour = "red"') == "1 red False"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[paint]\ncolours = []", "unknown option: colours.\\nDid you mean colour"),
        ("paint = 1", "not a table"),
        ("[paint", "not valid TOML"),
    ],
)
def test_a_wrong_file_is_a_problem(painted, text, words):
    with pytest.raises(Problem, match=words):
        painted(text=text)


def test_a_wrong_value_names_the_option(painted):
    assert "Invalid value for '--page-size'" in painted(text='[paint]\npage_size = "many"')


def test_serve_takes_its_options_from_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lakeproof.toml").write_text('[serve]\napi = "iceberg"\nfault = ["slow"]\nwarehouse = ["a", "b"]\n')
    context = serve_command.make_context("serve", [])
    assert (context.params["api"], context.params["faults"]) == ("iceberg", ("slow",))
    assert context.params["warehouses"] == ("a", "b")
