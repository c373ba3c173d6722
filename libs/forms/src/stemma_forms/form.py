"""A form as a file: its fields, and the same file with answers in them.

What reads files is imported with the first of them: who only reads answers in a text does without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from .field import AnswersRefused, Field, UnreadableForm, refusal_of, with_ids

if TYPE_CHECKING:
    from stemma_ooxml import Package

MOST_BYTES = 200 * 1024 * 1024
MOST_OF_XML = 32 * 1024 * 1024


def find_fields(content: bytes) -> tuple[Field, ...]:
    """The fields of an XLSX, DOCX or PDF, in the order of its sheets and rows, paragraphs or pages.

    Raises UnreadableForm if the file is another, damaged, protected by a password, has macros, is an XFA form or a PDF
    without fields, or exceeds the limits.
    """
    return tuple(found.field for found in _form(content).found)


def unsupported(content: bytes) -> tuple[tuple[str, str], ...]:
    """What of a form waits for somebody and is not filled: its place, and what it is."""
    return _form(content).unsupported


def fill(content: bytes, answers: Mapping[str, str]) -> bytes:
    """The file with the answers, by the ids of their fields, written in their places.

    An answer is plain text, its lines divided by ``\\n``; a checkbox takes yes or no, a date is written as ISO 8601
    has it, a number with a decimal point. A field without an answer stays as it is; an empty answer empties it.
    Everything else of the file stays, part by part and byte by byte. The same answers give the same bytes.

    Raises UnreadableForm as ``find_fields`` does and if the file is signed, AnswersRefused if one of the answers is
    for no field of the form, too long, or not what the field accepts.
    """
    form = _form(content)
    if form.is_signed:
        raise UnreadableForm("The file is signed, and an answer would break the signature.")
    plain = {identity: answer.replace("\r\n", "\n").replace("\r", "\n") for identity, answer in answers.items()}
    _check({found.field.id: found.field for found in form.found}, plain, form.longest)
    return form.filled(plain) if plain else content


class _Spreadsheet:
    # What Excel holds in a cell.
    longest = 32_767

    def __init__(self, package: Package) -> None:
        from .spreadsheet.finding import drawn_controls, find_cells
        from .spreadsheet.workbook import Workbook

        self.package, self.is_signed = package, package.is_signed
        self._workbook = Workbook(package)
        self.unsupported = tuple(drawn_controls(package, self._workbook))
        self.found = tuple(with_ids(find_cells(self._workbook)))

    def filled(self, answers: Mapping[str, str]) -> bytes:
        from .spreadsheet.filling import fill_workbook

        chosen = ((each.field, each.spot, answers[each.field.id]) for each in self.found if each.field.id in answers)
        return self.package.with_parts(fill_workbook(self._workbook, chosen))


class _TextDocument:
    longest = 1_000_000

    def __init__(self, package: Package) -> None:
        from .word.finding import find_places, unread_places

        self.package, self.is_signed = package, package.is_signed
        self._root = package.xml(package.main)
        self.unsupported = tuple(unread_places(package, self._root))
        self.found = tuple(with_ids(find_places(package, self._root)))

    def filled(self, answers: Mapping[str, str]) -> bytes:
        from .word.filling import fill_document

        chosen = [(each.field, each.spot, answers[each.field.id]) for each in self.found if each.field.id in answers]
        return self.package.with_parts({self.package.main: fill_document(self._root, chosen)})


class _Pdf:
    longest = 100_000

    def __init__(self, content: bytes) -> None:
        from .acroform import AcroForm

        self._form = AcroForm(content)
        self.is_signed, self.unsupported = self._form.is_signed, self._form.unsupported
        self.found = tuple(with_ids(self._form.found))

    def filled(self, answers: Mapping[str, str]) -> bytes:
        chosen = [(each, answers[each.field.id]) for each in self.found if each.field.id in answers]
        return self._form.filled(chosen)


def _form(content: bytes) -> _Spreadsheet | _TextDocument | _Pdf:
    from stemma_ooxml import Package, PackageError

    if b"%PDF-" in content[:1024]:
        return _Pdf(content)
    try:
        return _form_in(Package(content, MOST_BYTES, MOST_OF_XML))
    except PackageError as problem:
        raise UnreadableForm(str(problem)) from problem


def _form_in(package: Package) -> _Spreadsheet | _TextDocument:
    if package.main not in package:
        raise UnreadableForm("The file is no Office document: it has no main part.")
    if package.has_macros:
        raise UnreadableForm("The file has macros, which are not carried on. Save it without them.")
    kind = package.content_type(package.main)
    if "spreadsheetml" in kind:
        return _Spreadsheet(package)
    if "wordprocessingml" in kind:
        return _TextDocument(package)
    raise UnreadableForm("The file is an Office document, but neither a DOCX nor an XLSX.")


def _check(fields: Mapping[str, Field], answers: Mapping[str, str], longest: int) -> None:
    unknown = [f"The form has no field {identity}." for identity in answers if identity not in fields]
    refused = [refusal_of(fields[identity], answer) for identity, answer in answers.items() if identity in fields]
    long = [
        f"{fields[identity].place}: the answer has {len(answer)} characters, and the place holds {longest}."
        for identity, answer in answers.items()
        if identity in fields and len(answer) > longest
    ]
    if reasons := (*unknown, *filter(None, refused), *long):
        raise AnswersRefused(reasons)
