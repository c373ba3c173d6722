"""Lines of a page in the order in which people read them, also in columns; and tables, drawn or set apart."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise

from stemma_markdown import escaping
from stemma_markdown.escaping import STRUCK

from .composing import again
from .pdf_page import Page, Rule, Run, is_wide

_NARROWEST_GUTTER, _NARROWEST_COLUMN = 6.0, 80.0
_FEWEST_LINES, _FILLED, _CROSSING = 6, 0.6, 0.25
_CLOSE, _MOSTLY = 2.2, 0.75
_TRIED, _DEEPEST = 4, 3
_SAME_LINE, _SPACE, _RAISED, _SMALL = 0.5, 0.12, 0.15, 0.78
_WIDE_SPACE = 0.7
_WORD = re.compile(r"\w")


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
        is_above = run.size < size * _SMALL and base - run.bottom > size * _RAISED
        words = escaping.raised(run.text) if is_above else run.text
        raised = words != run.text
        wide = is_wide(run.text) and is_wide(text.rstrip(STRUCK)[-1:])
        apart = gap > (_WIDE_SPACE if wide else _SPACE) * size or (before is not None and before.size < size * _SMALL)
        text += " " if before and not raised and apart else ""
        text += f"{STRUCK}{words}{STRUCK}" if run.struck and _WORD.search(words) else words
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


_LEADERS = re.compile(r"(?<!\s)(?:\s++\.{3,}+|(?<!\.)\.{3,}+)\s*+$")
_SNAP, _INSET, _REACH = 3.0, 8.0, 4.0
_FEWEST_ROWS, _FEWEST_WIDE = 2, 3
_MOST_CELLS, _MOST_PAIRS, _MOST_LINES = 20_000, 1_000_000, 500
_APART, _GUTTER, _NEXT_ROW, _FAR = 1.0, 0.5, 1.15, 3.2
_LONGEST_CELL = 25


@dataclass(frozen=True)
class Table:
    rows: tuple[tuple[str, ...], ...]
    left: float
    top: float
    right: float
    bottom: float


_ROW_NUMBER = re.compile(r"\d{1,6}")


def rows_behind(before: Table, table: Table) -> tuple[tuple[str, ...], ...] | None:
    """The rows of a table that go on one of the page before: below the same head, or with the next number."""
    (*_, last), (first, *rest) = before.rows, table.rows
    if len(last) != len(first):
        return None
    if first == before.rows[0]:
        return tuple(rest)
    numbers = [int(row[0]) for row in (last, first) if _ROW_NUMBER.fullmatch(row[0])]
    goes_on = len(numbers) == 2 and numbers[1] == numbers[0] + 1
    return table.rows if goes_on else None


def ruled_tables(page: Page) -> tuple[list[Table], tuple[Run, ...]]:
    """The tables whose lines are drawn, and the runs that stand in none."""
    tables: list[Table] = []
    left_over = list(page.runs)
    for rules in _connected(page.rules):
        table, left_over = _ruled(rules, left_over)
        tables += [table] if table else []
    return tables, tuple(left_over)


def _connected(rules: Sequence[Rule]) -> Iterator[list[Rule]]:
    """Lines that meet each other, directly or by others."""
    across = [rule for rule in rules if rule.is_across]
    down = [rule for rule in rules if not rule.is_across]
    if len(across) * len(down) > _MOST_PAIRS:
        return
    met = [{n for n, rule in enumerate(across) if _meet(rule, other)} for other in down]
    waiting = set(range(len(down)))
    while waiting:
        group, reached = {waiting.pop()}, set[int]()
        fresh = set(group)
        while fresh:
            added = set().union(*(met[n] for n in fresh)) - reached
            reached |= added
            fresh = {n for n in waiting if met[n] & added}
            waiting -= fresh
            group |= fresh
        yield [*(down[n] for n in sorted(group)), *(across[n] for n in sorted(reached))]


def _meet(across: Rule, down: Rule) -> bool:
    inside = across.start - _REACH <= down.at <= across.end + _REACH
    return inside and down.start - _REACH <= across.at <= down.end + _REACH


def _ruled(rules: list[Rule], runs: list[Run]) -> tuple[Table | None, list[Run]]:
    xs = _dividers(rules)
    ys = _snapped(rule.at for rule in rules if rule.is_across)
    if len(xs) < 3 or len(ys) < _FEWEST_ROWS + 1 or len(xs) * len(ys) > _MOST_CELLS:
        return None, runs
    inside = [run for run in runs if xs[0] < run.middle[0] < xs[-1] and ys[0] < run.middle[1] < ys[-1]]
    if not inside:
        return None, runs
    cells: dict[tuple[int, int], list[Run]] = {}
    for run in inside:
        row, column = _index(ys, run.middle[1]), _index(xs, max(run.left + 1, xs[0] + 1))
        cells.setdefault((row, _merged_left(rules, xs, ys, row, column)), []).append(run)
    written = {at: _cell(found) for at, found in cells.items()} | _merged_down(rules, xs, ys, cells)
    rows = [tuple(written.get((r, c), "") for c in range(len(xs) - 1)) for r in range(len(ys) - 1)]
    table = Table(tuple(row for row in rows if any(row)), xs[0], ys[0], xs[-1], ys[-1])
    return table, [run for run in runs if run not in inside]


def _merged_left(rules: list[Rule], xs: list[float], ys: list[float], row: int, column: int) -> int:
    """The first of the cells that no line divides from a cell."""
    middle = (ys[row] + ys[row + 1]) / 2
    while column > 0 and not any(
        not rule.is_across and abs(rule.at - xs[column]) <= _INSET and rule.start - 1 <= middle <= rule.end + 1
        for rule in rules
    ):
        column -= 1
    return column


def _merged_down(
    rules: list[Rule], xs: list[float], ys: list[float], cells: dict[tuple[int, int], list[Run]]
) -> dict[tuple[int, int], str]:
    """The texts of cells that no line divides from the ones below, for each row that they reach into."""
    found: dict[tuple[int, int], str] = {}
    for row, column in sorted(cells):
        if (row, column) in found:
            continue
        middle = (xs[column] + xs[column + 1]) / 2
        top, end = row, row + 1
        while top > 0 and not _is_divided(rules, ys[top], middle):
            top -= 1
        while end < len(ys) - 1 and not _is_divided(rules, ys[end], middle):
            end += 1
        runs = [run for at in range(top, end) for run in cells.get((at, column), [])]
        if end - top > 1 and _is_one(runs):
            text = _cell(runs)
            found |= {(at, column): again(text) if at > top else text for at in range(top, end)}
    return found


def _is_divided(rules: list[Rule], at: float, x: float) -> bool:
    return any(rule.is_across and abs(rule.at - at) <= _SNAP and rule.start - 1 <= x <= rule.end + 1 for rule in rules)


def _is_one(runs: list[Run]) -> bool:
    """Whether lines follow each other as closely as those of one cell."""
    bottoms = [max(run.bottom for run in row) for row in rows_of(runs)]
    return all(below - above <= _CLOSE * runs[0].size for above, below in pairwise(bottoms))


def _dividers(rules: list[Rule]) -> list[float]:
    """Where columns are divided: of lines that are too near for a column between them, the longest counts.

    A shaded cell may have a box of its own inside of its lines.
    """
    lengths: dict[float, float] = {}
    for rule in rules:
        if not rule.is_across:
            lengths[rule.at] = lengths.get(rule.at, 0) + rule.end - rule.start
    found: list[list[float]] = []
    for at in sorted(lengths):
        if found and at - found[-1][-1] <= _INSET:
            found[-1].append(at)
        else:
            found.append([at])
    return [max(group, key=lambda at: lengths[at]) for group in found]


def _snapped(values: Iterable[float]) -> list[float]:
    found: list[float] = []
    for value in sorted(values):
        if not found or value - found[-1] > _SNAP:
            found.append(value)
    return found


def _index(edges: list[float], value: float) -> int:
    return min(max(sum(edge <= value for edge in edges) - 1, 0), len(edges) - 2)


def _cell(runs: list[Run]) -> str:
    return "\n".join(_LEADERS.sub("", joined(row, max(run.size for run in row))) for row in rows_of(runs))


def spaced_tables(lines: list[Line]) -> Iterator[Line | Table]:
    """The lines, those of tables without drawn lines replaced by them."""
    at = 0
    while at < len(lines):
        end, columns = _reach(lines, at)
        table = _spaced(lines[at:end], columns) if end > at else None
        if table and _is_list(table):
            yield from lines[at:end]
            at = end
        elif table and not _is_prose(table):
            yield table
            at = end
        else:
            yield lines[at]
            at += 1


_KANA = re.compile("[ア-ン]")


def _is_list(table: Table) -> bool:
    """Whether the first of two columns are marks; word processors write a circle as the letter o."""
    marks = [word for row in table.rows for word in row[0].split()]
    return len(table.rows[0]) == 2 and all(
        len(mark) <= 3 and (mark == "o" or not mark.isalpha() or _KANA.fullmatch(mark)) for mark in marks
    )


def _is_prose(table: Table) -> bool:
    words = [len(cell.split()) for row in table.rows for cell in row if cell]
    return sum(words) > _LONGEST_CELL * len(words)


def _reach(lines: list[Line], at: int) -> tuple[int, list[tuple[float, float]]]:
    """How far a table reaches that begins with a line, and its columns; no further than there if none does."""
    columns: list[tuple[float, float]] = []
    size, end, wide = lines[at].size, at, 0
    best: tuple[int, list[tuple[float, float]]] = (at, [])
    while end < min(len(lines), at + _MOST_LINES) and _is_near(lines, at, end):
        stretches = _spans_of(lines[end])
        grown = _united([*columns, *stretches], size)
        if len(grown) < max(2, len(columns)) or (end == at and len(stretches) < 2):
            break
        columns, wide, end = grown, wide + (len(stretches) > 1), end + 1
        if len(stretches) > 1 or stretches[0][0] > columns[0][1] or _is_close(lines, end - 1):
            best = (end, columns)
    return best if wide >= _FEWEST_WIDE else (at, [])


def _is_near(lines: list[Line], at: int, end: int) -> bool:
    if end == at:
        return True
    step = lines[end].bottom - lines[end - 1].bottom
    return lines[end].column == lines[at].column and 0 < step <= _FAR * lines[at].size


def _is_close(lines: list[Line], at: int) -> bool:
    return at > 0 and lines[at].bottom - lines[at - 1].bottom <= _NEXT_ROW * 1.25 * lines[at].size


def _spans_of(line: Line) -> list[tuple[float, float]]:
    runs = sorted(line.runs, key=lambda run: run.left)
    return _united([(run.left, run.right) for run in runs], line.size, _APART)


def _united(spans: list[tuple[float, float]], size: float, apart: float = _GUTTER) -> list[tuple[float, float]]:
    found: list[tuple[float, float]] = []
    for start, end in sorted(spans):
        if found and start - found[-1][1] < apart * size:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def _spaced(lines: list[Line], columns: list[tuple[float, float]]) -> Table:
    steps = [after.bottom - before.bottom for before, after in pairwise(lines)]
    usual = min(steps)
    by_space = any(step > usual * _NEXT_ROW for step in steps)
    rows: list[list[list[str]]] = []
    for number, line in enumerate(lines):
        cells = _cells(line, columns)
        new = steps[number - 1] > usual * _NEXT_ROW if by_space and number else bool(cells[0])
        if new or not rows:
            rows.append([[] for _ in columns])
        for cell, text in zip(rows[-1], cells, strict=True):
            cell.extend([text] if text else [])
    written = tuple(tuple(reduce(_together, cell, "") for cell in row) for row in rows)
    first, last = lines[0], lines[-1]
    return Table(written, columns[0][0], first.top, columns[-1][1], last.bottom)


def _together(text: str, line: str) -> str:
    """A cell with its next line; in the narrow ones most words at the ends of lines are divided."""
    divided = text.endswith("-") and text[-2:-1].isalpha() and line[:1].islower()
    return text[:-1] + line if divided else f"{text}{between(text, line)}{line}".strip()


def between(text: str, line: str) -> str:
    """What stands between a line and the next one of the same paragraph."""
    return "" if is_wide(text.rstrip(STRUCK)[-1:]) and is_wide(line.lstrip(STRUCK)) else " "


def _cells(line: Line, columns: list[tuple[float, float]]) -> list[str]:
    found: list[list[Run]] = [[] for _ in columns]
    for run in sorted(line.runs, key=lambda run: run.left):
        found[max(sum(start <= run.left + 1 for start, _ in columns) - 1, 0)].append(run)
    return [_LEADERS.sub("", joined(runs, line.size)) for runs in found]
