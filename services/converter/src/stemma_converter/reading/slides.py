"""PPTX: slide by slide from the top left, with tables, images, the figures of charts, and notes."""

import zlib
from collections.abc import Iterator
from io import BytesIO
from typing import Any
from zipfile import BadZipFile

from pptx import Presentation
from pptx.enum.shapes import MSO_SHAPE_TYPE, PP_PLACEHOLDER
from pptx.exc import PythonPptxError
from stemma_markdown import escaping

from .composing import Composer, again
from .result import Unreadable
from .workbook import shown

_TITLES = (PP_PLACEHOLDER.TITLE, PP_PLACEHOLDER.CENTER_TITLE)
_SKIPPED = (PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.HEADER)
_DEEPEST = 8
_DAMAGED = (KeyError, ValueError, AttributeError, TypeError, IndexError, SyntaxError, OSError, EOFError)
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"


def read_slides(content: bytes, composer: Composer) -> None:
    package = composer.limits.package(content)
    package.refuse_entities()
    try:
        deck = Presentation(BytesIO(content))
        slides, size = list(deck.slides)[: composer.limits.pages], (deck.slide_width or 0, deck.slide_height or 0)
        for number, slide in enumerate(slides, 1):
            _put_slide(slide, number, size, composer)
    except (*_DAMAGED, BadZipFile, zlib.error, PythonPptxError):
        raise Unreadable("damaged", kind="PPTX") from None
    composer.count(pages=len(slides))


def _is_outside(shape: Any, size: tuple[int, int]) -> bool:
    left, top, width, height = shape.left, shape.top, shape.width, shape.height
    if None in (left, top, width, height):
        return False
    # What is turned reaches further than its box.
    more = abs(width - height) // 2 if getattr(shape, "rotation", 0) else 0
    across, down = (left - more, left + width + more), (top - more, top + height + more)
    return bool(across[0] >= size[0] or down[0] >= size[1] or across[1] <= 0 or down[1] <= 0)


def _mark_looks(slide: Any) -> None:
    """Write into the text of runs what their looks say: that it is struck out, or raised."""
    for run in slide.iter(f"{{{_DRAWING}}}r"):
        look, text = run.find(f"{{{_DRAWING}}}rPr"), run.find(f"{{{_DRAWING}}}t")
        if look is None or text is None or not text.text:
            continue
        if look.get("strike", "noStrike") != "noStrike":
            text.text = f"{escaping.STRUCK}{text.text}{escaping.STRUCK}"
        elif look.get("baseline", "0").strip("%").isdecimal() and look.get("baseline", "0").strip("%") != "0":
            text.text = escaping.raised(text.text)


def _put_slide(slide: Any, number: int, size: tuple[int, int], composer: Composer) -> None:
    place = f"slide {number}"
    if slide.element.get("show") == "0":
        composer.warn("hidden_slide", place, "The slide is hidden and was left out.")
        return
    _mark_looks(slide.element)
    composer.anchor("slide", place)
    title = slide.shapes.title
    words = escaping.one_line(title.text_frame.text) if title is not None else ""
    composer.heading(2, escaping.inline(words or place.capitalize()))
    for shape, is_seen in sorted(_shapes(slide.shapes, size), key=lambda each: (each[0].top or 0, each[0].left or 0)):
        if not is_seen:
            hidden = len(" ".join(str(text) for text in shape.element.itertext()).split())
            composer.warn(
                "hidden_text", place, f"A shape that is hidden or beside the slide was left out (words: {hidden})."
            )
        elif title is None or shape.shape_id != title.shape_id:
            _put_shape(shape, place, composer)
    if slide.has_notes_slide and (notes := slide.notes_slide.notes_text_frame):
        for paragraph in filter(None, map(_text_of, notes.paragraphs)):
            composer.paragraph(f"Notes: {paragraph}")


def _shapes(shapes: Any, size: tuple[int, int], depth: int = 0) -> Iterator[tuple[Any, bool]]:
    """Shapes, and whether they are seen; those in a group have places of the group's own measure."""
    for shape in shapes:
        is_hidden = shape.element.xpath("./*/p:cNvPr/@hidden") in (["1"], ["true"])
        is_seen = not (is_hidden or (depth == 0 and _is_outside(shape, size)))
        if is_seen and shape.shape_type == MSO_SHAPE_TYPE.GROUP and depth < _DEEPEST:
            yield from _shapes(shape.shapes, size, depth + 1)
        elif not (shape.is_placeholder and shape.placeholder_format.type in _SKIPPED):
            yield shape, is_seen


def _put_shape(shape: Any, place: str, composer: Composer) -> None:
    if getattr(shape, "has_table", False) and shape.has_table:
        composer.table(_cells_of(shape.table))
    elif getattr(shape, "has_chart", False) and shape.has_chart:
        _put_chart(shape.chart, place, composer)
    elif hasattr(shape, "image"):
        _put_picture(shape, place, composer)
    elif shape.has_text_frame:
        _put_text(shape, composer)


def _cells_of(table: Any) -> list[list[str]]:
    """The cells row by row; a label that reaches into rows below counts for them."""
    rows = [["\n".join(map(_text_of, cell.text_frame.paragraphs)) for cell in row.cells] for row in table.rows]
    origins = ((r, c, cell) for r, row in enumerate(table.rows) for c, cell in enumerate(row.cells))
    for row, column, cell in origins:
        if cell.is_merge_origin:
            for below in rows[row + 1 : row + cell.span_height]:
                below[column] = again(rows[row][column])
    return rows


def _put_text(shape: Any, composer: Composer) -> None:
    listed = shape.is_placeholder and len([p for p in shape.text_frame.paragraphs if p.text.strip()]) > 1
    for paragraph in shape.text_frame.paragraphs:
        if not (text := _text_of(paragraph)):
            continue
        if listed or paragraph.level:
            composer.item(text.replace("\n", " "), depth=paragraph.level)
        else:
            composer.paragraph(text)


def _text_of(paragraph: Any) -> str:
    return escaping.inline(paragraph.text.replace("\v", "\n")).strip()


def _put_picture(shape: Any, place: str, composer: Composer) -> None:
    try:
        data = shape.image.blob
    except (KeyError, ValueError, AttributeError):
        composer.warn("image_elsewhere", place, "An image that is not in the file itself was left out.")
        return
    alt = next(iter(shape.element.xpath(".//p:cNvPr/@descr")), "")
    if image := composer.image(data, alt, place):
        composer.paragraph(image)


def _put_chart(chart: Any, place: str, composer: Composer) -> None:
    try:
        series = [(item.name or "", list(item.values)) for plot in chart.plots for item in plot.series]
        categories = [str(category) for category in chart.plots[0].categories] if len(chart.plots) else []
    except (KeyError, ValueError, AttributeError, TypeError, IndexError):
        composer.warn("chart_unread", place, "A chart is not read; attach its figures as a table or picture.")
        return
    rows = [["", *(name for name, _ in series)]]
    for number, category in enumerate(categories):
        rows.append([category, *(shown(values[number]) if number < len(values) else "" for _, values in series)])
    composer.table([[escaping.inline(cell) for cell in row] for row in rows])
