"""Lines of a page in the order in which people read them, also in two and three columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .pdf_page import Page, Run

_NARROWEST_GUTTER, _NARROWEST_COLUMN = 6.0, 80.0
_FEWEST_LINES, _FILLED, _CROSSING = 6, 0.6, 0.25
_CLOSE, _MOSTLY = 2.2, 0.75
_TRIED, _DEEPEST = 4, 3
_SAME_LINE, _SPACE, _RAISED, _SMALL = 0.5, 0.12, 0.15, 0.78
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Line:
    runs: tuple[Run, ...]
    column: tuple[float, float]

    @property
    def left(self) -> float:
        return min(run.left for run in self.runs)

    @property
    def right(self) -> float:
        return max(run.right for run in self.runs)

    @property
    def top(self) -> float:
        return min(run.top for run in self.runs)

    @property
    def bottom(self) -> float:
        return max(run.bottom for run in self.runs)

    @property
    def size(self) -> float:
        sizes: dict[float, int] = {}
        for run in self.runs:
            sizes[run.size] = sizes.get(run.size, 0) + len(run.text)
        return max(sizes, key=lambda size: sizes[size])

    @property
    def is_bold(self) -> bool:
        return all(run.bold for run in self.runs)

    @property
    def text(self) -> str:
        return joined(self.runs, self.size)


def joined(runs: Sequence[Run], size: float) -> str:
    text, before = "", None
    base = max((run.bottom for run in runs if run.size >= size * 0.9), default=0.0)
    for run in runs:
        gap = run.left - before.right if before else 0
        raised = run.size < size * _SMALL and base - run.bottom > size * _RAISED and run.text.isdecimal()
        words = run.text.translate(_SUPERSCRIPT) if raised else run.text
        text += (" " if before and not raised and (gap > _SPACE * size or before.size < size * _SMALL) else "") + words
        before = run
    return text


def lines_of(page: Page) -> list[Line]:
    """The lines of a page: columns from left to right between what goes across them, each from top to bottom."""
    return list(_lines(rows_of(page.runs)))


def _lines(rows: list[list[Run]], depth: int = 0) -> Iterator[Line]:
    if not rows:
        return
    edges = min(run.left for row in rows for run in row), max(run.right for row in rows for run in row)
    if gutters := _gutters(rows, edges):
        yield from _in_columns(rows, gutters, edges)
    elif (cut := _cut(rows)) and depth < _DEEPEST:
        yield from _lines(rows[:cut], depth + 1)
        yield from _lines(rows[cut:], depth + 1)
    else:
        yield from (Line(tuple(row), edges) for row in rows)


def _cut(rows: list[list[Run]]) -> int:
    """Where what lies above or below has columns, though all of it has not; 0 for nowhere."""
    gaps = [
        (below[0].top - max(run.bottom for run in above), at) for at, (above, below) in enumerate(pairwise(rows), 1)
    ]
    for _, at in sorted(gaps, reverse=True)[:_TRIED]:
        for part in (rows[:at], rows[at:]):
            left, right = min(run.left for row in part for run in row), max(run.right for row in part for run in row)
            if len(part) >= _FEWEST_LINES and _gutters(part, (left, right)):
                return at
    return 0


def rows_of(runs: Iterable[Run]) -> list[list[Run]]:
    rows: list[list[Run]] = []
    largest: list[Run] = []
    for run in sorted(runs, key=lambda run: run.middle[1]):
        if rows and _is_beside(largest[-1], run):
            rows[-1].append(run)
            largest[-1] = max(largest[-1], run, key=lambda other: other.size)
        else:
            rows.append([run])
            largest.append(run)
    return [sorted(row, key=lambda run: run.left) for row in rows]


def _is_beside(largest: Run, run: Run) -> bool:
    overlap = min(largest.bottom, run.bottom) - max(largest.top, run.top)
    return overlap > _SAME_LINE * min(largest.bottom - largest.top, run.bottom - run.top)


def _gutters(rows: list[list[Run]], edges: tuple[float, float]) -> list[float]:
    """The middles of gaps between columns of text; tables have gaps, too, but cells that are short."""
    left, right = edges
    crossed = [0] * (int(right - left) + 2)
    for row in rows:
        for start, end in _stretches(row):
            for at in range(int(start - left), min(int(end - left) + 1, len(crossed))):
                crossed[at] += 1
    most = max(crossed)
    gaps = list(_gaps(crossed, most * _CROSSING))
    found = [left + (start + end) / 2 for start, end in gaps if end - start >= _NARROWEST_GUTTER]
    bounds = [left, *found, right]
    columns = list(pairwise(bounds))
    return found if found and all(_is_text(rows, *column) for column in columns) else []


def _stretches(row: list[Run]) -> Iterator[tuple[float, float]]:
    """What a row covers, small gaps included."""
    start, end = row[0].left, row[0].right
    for run in row[1:]:
        if run.left - end > _NARROWEST_GUTTER:
            yield start, end
            start = run.left
        end = max(end, run.right)
    yield start, end


def _gaps(crossed: list[int], most: float) -> Iterator[tuple[int, int]]:
    start = None
    for at, count in enumerate(crossed):
        if count <= most and start is None:
            start = at
        elif count > most and start is not None:
            if start > 0:
                yield start, at
            start = None


def _is_text(rows: list[list[Run]], left: float, right: float) -> bool:
    """Whether what lies in a column are lines that mostly fill it and follow each other closely."""
    lines = []
    for row in rows:
        inside = [run for run in row if left <= run.middle[0] <= right and run.right - run.left <= (right - left) * 1.1]
        lines += [(inside[-1].right - inside[0].left, inside[0].bottom)] if inside else []
    if right - left < _NARROWEST_COLUMN or len(lines) < _FEWEST_LINES:
        return False
    widths = sorted(width for width, _ in lines)
    steps = sorted(below - above for (_, above), (_, below) in pairwise(lines))
    close = sum(step <= steps[len(steps) // 2] * _CLOSE for step in steps)
    return widths[len(widths) // 2] >= (right - left) * _FILLED and close >= len(steps) * _MOSTLY


def _in_columns(rows: list[list[Run]], gutters: list[float], edges: tuple[float, float]) -> Iterator[Line]:
    bounds = [edges[0], *gutters, edges[1]]
    columns: list[list[Run]] = [[] for _ in range(len(gutters) + 1)]
    for row in rows:
        if any(run.left < gutter - 2 and run.right > gutter + 2 for run in row for gutter in gutters):
            yield from _columns(columns, bounds)
            columns = [[] for _ in columns]
            yield Line(tuple(row), edges)
            continue
        for run in row:
            columns[sum(run.middle[0] > gutter for gutter in gutters)].append(run)
    yield from _columns(columns, bounds)


def _columns(columns: list[list[Run]], bounds: list[float]) -> Iterator[Line]:
    for number, runs in enumerate(columns):
        for row in rows_of(runs):
            left = min(run.left for run in runs)
            yield Line(tuple(row), (left, min(bounds[number + 1], max(run.right for run in runs))))
