"""What people put onto the pages of a PDF: values of its form, notes, and lines through the text."""

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pypdfium2 as pdfium
from pypdfium2 import raw
from stemma_markdown import escaping

from .pdf_seen import Box

_MOST, _LONGEST = 5_000, 20_000
_UNSEEN = raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW
_PASSWORD = 1 << 13
_NO_NOTES = (raw.FPDF_ANNOT_POPUP, raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_FILEATTACHMENT)
_TICKED = (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON)
_TYPED = (raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX)


@dataclass
class Annotations:
    """Boxes are in the page's own coordinates, upwards; ``hidden`` counts words of fields that nobody sees."""

    typed: list[tuple[str, Box]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    struck: list[Box] = field(default_factory=list)
    hidden: int = 0


def annotations_of(page: pdfium.PdfPage) -> Annotations:
    found = Annotations()
    for number in range(min(raw.FPDFPage_GetAnnotCount(page), _MOST)):
        if annotation := raw.FPDFPage_GetAnnot(page, number):
            _add(page, annotation, found)
            raw.FPDFPage_CloseAnnot(annotation)
    return found


def _add(page: pdfium.PdfPage, annotation: raw.FPDF_ANNOTATION, found: Annotations) -> None:
    kind = raw.FPDFAnnot_GetSubtype(annotation)
    is_value = kind in (raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_FREETEXT)
    text = _value(page, annotation) if kind == raw.FPDF_ANNOT_WIDGET else _string(annotation, b"Contents")
    if kind in _NO_NOTES:
        return
    if raw.FPDFAnnot_GetFlags(annotation) & _UNSEEN:
        found.hidden += len(text.split())
        return
    if is_value and text:
        found.typed.append((text, _box(annotation)))
    elif text:
        author = escaping.one_line(_string(annotation, b"T")) or "somebody"
        found.notes.append(f"Comment of {author}: {text}")
    if kind == raw.FPDF_ANNOT_STRIKEOUT:
        found.struck += _quads(annotation)


def _value(page: pdfium.PdfPage, annotation: raw.FPDF_ANNOTATION) -> str:
    if page.formenv is None:
        return ""
    form = page.formenv.raw
    kind = raw.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind in _TICKED:
        return "☒" if raw.FPDFAnnot_IsChecked(form, annotation) else "☐"
    if kind not in _TYPED or raw.FPDFAnnot_GetFormFieldFlags(form, annotation) & _PASSWORD:
        return ""
    return _text(lambda buffer, size: raw.FPDFAnnot_GetFormFieldValue(form, annotation, buffer, size))


def _string(annotation: raw.FPDF_ANNOTATION, key: bytes) -> str:
    return _text(lambda buffer, size: raw.FPDFAnnot_GetStringValue(annotation, key, buffer, size))


def _text(fill: Callable[[ctypes.Array[ctypes.c_ushort] | None, int], int]) -> str:
    """A text of pdfium, which says how many bytes of UTF-16 it has before it is asked for them."""
    size = min(fill(None, 0), 2 * _LONGEST)
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    fill(buffer, size)
    return escaping.clean(bytes(buffer).decode("utf-16-le", "replace").split("\0")[0]).replace("\r", "\n").strip()


def _box(annotation: raw.FPDF_ANNOTATION) -> Box:
    box = raw.FS_RECTF()
    raw.FPDFAnnot_GetRect(annotation, box)
    return box.left, box.bottom, box.right, box.top


def _quads(annotation: raw.FPDF_ANNOTATION) -> Iterator[Box]:
    quad = raw.FS_QUADPOINTSF()
    for number in range(min(raw.FPDFAnnot_CountAttachmentPoints(annotation), _MOST)):
        raw.FPDFAnnot_GetAttachmentPoints(annotation, number, quad)
        across, up = (quad.x1, quad.x2, quad.x3, quad.x4), (quad.y1, quad.y2, quad.y3, quad.y4)
        yield min(across), min(up), max(across), max(up)
