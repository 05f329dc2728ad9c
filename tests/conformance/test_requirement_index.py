"""The index says what the modules of requirements say, and never what they said."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.apis import requirements
from conformance.run.requirement_index import index_of
from specs.apis import apis

ROOT = Path(__file__).parents[2]
TOY = '''
from conformance.author.requirement import must

@must("toy.{name}", operations=["Get"], clause="c", each={{"a": "Get", "b": "Get"}})
def test_{name}(case):
    """{{}} holds."""
    assert case
'''
ASK = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from conformance.run import requirement_index
requirement_index.SOURCES = ("toyreq",)
index = requirement_index.index_of("toyreq", "toy", Path(sys.argv[2]))
sources = {name: entry.source() for name, entry in index.items()}
print(json.dumps([sources, "toyreq.test_toy" in sys.modules]))
"""
LIST = """
import sys
sys.argv = ["lakeproof", "list", "--api", "lance", "--json"]
from lakeproof.cli import main
try:
    main()
finally:
    print(*sorted({"pytest", "hypothesis", "pyarrow", "urllib3"} & sys.modules.keys()), file=sys.stderr)
"""


def python(code, *arguments, **environ):
    """Run code in a process of its own; return what it printed on both streams."""
    run = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        check=True,
        capture_output=True,
        text=True,
        # a file that changes within a second and keeps its size would be imported as compiled before
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", **environ},
    )
    return run.stdout, run.stderr.strip()


@pytest.mark.parametrize("api", apis())
def test_it_has_what_the_modules_declare(api, tmp_path):
    known = requirements(api)
    index = index_of(f"conformance.{api}", api, tmp_path)
    assert {name: entry.requirement for name, entry in index.items()} == known
    assert not any(tmp_path.iterdir()), "modules that were imported before may not be those of the files"


def test_what_is_in_it_is_listed_without_the_modules(tmp_path):
    first, imported = python(LIST, XDG_CACHE_HOME=str(tmp_path))
    assert "pytest" in imported
    assert python(LIST, XDG_CACHE_HOME=str(tmp_path)) == (first, "")
    assert {entry["id"] for entry in json.loads(first)} <= requirements("lance").keys()


def toy(folder, name):
    (folder / "toyreq").mkdir(exist_ok=True)
    (folder / "toyreq" / "__init__.py").touch()
    (folder / "toyreq" / "test_toy.py").write_text(TOY.format(name="{}" + f".{name}").replace("test_{}.", "test_"))


def asked(folder):
    """The entries of the toy in the index, and whether its module was imported for that."""
    sources, imported = json.loads(python(ASK, folder, folder / "cache")[0])
    return sorted(sources), imported


def test_a_change_of_a_file_is_seen(tmp_path):
    toy(tmp_path, "old")
    assert asked(tmp_path) == (["toy.a.old", "toy.b.old"], True)
    assert asked(tmp_path) == (["toy.a.old", "toy.b.old"], False)
    toy(tmp_path, "new")
    assert asked(tmp_path) == (["toy.a.new", "toy.b.new"], True)
    (tmp_path / "toyreq" / "data.toml").write_text("it = 'may follow from data'")
    assert asked(tmp_path) == (["toy.a.new", "toy.b.new"], True)


def test_a_damaged_index_is_made_again(tmp_path):
    toy(tmp_path, "old")
    asked(tmp_path)
    (file,) = (tmp_path / "cache").iterdir()
    file.write_bytes(file.read_bytes()[:-9])
    assert asked(tmp_path) == (["toy.a.old", "toy.b.old"], True)
    assert asked(tmp_path) == (["toy.a.old", "toy.b.old"], False)


def test_without_a_place_for_it_the_modules_are_imported(tmp_path):
    toy(tmp_path, "old")
    (tmp_path / "cache").write_text("a file")
    assert asked(tmp_path) == (["toy.a.old", "toy.b.old"], True)
