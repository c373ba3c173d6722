"""The requirement ledger as a spreadsheet that people edit (XLSX or CSV), and its matrix by sections (XLSX or HTML)."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import accumulate
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from stemma_client.ledgers import LedgerEntry, Matrix
from stemma_contracts.v1.ledger import RequirementDecision, RowCuts

from .exit_codes import CliError, ExitCode
from .output import clean_line

_EDITED = ("standing", "into", "section", "owner", "status")
_FOUND = ("id", "source", "line", "page", "place", "announced by", "text", "kind", "obligation")
COLUMNS = (*_FOUND, *_EDITED, "answer", "found by")
_WIDTHS = {"text": 80, "answer": 80, "announced by": 40, "place": 40, "source": 20, "section": 20}
STANDINGS = ("found", "confirmed", "dropped", "merged")
MOST_ANSWER = 2000
MOST_BYTES = 16 * 1024 * 1024
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_WIDTH = 14
_COLOURS = {"hole": "F8CBAD", "suspect": "FFE699", "answered": "C6E0B4"}
Cells = Sequence[tuple[str | int, str]]
"""The values of a row, each with what it is: a hole, suspect, answered, or nothing."""


def cells_of(entry: LedgerEntry) -> tuple[str | int, ...]:
    row, standing = entry.row, entry.standing
    return (
        row.requirement_id,
        row.source,
        row.line,
        row.place,
        " / ".join(row.headings),
        row.announced_by,
        row.quote,
        row.kind,
        row.obligation,
        entry.decided,
        standing.merged_into,
        standing.section_id,
        standing.owner,
        standing.status,
        entry.answer[:MOST_ANSWER],
        row.found_by,
    )


def write(path: Path, entries: Sequence[LedgerEntry]) -> bytes:
    """The ledger as a file of the kind that the ending of a path names. Raises `CliError` for another ending."""
    match path.suffix.lower():
        case ".csv":
            return _as_csv(entries)
        case ".xlsx":
            return _as_xlsx(entries)
        case _:
            raise CliError(ExitCode.USAGE, "name a file that ends with .xlsx or .csv")


def _as_csv(entries: Iterable[LedgerEntry]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    writer.writerows([_harmless(cell) for cell in cells_of(entry)] for entry in entries)
    return text.getvalue().encode("utf-8-sig")


def _harmless(cell: str | int) -> str | int:
    """Words of a stranger's text that a spreadsheet would take for a formula."""
    return f"'{clean_line(cell)}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def _as_xlsx(entries: Iterable[LedgerEntry]) -> bytes:
    rows = [[(cell, "") for cell in cells_of(entry)] for entry in entries]
    return _workbook("requirements", COLUMNS, rows, _WIDTHS, "B2")


def _workbook(title: str, heads: Sequence[str], rows: Iterable[Cells], widths: Mapping[str, int], frozen: str) -> bytes:
    from openpyxl import Workbook
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
    from openpyxl.styles import Alignment, Font, PatternFill

    fills = {kind: PatternFill("solid", start_color=colour) for kind, colour in _COLOURS.items()}
    workbook, content = Workbook(), io.BytesIO()
    sheet = workbook.active
    sheet.title, sheet.freeze_panes = title, frozen
    for number, cells in enumerate(([(head, "") for head in heads], *rows), 1):
        for column, (value, kind) in enumerate(cells, 1):
            if value == "":
                continue
            at = sheet.cell(number, column, ILLEGAL_CHARACTERS_RE.sub("", value) if isinstance(value, str) else value)
            # Words of a stranger are no formula.
            at.data_type = "s" if isinstance(value, str) else "n"
            at.alignment, at.font = Alignment(vertical="top", wrap_text=True), Font(bold=number == 1)
            if kind:
                at.fill = fills[kind]
    for number, name in enumerate(heads, 1):
        sheet.column_dimensions[sheet.cell(1, number).column_letter].width = widths.get(name, _WIDTH)
    sheet.auto_filter.ref = sheet.dimensions
    workbook.save(content)
    return content.getvalue()


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a spreadsheet by the names of its columns. Raises `CliError` for what is none."""
    if path.stat().st_size > MOST_BYTES:
        raise CliError(ExitCode.USAGE, f"{path.name} is larger than {MOST_BYTES // 1024**2} MiB")
    rows = _rows_of_xlsx(path) if path.suffix.lower() == ".xlsx" else _rows_of_csv(path)
    header, *others = [[_words(cell) for cell in row] for row in rows] or [[]]
    names = [name.strip().lower() for name in header]
    if missing := [name for name in ("id", *_EDITED) if name not in names]:
        raise CliError(ExitCode.USAGE, f"{path.name} has no column {', '.join(missing)}")
    named = (dict(zip(names, row, strict=False)) for row in others)
    return [row for row in named if row.get("id")]


def _words(cell: Any) -> str:
    return "" if cell is None else str(cell).strip()


def _rows_of_csv(path: Path) -> list[list[Any]]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
        return list(csv.reader(io.StringIO(text), dialect=csv.Sniffer().sniff(text[:2000], delimiters=",;\t")))
    except (UnicodeDecodeError, csv.Error) as error:
        raise CliError(ExitCode.USAGE, f"{path.name} is no CSV file in UTF-8: {error}") from None


def _rows_of_xlsx(path: Path) -> list[list[Any]]:
    from openpyxl import load_workbook

    try:
        workbook = load_workbook(path, read_only=True, data_only=True)
        return [list(row) for row in workbook.worksheets[0].iter_rows(values_only=True)]
    except Exception as error:  # openpyxl raises whatever its parsers do
        raise CliError(ExitCode.USAGE, f"{path.name} is no XLSX file: {type(error).__name__}") from None


def decisions_in(rows: Sequence[dict[str, str]], entries: Sequence[LedgerEntry]) -> list[RequirementDecision]:
    """What was changed in a spreadsheet, row by row. Raises `CliError` that names the row of a value that is none."""
    known = {entry.row.requirement_id: entry for entry in entries}
    return [decision for row in rows for decision in _decided(row, known.get(row["id"]))]


def splits_in(rows: Sequence[dict[str, str]], entries: Sequence[LedgerEntry]) -> list[RowCuts]:
    """The rows whose text was cut into lines. Raises `CliError` for one that has other words than before."""
    quotes = {entry.row.requirement_id: entry.row.quote for entry in entries}
    return [_cuts(row["id"], quotes[row["id"]], row["text"]) for row in rows if "\n" in row.get("text", "")]


def _cuts(name: str, quote: str, text: str) -> RowCuts:
    parts = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    if quote.startswith(_FORMULA):
        parts[0] = parts[0].removeprefix("'")
    if " ".join(parts) != quote:
        raise CliError(ExitCode.USAGE, f"row {name}: a text can be cut into lines; its words stay as they are")
    ends = accumulate(len(part) + 1 for part in parts[:-1])
    return RowCuts(requirement_id=name, cuts=tuple(ends))


def _decided(row: dict[str, str], entry: LedgerEntry | None) -> Iterator[RequirementDecision]:
    if entry is None:
        raise CliError(ExitCode.USAGE, f"the ledger has no row {clean_line(row['id'])[:64]}")
    before = dict(zip(COLUMNS, map(str, cells_of(entry)), strict=True))
    changed = {name: row.get(name, "") for name in _EDITED if row.get(name, "") != before[name]}
    if not changed:
        return
    try:
        yield RequirementDecision.model_validate({"requirement_id": row["id"], **_fields(changed, row)})
    except ValidationError as error:
        wrong = ", ".join(str(item["loc"][0]) if item["loc"] else "row" for item in error.errors())
        raise CliError(ExitCode.USAGE, f"row {row['id']}: this cannot be: {wrong}") from None


def _fields(changed: dict[str, str], row: dict[str, str]) -> dict[str, object]:
    """The fields of a decision; the standing of a row and the row that it is merged into go together."""
    fields: dict[str, object] = {}
    if "standing" in changed or "into" in changed:
        fields |= _standing_fields(row.get("standing", ""), row.get("into", ""), row["id"])
    if "section" in changed:
        fields["section_id"] = changed["section"]
    if "owner" in changed:
        fields["owner"] = changed["owner"]
    if "status" in changed:
        fields["status"] = changed["status"] or "open"
    return fields


def _standing_fields(standing: str, into: str, name: str) -> dict[str, object]:
    match standing.lower():
        case "merged" if into:
            return {"merged_into": into}
        case "confirmed":
            return {"confirmed": True}
        case "dropped":
            return {"dropped": True}
        case "found" | "":
            return {"dropped": False}
        case _:
            words = f"row {name}: standing is one of {', '.join(STANDINGS)}; merged needs a row in the column into"
            raise CliError(ExitCode.USAGE, words)


_FIRST = ("id", "source", "demand", "obligation")
NO_SECTION, NO_DEMAND = "no section", "no demand"
_STYLE = """
body { font: 14px system-ui, sans-serif; margin: 24px; }
table { border-collapse: collapse; }
th, td { border: 1px solid #bbb; padding: 4px 8px; text-align: left; vertical-align: top; }
thead th { position: sticky; top: 0; background: #fff; }
"""


def answer_words(entry: LedgerEntry) -> str:
    """How an answer stands, with what makes it suspect."""
    changed = {"demand": "the demand changed", "section": "its section changed"}
    why = ", ".join(changed[one] for one in entry.standing.suspect)
    return f"{entry.standing.status}{f' ({why})' if why else ''}"


def write_matrix(path: Path, matrix: Matrix) -> bytes:
    """The matrix as a file of the kind that the ending of a path names. Raises `CliError` for another ending."""
    match path.suffix.lower():
        case ".xlsx":
            rows = (list(_cells(matrix, entry)) for entry in matrix.entries)
            return _workbook("matrix", _heads(matrix), rows, {"demand": 60}, "E2")
        case ".html":
            return _as_html(matrix).encode()
        case _:
            raise CliError(ExitCode.USAGE, "name a file that ends with .xlsx or .html")


def _heads(matrix: Matrix) -> list[str]:
    titles = (f"{title} ({NO_DEMAND})" if name in matrix.idle else title for name, title in matrix.sections.items())
    return [clean_line(words) for words in (*_FIRST, *titles, NO_SECTION)]


def _cells(matrix: Matrix, entry: LedgerEntry) -> Iterator[tuple[str, str]]:
    """The words of each cell of a row, with what it is: a hole, suspect, answered, or nothing."""
    row = entry.row
    for words in (row.requirement_id, f"{row.source}, {row.place or row.line}", row.quote, row.obligation):
        yield clean_line(words), ""
    for answers in (*matrix.row(entry), not entry.standing.section_id):
        yield (answer_words(entry), _kind(entry)) if answers else ("", "")


def _kind(entry: LedgerEntry) -> str:
    return "hole" if entry.is_hole else "suspect" if entry.standing.suspect else "answered"


def _as_html(matrix: Matrix) -> str:
    colours = "".join(f"td.{kind} {{ background: #{colour}; }}\n" for kind, colour in _COLOURS.items())
    heads = "".join(f'<th scope="col">{escape(head)}</th>' for head in _heads(matrix))
    rows = "\n".join(f"<tr>{''.join(_tagged(matrix, entry))}</tr>" for entry in matrix.entries)
    return f"""<!doctype html>
<html><head><meta charset="utf-8"><title>Matrix</title><style>{_STYLE}{colours}</style></head>
<body><table><thead><tr>{heads}</tr></thead>
<tbody>
{rows}
</tbody></table></body></html>
"""


def _tagged(matrix: Matrix, entry: LedgerEntry) -> Iterator[str]:
    for number, (words, kind) in enumerate(_cells(matrix, entry)):
        tag = 'th scope="row"' if number == 0 else f'td class="{kind}"' if kind else "td"
        yield f"<{tag}>{escape(words)}</{tag[:2]}>"
