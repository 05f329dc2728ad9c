"""`python -m tests.releasing`: build what a release publishes, check it, and install it into clean environments.

The checkers run by `uvx`, which takes them from the package index. docs/release.md says when this is done.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click
from uv import find_uv_bin

from tests.lakeproof.environments import ROOT, run, uv

PYTHONS = ("3.11", "3.12", "3.13")
CHECKERS = (
    ("uvx", "--quiet", "twine", "check", "--strict"),
    ("uvx", "--quiet", "check-wheel-contents", "--config", str(ROOT / "pyproject.toml")),
)
EXTRAS = ("", "arrow", "s3", "lance", "fuzz", "spark")
CONSTRAINTS = ROOT / ".ci" / "constraints.txt"
SELECTED = ("--depth", "smoke", "-k", "namespace.create")
FREE = ("Apache", "MIT", "BSD", "ISC", "PSF", "Python", "MPL", "Unlicense", "CC0", "0BSD", "Zlib", "ICU")
"""Words of licences under which packages may come with lakeproof: none restricts what is made with it."""


@click.command()
@click.option("--python", "pythons", multiple=True, default=PYTHONS, help="Python to install it on; repeatable.")
@click.option("--out", type=click.Path(path_type=Path), default=ROOT / "dist", help="Folder of the files.")
@click.option("--sizes", is_flag=True, help="Measure installations of every extra, too.")
def main(pythons: tuple[str, ...], out: Path, sizes: bool) -> None:
    """Build the wheel and the sdist twice, compare and check them, and test the wheel in clean environments."""
    wheel, sdist = _built(out)
    for command in CHECKERS:
        _must(*command, *([wheel, sdist] if "twine" in command else [wheel]))
    with tempfile.TemporaryDirectory() as folder:
        for python in pythons:
            _try(wheel, python, Path(folder))
        _try_uvx(wheel, Path(folder))
        _write_bill(wheel, out, Path(folder))
        for extra in EXTRAS if sizes else ():
            click.echo(f"{extra or 'no extra'}: {_size(wheel, extra, Path(folder)):,.0f} MB")


def _built(out: Path) -> tuple[Path, Path]:
    """Build both files twice, the wheel once from the sdist, and return them. Ends with an error if they differ."""
    with tempfile.TemporaryDirectory() as again:
        uv("build", "--quiet", "--clear", "--out-dir", out, ROOT)
        uv("build", "--quiet", "--sdist", "--out-dir", again, ROOT)
        uv("build", "--quiet", "--wheel", "--out-dir", again, *Path(again).glob("*.tar.gz"))
        for path in _files(Path(again)):
            if _digest(path) != _digest(out / path.name):
                sys.exit(f"{path.name} is another file in the second build")
    for path in _files(out):
        click.echo(f"{_digest(path)}  {path.name}  ({path.stat().st_size / 1e6:.1f} MB, the same twice)")
    return next(out.glob("*.whl")), next(out.glob("*.tar.gz"))


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.iterdir()) if path.suffix in (".whl", ".gz"))


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _must(*command: object) -> str:
    """Run a command and return its output. Ends with that output if it fails."""
    words = [find_uv_bin(), "tool", "run", *command[1:]] if command[0] == "uvx" else list(command)
    code: int
    output: str
    code, output = run(*words, cwd=tempfile.gettempdir())
    if code:
        sys.exit(f"{' '.join(map(str, command))} ended with {code}:\n{output}")
    click.echo(f"ok: {' '.join(Path(str(word)).name for word in command)}")
    return output


def _installed(folder: Path, python: str, wheel: Path, extra: str = "") -> Path:
    """Install the wheel into a new environment, and return the folder of its commands."""
    uv("venv", "--quiet", "--python", python, folder)
    what = f"{wheel}[{extra}]" if extra else wheel
    uv("pip", "install", "--quiet", "--python", folder / "bin" / "python", "--constraint", CONSTRAINTS, what)
    return folder / "bin"


def _try(wheel: Path, python: str, folder: Path) -> None:
    """Install the wheel on a Python, with and without `lance`, and run a part of the suite from it."""
    name = python.strip("/").replace("/", "-")
    small = _installed(folder / name, python, wheel)
    _must(small / "lakeproof", "--version")
    _must(small / "lakeproof", "check", "--api", "iceberg", *SELECTED, "--report", folder / "report")
    whole = _installed(folder / f"{name}-lance", python, wheel, "lance")
    _must(whole / "lakeproof", "check", *SELECTED, "--report", folder / "report-of-all")


def _try_uvx(wheel: Path, folder: Path) -> None:
    _must(
        "uvx", "--quiet", "--from", wheel, "lakeproof", "check", "--api", "polaris", *SELECTED, "--report", folder / "r"
    )
    _must("uvx", "--quiet", "pipx", "run", "--spec", wheel, "lakeproof", "--version")


def _write_bill(wheel: Path, out: Path, folder: Path) -> None:
    """Write the bill of materials of an installation with all extras that servers and runs need, and check licences."""
    python = _installed(folder / "bill", sys.executable, wheel, "lance,s3,fuzz") / "python"
    bill = out / "sbom.cdx.json"
    _must(
        "uvx", "--quiet", "--from", "cyclonedx-bom", "cyclonedx-py", "environment", "--of", "JSON", "-o", bill, python
    )
    components = json.loads(bill.read_text())["components"]
    for component in components:
        if not any(word in text for text in _licences(component) for word in FREE):
            sys.exit(f"{component['name']}: no known licence in {_licences(component)}")
    click.echo(f"{bill}: {len(components)} packages, all under a licence that restricts nothing")


def _licences(component: dict[str, object]) -> list[str]:
    entries = component.get("licenses") or []
    assert isinstance(entries, list)
    named = [entry.get("license", {}) for entry in entries]
    return [str(entry["expression"]) for entry in entries if "expression" in entry] + [
        str(licence.get("id") or licence.get("name")) for licence in named if licence
    ]


def _size(wheel: Path, extra: str, folder: Path) -> float:
    """Return the size of an installation in MB."""
    place = _installed(folder / f"size-{extra}", sys.executable, wheel, extra).parent
    return sum(path.stat().st_size for path in place.rglob("*") if path.is_file() and not path.is_symlink()) / 1e6


if __name__ == "__main__":
    main()
