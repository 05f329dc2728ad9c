"""Messages of failures: at the line of ours that called another package, and with the bodies of answers."""

from __future__ import annotations

from pathlib import Path

from urllib3 import HTTPResponse

ROOT = Path(__file__).parent.parent
PACKAGES = "site-packages"  # an environment of tox lies within the checkout


def show_ours(error: BaseException) -> None:
    """Cut the traceback of an error behind our last frame, and the causes of an error of another package."""
    ours, at = None, error.__traceback__
    while at:
        ours = at if _is_ours(Path(at.tb_frame.f_code.co_filename)) else ours
        at = at.tb_next
    if ours and ours.tb_next:
        ours.tb_next = None
        error.__cause__, error.__suppress_context__ = None, True


def _is_ours(path: Path) -> bool:
    return path.is_relative_to(ROOT) and PACKAGES not in path.parts


def show_answers() -> None:
    """Have the representation of an answer its status and what was read of its body."""
    HTTPResponse.__repr__ = _shown


def _shown(answer: object) -> str:
    known = vars(answer)
    return f"<{known['status']} {known['_body']!r:.200}>"
