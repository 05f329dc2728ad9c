"""Consoles for standard output and standard error, and the tables of commands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rich.console import Console, ConsoleDimensions, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import TextType

from conformance.values.visible import visible

WIDEST = 1 << 20


class SafeConsole(Console):
    """Console that escapes control characters in texts: only its own styles and movements control the terminal.

    A file or a pipe has no width: text in it is neither truncated nor wrapped, whatever its colors.
    """

    @property
    def is_screen(self) -> bool:
        """True if the output is a terminal with a width."""
        try:
            return self.file.isatty()
        except ValueError:  # the stream is closed
            return False

    @property  # type: ignore[misc]  # nobody sets it
    def size(self) -> ConsoleDimensions:
        """Size of the terminal; for a file or a pipe, a width that no line reaches."""
        size = super().size
        return size if self.is_screen else ConsoleDimensions(WIDEST, size.height)

    def rule(self, title: TextType = "", **options: Any) -> None:
        """Print a title in a line across the terminal; in a file or a pipe, the title alone."""
        if self.is_screen:
            super().rule(title, **options)
        else:
            self.print(title)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """Yield the segments of a renderable; for a file or a pipe, without the spaces that fill a line."""
        segments = (
            segment if segment.control else Segment(visible(segment.text), segment.style)
            for segment in super().render(renderable, options)
        )
        return iter(segments) if self.is_screen else _without_filling(segments)


def _without_filling(segments: Iterable[Segment]) -> Iterator[Segment]:
    """Yield segments without trailing spaces of lines."""
    held: list[Segment] = []
    for segment in segments:
        if segment.text == "\n":
            held.clear()
        text = segment.text.rstrip(" ")
        if segment.control or text:
            yield from held
            yield segment if segment.control else Segment(text, segment.style)
            held.clear()
        if not segment.control and len(text) < len(segment.text):
            held.append(Segment(segment.text[len(text) :], segment.style))
    yield from held


out = SafeConsole(highlight=False)
err = SafeConsole(stderr=True, highlight=False)


def table_of(*headers: RenderableType, **options: Any) -> Table:
    """Return a table in the style of all commands; it breaks long words into lines and truncates none."""
    columns = [Column(header, overflow="fold") for header in headers]
    return Table(*columns, box=None, header_style="dim", pad_edge=False, **options)
