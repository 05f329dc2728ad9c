"""The two streams that commands print to."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from conformance.visible import visible


class SafeConsole(Console):
    """A console that nobody's text controls: only its own styles and movements reach the terminal as they are."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """See Console.render."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)


out = SafeConsole(highlight=False)
err = SafeConsole(stderr=True, highlight=False)
