"""The requirement ledger as a spreadsheet (XLSX or CSV) that people edit, and what they changed in it."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from stemma_client.ledgers import LedgerEntry
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
    from openpyxl import Workbook
    from openpyxl.styles import Alignment, Font

    workbook = Workbook()
    sheet = workbook.active
    sheet.title = "requirements"
    sheet.append(COLUMNS)
    for number, entry in enumerate(entries, 2):
        for column, cell in enumerate(cells_of(entry), 1):
            at = words_in(sheet, number, column, cell)
            at.alignment = Alignment(vertical="top", wrap_text=COLUMNS[column - 1] in _WIDTHS)
    for number, name in enumerate(COLUMNS, 1):
        sheet.cell(1, number).font = Font(bold=True)
        sheet.column_dimensions[sheet.cell(1, number).column_letter].width = _WIDTHS.get(name, 12)
    sheet.freeze_panes = "B2"
    sheet.auto_filter.ref = sheet.dimensions
    return saved(workbook)


def words_in(sheet: Any, row: int, column: int, value: str | int) -> Any:
    """A cell with a value: words of a stranger are no formula."""
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    at = sheet.cell(row, column, ILLEGAL_CHARACTERS_RE.sub("", value) if isinstance(value, str) else value)
    at.data_type = "s" if isinstance(value, str) else "n"
    return at


def saved(workbook: Any) -> bytes:
    content = io.BytesIO()
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
