"""`python -m tests.changed [BASE]`: style, types, and the unit tests of changed files, in less than a minute.

Files are changed that differ from the commit BASE, by default from the last one. The tests of a file are the changed
modules of tests, then those that import it, those that carry its name first.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import click

from tests.sources import imported
from tests.tiers import ROOT, is_test_module, tier_of

MOST = 20  # modules of tests
ALWAYS = ("tests/test_style.py",)


@click.command()
@click.argument("base", default="HEAD")
def main(base: str) -> None:
    """Run ruff, mypy, and the unit tests of files that differ from the commit BASE."""
    found = nearest_tests(changed(base))
    if len(found) > MOST:
        click.echo(f"The {MOST} nearest of {len(found)} modules of tests; `tox -e unit` runs all.")
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", *ALWAYS, *found[:MOST]]
    sys.exit(subprocess.run(command, cwd=ROOT, check=False).returncode)


def changed(base: str) -> set[Path]:
    """Return the files, named from the root, that differ from a commit or are new."""
    return {Path(line) for line in (*_git("diff", "--name-only", base), *_git("ls-files", "-o", "--exclude-standard"))}


def nearest_tests(files: Collection[Path]) -> list[str]:
    """Return the unit tests of files, the nearest first."""
    modules = {_module(path) for path in files if path.suffix == ".py"}
    names = {f"test_{path.stem}.py" for path in files}
    ranked = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        name = path.relative_to(ROOT)
        if is_test_module(path) and tier_of(path) == "unit" and str(name) not in ALWAYS:
            imports = modules.intersection(imported(name))
            if name in files or imports:
                ranked.append((name not in files, name.name not in names, -len(imports), str(name)))
    return [name for *_, name in sorted(ranked)]


def _module(path: Path) -> str:
    return ".".join((path.parent if path.stem == "__init__" else path.with_suffix("")).parts)


def _git(*words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"git {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout.splitlines()


if __name__ == "__main__":
    main()
