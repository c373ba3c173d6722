"""The matrix of demands by sections as a spreadsheet or a page: a column for each section, colours for holes."""

from collections.abc import Iterator
from html import escape
from pathlib import Path

from stemma_client.ledgers import LedgerEntry, Matrix

from .exit_codes import CliError, ExitCode
from .output import clean_line
from .spreadsheets import saved, words_in

_FIRST = ("id", "source", "demand", "obligation")
NO_SECTION, NO_DEMAND = "no section", "no demand"
_WIDTH, _DEMAND_WIDTH = 14, 60
_COLOURS = {"hole": "F8CBAD", "suspect": "FFE699", "answered": "C6E0B4"}
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


def write(path: Path, matrix: Matrix) -> bytes:
    """The matrix as a file of the kind that the ending of a path names. Raises `CliError` for another ending."""
    match path.suffix.lower():
        case ".xlsx":
            return _as_xlsx(matrix)
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


def _as_xlsx(matrix: Matrix) -> bytes:
    from openpyxl import Workbook
    from openpyxl.styles import Alignment, Font, PatternFill

    workbook = Workbook()
    sheet = workbook.active
    sheet.title = "matrix"
    fills = {kind: PatternFill("solid", start_color=colour) for kind, colour in _COLOURS.items()}
    rows = [[(head, "") for head in _heads(matrix)], *(list(_cells(matrix, entry)) for entry in matrix.entries)]
    for number, cells in enumerate(rows, 1):
        for column, (words, kind) in enumerate(cells, 1):
            if words:
                at = words_in(sheet, number, column, words)
                at.alignment = Alignment(vertical="top", wrap_text=True)
                at.font = Font(bold=number == 1)
                if kind:
                    at.fill = fills[kind]
    for column, name in enumerate(rows[0], 1):
        letter = sheet.cell(1, column).column_letter
        sheet.column_dimensions[letter].width = _DEMAND_WIDTH if name[0] == "demand" else _WIDTH
    sheet.freeze_panes = sheet.cell(2, len(_FIRST) + 1).coordinate
    sheet.auto_filter.ref = sheet.dimensions
    return saved(workbook)


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
