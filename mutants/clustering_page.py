"""Page about causes measured against known truth, made from the measurements in a folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from mutants.clustering import Card, Measure, Score, score
from mutants.trials import AT_ONCE, FEWEST
from specs.writing import write_file, written

PAGE = "causes.md"
FOLDER, SUFFIX = "causes", ".json"
SCORES = ("alone", "at once")
HEAD = f"""\
# Causes of known faults

A report shows findings by cause: one defect of the server should be one cause, whose sentence names its operation; one
cause should have the findings of one defect; and its sentence should be true of each finding that states it. The faults
of the reference server are known defects, so that all of this can be measured.

A seeded draw chooses faults that at least {FEWEST} requirements are known to notice: they break a rule in many
operations, or what many requirements rest on. Each is shown alone to the whole suite, in a run at gate depth without
shrinking. Then {AT_ONCE} faults at once are shown to it.

- **causes per fault**: causes with findings of a fault. Faults without a finding do not count.
- **told**: faults whose worst cause names one of their operations.
- **mixed**: causes that have findings of several faults.
- **purity**: the share of findings that belong to the fault of most findings of their cause. With several faults at
  once, a finding belongs to each fault that makes the same finding alone (same requirement, operation, place, statuses
  and check); if none does, to those under which it fails in another way.
- **unlabelled**: findings that belong to no fault, as another fault changed them; purity leaves them out.
- **untrue**: causes whose sentence states something that does not hold for one of their findings.
- **blocked**: requirements that could not be tested because another operation failed. They are in no other count.

`python -m mutants clustering --api API --keep mutants/results` measures, and
`python -m mutants publish mutants/results` makes this page.
"""


class Measured(msgspec.Struct, kw_only=True):
    """The measures of an API: each fault alone, and several at once; `how` is the choice in words."""

    how: str
    alone: list[Measure]
    several: list[Measure]


def measured_file(folder: Path, api: str) -> Path:
    """Return the file of an API in a folder of measurements."""
    return folder / FOLDER / f"{api}{SUFFIX}"


def write_measured(path: Path, measured: Measured) -> None:
    """Write the measures of an API. Raises NotWritten when that is impossible."""
    with written(path, "Give another folder."):
        write_file(path, msgspec.json.format(msgspec.json.encode(measured), indent=1) + b"\n")


def read_measured(folder: Path) -> dict[str, Measured]:
    """Return the measures in a folder by API; none where there is no file."""
    files = sorted((folder / FOLDER).glob(f"*{SUFFIX}"))
    return {path.stem: msgspec.json.decode(path.read_bytes(), type=Measured) for path in files}


def clustering_page(measured: Mapping[str, Measured]) -> str:
    """Return the page."""
    return "\n".join(_page(measured))


def scores_of(measured: Measured) -> dict[str, Score]:
    """Return the scores of the faults alone, and of several at once."""
    return dict(zip(SCORES, map(score, (measured.alone, measured.several)), strict=True))


def score_cells(scored: Score) -> list[str]:
    """Return the cells of a score: see COLUMNS."""
    return [
        f"{scored.trials:,}",
        f"{scored.faults:,}",
        f"{scored.findings:,}",
        f"{scored.median:g}",
        f"{scored.ninety}",
        f"{scored.most}",
        f"{scored.told}",
        f"{scored.purity:.3f}",
        f"{scored.mixed}",
        f"{scored.untrue} of {scored.causes}",
        f"{scored.unlabelled:,}",
        f"{scored.blocked:,}",
    ]


COLUMNS = (
    *("trials", "seen", "findings", "median", "90 %", "most", "told", "purity", "mixed"),
    *("untrue", "unlabelled", "blocked"),
)
"""Columns of a score. Faults with findings are seen, in each trial; median, 90 % and most are of causes per fault."""


def _page(measured: Mapping[str, Measured]) -> Iterator[str]:
    yield HEAD
    yield "Faults with findings are *seen*, in each trial; median, 90 % and most are of causes per fault seen.\n"
    yield f"| API | faults | {' | '.join(COLUMNS)} |"
    yield "|---|---|" + "--:|" * len(COLUMNS)
    together = Measured(
        how="",
        alone=[entry for api in measured.values() for entry in api.alone],
        several=[entry for api in measured.values() for entry in api.several],
    )
    for api, entry in {**measured, "all": together}.items():
        for name, scored in scores_of(entry).items():
            yield f"| {api} | {name} | {' | '.join(score_cells(scored))} |"
    for api, entry in measured.items():
        yield f"\n## {api}\n\n{entry.how}.\n"
        yield from _alone(entry.alone)
        yield from _several(entry.several)
        yield from _untrue([*entry.alone, *entry.several])


def _alone(measures: Iterable[Measure]) -> Iterator[str]:
    yield "### One fault\n\n| fault | asked | findings | blocked | causes |\n|---|--:|--:|--:|--:|"
    several = []
    for measure in sorted(measures, key=lambda measure: measure.faults):
        cards = [card for card in measure.cards if card.findings]
        numbers = [measure.asked, sum(card.findings for card in cards), sum(card.blocked for card in measure.cards)]
        seen = len(cards) if measure.connected else "no connection"
        yield f"| {measure.faults[0]} | {' | '.join(map(str, numbers))} | {seen} |"
        several += [(measure.faults[0], cards)] if cards[1:] else []
    if several:
        yield "\nFaults with several causes:\n"
    for fault, cards in several:
        yield f"- `{fault}`"
        yield from (f"  - {card.findings}: {card.sentence}" for card in cards)
    yield ""


def _several(measures: Sequence[Measure]) -> Iterator[str]:
    yield "### Several faults at once\n\n| faults | findings | causes | purity |\n|---|--:|--:|--:|"
    for measure in measures:
        scored = score([measure])
        yield f"| {', '.join(measure.faults)} | {scored.findings} | {scored.causes} | {scored.purity:.3f} |"
    impure = [(measure, card) for measure in measures for card in measure.cards if card.others]
    if impure:
        yield "\nCauses with findings of several faults:\n"
    yield from (f"- {card.sentence} ({card.label}; {', '.join(card.others)})" for _, card in impure)
    yield ""


def _untrue(measures: Iterable[Measure]) -> Iterator[str]:
    cards: dict[str, Card] = {card.sentence: card for measure in measures for card in measure.cards if card.untrue}
    if cards:
        yield "### Untrue sentences\n"
        yield from (f"- {sentence} (not so: {', '.join(card.untrue)})" for sentence, card in cards.items())
        yield ""
