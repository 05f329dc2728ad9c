"""Messages of failures: at the line of ours that called another package, and with the bodies of answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from urllib3 import HTTPResponse

ROOT = Path(__file__).parent.parent
PACKAGES = "site-packages"  # an environment of tox lies within the checkout


def show_ours(excinfo: pytest.ExceptionInfo[BaseException]) -> None:
    """Cut a traceback behind our last frame, and the errors that another package's error was caused by."""
    ours = [at for at, entry in enumerate(excinfo.traceback, 1) if _is_ours(Path(entry.path))]
    if ours and ours[-1] < len(excinfo.traceback):
        excinfo.traceback = excinfo.traceback[: ours[-1]]
        excinfo.value.__cause__, excinfo.value.__suppress_context__ = None, True


def _is_ours(path: Path) -> bool:
    return path.is_relative_to(ROOT) and PACKAGES not in path.parts


def show_answers() -> None:
    """Have the representation of an answer its status and what was read of its body."""
    HTTPResponse.__repr__ = _shown


def _shown(answer: object) -> str:
    known = vars(answer)
    return f"<{known['status']} {known['_body']!r:.200}>"
