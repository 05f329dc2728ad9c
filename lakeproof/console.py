"""The two streams that commands print to, and the tables there."""

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
    """A console that nobody's text controls: only its own styles and movements reach the terminal as they are.

    What is no screen has no width: in a file or a pipe nothing is cut or wrapped, whatever its colors.
    """

    @property
    def is_screen(self) -> bool:
        """True when somebody sees what is printed, line by line, in some width."""
        try:
            return self.file.isatty()
        except ValueError:  # it is closed
            return False

    @property  # type: ignore[misc]  # nobody sets it
    def size(self) -> ConsoleDimensions:
        """See Console.size."""
        size = super().size
        return size if self.is_screen else ConsoleDimensions(WIDEST, size.height)

    def rule(self, title: TextType = "", **options: Any) -> None:
        """See Console.rule. Outside of a screen it is the title alone: a line across has no end there."""
        if self.is_screen:
            super().rule(title, **options)
        else:
            self.print(title)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """See Console.render. Outside of a screen the spaces that fill a line are left out."""
        segments = (
            segment if segment.control else Segment(visible(segment.text), segment.style)
            for segment in super().render(renderable, options)
        )
        return iter(segments) if self.is_screen else _without_filling(segments)


def _without_filling(segments: Iterable[Segment]) -> Iterator[Segment]:
    """Yield segments without the spaces before the end of a line."""
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
    """Return a table as all commands print them; a long word goes on in the next line, and none is cut."""
    columns = [Column(header, overflow="fold") for header in headers]
    return Table(*columns, box=None, header_style="dim", pad_edge=False, **options)
