"""Forms in PDF with AcroForm fields (ISO 32000-1, 12.7): answers are appended, the bytes before them stay."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, NamedTuple

from pypdf import PdfReader, PdfWriter
from pypdf.errors import PyPdfError
from pypdf.generic import ArrayObject, NameObject, StreamObject, TextStringObject
from pypdfium2 import PdfDocument, PdfiumError

from .field import Field, Found, Kind, Limit, Unit, UnreadableForm, chosen, is_checked, line, stated_limit
from .words import is_placeholder

MOST_FIELDS = 5_000
_READ_ONLY, _MULTILINE, _RADIO, _BUTTON, _EDITABLE = 1, 1 << 12, 1 << 15, 1 << 16, 1 << 18
_HIDDEN = 2 | 32
_FAR, _ABOVE, _GAP = 320, 26, 10
"""Points between a field and the words beside it or above it, and between the words of one label."""
_DAMAGED = (PyPdfError, PdfiumError, ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError)
_NUMBERED = re.compile(r"(?:[A-Za-z]+ ?)?\d+")


class _Box(NamedTuple):
    left: float
    bottom: float
    right: float
    top: float


@dataclass
class Widgets:
    """A field of the file by its whole name, and where it is shown; ``states`` are the values of its buttons."""

    name: str
    page: int
    data: Mapping[str, Any]
    boxes: list[_Box] = field(default_factory=list)
    states: list[str] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)


class AcroForm:
    """A PDF with fields. Raises `UnreadableForm` for an XFA form, a protected or a damaged file, or one without any."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        try:
            self._read(content)
        except UnreadableForm:
            raise
        except _DAMAGED:
            raise UnreadableForm("The PDF is damaged. Open it and save it again.") from None

    def _read(self, content: bytes) -> None:
        reader = PdfReader(BytesIO(content))
        if reader.is_encrypted:
            raise UnreadableForm("The PDF is protected. Save it without a password and without restrictions.")
        form = reader.root_object.get("/AcroForm")
        form = form.get_object() if form is not None else {}
        if "/XFA" in form:
            raise UnreadableForm(
                "The PDF is an XFA form, which is not read. Ask for it as DOCX, XLSX or plain PDF form."
            )
        shown = list(_widgets(reader))
        if not shown:
            raise UnreadableForm("The PDF has no fields to fill in. Ask for the form as DOCX or XLSX.")
        signatures = [one for one in shown if one.data.get("/FT") == "/Sig"]
        self.is_signed = any("/V" in one.data for one in signatures)
        self.unsupported = tuple((_place(one), "a field for a signature") for one in signatures)
        words = _Words(content)
        self.found = tuple(Found(_field(one, words), one) for one in shown if _is_open(one))

    def filled(self, answers: Sequence[tuple[Found[Widgets], str]]) -> bytes:
        """The file with the answers behind it."""
        writer, buffer = PdfWriter(BytesIO(self._content), incremental=True), BytesIO()
        values = {one.spot.name: _value(one, answer) for one, answer in answers}
        odd = {name for name, value in values.items() if value.encode("cp1252", "ignore").decode("cp1252") != value}
        try:
            is_left = [_fill_page(writer, page, values, odd) for page in writer.pages if "/Annots" in page]
            writer.set_need_appearances_writer(any(is_left))
            writer.write(buffer)
        except _DAMAGED:
            raise UnreadableForm("The PDF is damaged and cannot be filled. Open it and save it again.") from None
        return buffer.getvalue()


def _fill_page(writer: PdfWriter, page: Any, values: Mapping[str, str], odd: Set[str]) -> bool:
    """Fill the fields of a page; gives whether who opens it has to draw one of them.

    pypdf looks for the last part of a name, too: it is shown the fields of one name at a time.
    """
    every, shown, is_left = page.raw_get("/Annots"), dict[str, list[Any]](), False
    for reference in page["/Annots"]:
        if (widget := reference.get_object()).get("/Subtype") == "/Widget":
            shown.setdefault(_inherited(widget)[1], []).append(reference)
    for name in (each for each in shown if each in values):
        page[NameObject("/Annots")] = ArrayObject(shown[name])
        widgets = [reference.get_object() for reference in shown[name]]
        is_left |= _fill_field(writer, page, widgets, name, values[name], is_odd=name in odd)
    page[NameObject("/Annots")] = every
    return is_left


def _fill_field(writer: PdfWriter, page: Any, widgets: list[Any], name: str, value: str, *, is_odd: bool) -> bool:
    """Fill a field; gives whether it is left to who opens the file how it looks.

    It is where the fonts of forms lack the characters, or where pypdf cannot draw it.
    """
    owners = [one if "/T" in one or "/Parent" not in one else one["/Parent"].get_object() for one in widgets]
    kind = _inherited(widgets[0])[0].get("/FT")
    for owner in owners:
        owner.setdefault(NameObject("/FT"), NameObject(kind))
    try:
        writer.update_page_form_field_values(page, {name: value}, auto_regenerate=None)
    except _DAMAGED:
        is_odd = True
        written = NameObject(value) if kind == "/Btn" else TextStringObject(value)
        for owner in owners:
            owner[NameObject("/V")] = written
    for widget in widgets if is_odd else ():
        if kind == "/Btn":
            states = _states_of(widget)
            widget[NameObject("/AS")] = NameObject(value if not states or value in states else "/Off")
        else:
            widget.pop("/AP", None)
    return is_odd


def _widgets(reader: PdfReader) -> Iterator[Widgets]:
    """The fields in the order of the pages; those of one name are one field."""
    found: dict[str, Widgets] = {}
    for number, page in enumerate(reader.pages, 1):
        for reference in page.get("/Annots") or ():
            widget = reference.get_object()
            if widget.get("/Subtype") != "/Widget" or int(widget.get("/F", 0)) & _HIDDEN:
                continue
            data, name = _inherited(widget)
            one = found.setdefault(name, Widgets(name, number, data))
            one.boxes.append(_Box(*(float(edge) for edge in widget["/Rect"])))
            one.states += _states_of(widget)
            if len(found) > MOST_FIELDS:
                raise UnreadableForm(f"The PDF has more than {MOST_FIELDS} fields.")
    return iter(found.values())


def _states_of(widget: Any) -> list[str]:
    """The value that a button has when it is on, by how it looks then."""
    looks = widget["/AP"].get_object().get("/N") if "/AP" in widget else None
    names = looks.get_object() if looks is not None else {}
    return [] if isinstance(names, StreamObject) else [str(state) for state in names if state != "/Off"][:1]


def _inherited(widget: Any) -> tuple[dict[str, Any], str]:
    """What a widget and the fields above it say, and its whole name."""
    data, names, node, seen = dict[str, Any](), list[str](), widget, 0
    while node is not None and seen < 32:
        data = {**{key: value.get_object() for key, value in node.items() if key not in ("/Parent", "/Kids")}, **data}
        names += [str(node["/T"])] if "/T" in node else []
        node, seen = node.get("/Parent"), seen + 1
        node = node.get_object() if node is not None else None
    return data, ".".join(reversed(names))


def _is_open(one: Widgets) -> bool:
    flags, kind = int(one.data.get("/Ff", 0)), one.data.get("/FT")
    is_button = kind == "/Btn" and flags & _BUTTON
    written = str(one.data.get("/V", "")).strip() if kind == "/Tx" else ""
    is_free = not written or is_placeholder(written)
    return bool(one.name) and kind in ("/Tx", "/Btn", "/Ch") and not flags & _READ_ONLY and not is_button and is_free


def _place(one: Widgets) -> str:
    return f"page {one.page}, field {one.name}"


def _field(one: Widgets, words: _Words) -> Field:
    told = str(one.data.get("/TU", "")).strip()
    beside = words.label(one.page, one.boxes[0], is_box=_is_box(one))
    question = line((told or beside or _in_words(one.name)).rstrip(" :："))
    kind, allowed, suggested = _accepts(one, words)
    longest = int(one.data.get("/MaxLen", 0))
    return Field(
        place=_place(one),
        group=f"page {one.page}",
        question=question,
        kind=kind,
        allowed=allowed,
        suggested=suggested,
        limit=Limit(longest, Unit.CHARACTERS) if longest > 0 and kind is Kind.TEXT else stated_limit(told, beside),
        current=line(str(one.data.get("/V", "")).removeprefix("/")),
        confidence=0.95,
    )


def _is_box(one: Widgets) -> bool:
    return one.data.get("/FT") == "/Btn" and len(one.boxes) == 1


def _accepts(one: Widgets, words: _Words) -> tuple[Kind, tuple[str, ...], tuple[str, ...]]:
    """The kind of a field, and its list; ``values`` of the field then says what stands for each of them."""
    match one.data.get("/FT"):
        case "/Btn" if _is_box(one):
            return Kind.CHECKBOX, (), ()
        case "/Btn":
            one.values = dict(_states(one, words))
            return Kind.CHOICE, tuple(one.values), ()
        case "/Ch":
            pairs = [
                (each[0], each[-1]) if isinstance(each, list) else (each, each) for each in one.data.get("/Opt", ())
            ]
            one.values = {str(display).strip(): str(value) for value, display in pairs if str(display).strip()}
            is_free = int(one.data.get("/Ff", 0)) & _EDITABLE
            return (Kind.TEXT, (), tuple(one.values)) if is_free else (Kind.CHOICE, tuple(one.values), ())
        case _:
            scripts = str(one.data.get("/AA", ""))
            return Kind.NUMBER if "AFNumber_" in scripts else Kind.TEXT, (), ()


def _states(one: Widgets, words: _Words) -> Iterator[tuple[str, str]]:
    """What each button of a group stands for: its name, or the words beside it if that is a mere number."""
    for box, state in zip(one.boxes, one.states, strict=False):
        name = state.removeprefix("/").replace("#20", " ")
        is_number = _NUMBERED.fullmatch(name) is not None
        yield (words.right_of(one.page, box) if is_number else "") or name, state


def _value(one: Found[Widgets], answer: str) -> str:
    match one.field.kind:
        case Kind.CHECKBOX:
            return next(iter(one.spot.states), "/Yes") if is_checked(answer) else "/Off"
        case Kind.CHOICE:
            return one.spot.values[chosen(one.field, answer) or ""] if answer else ""
        case _:
            is_line = not int(one.spot.data.get("/Ff", 0)) & _MULTILINE
            return " ".join(answer.split("\n")) if is_line else answer


def _in_words(name: str) -> str:
    """The words of a field's name: ``form1[0].CompanyName[0]`` is Company Name."""
    last = re.sub(r"\[\d+\]", "", name).split(".")[-1]
    return " ".join(re.sub(r"(?<=[a-z])(?=[A-Z])|[_\W]+", " ", last).split())


class _Words:
    """The words on the pages, with their places."""

    def __init__(self, content: bytes) -> None:
        self._document = PdfDocument(content)
        self._runs: dict[int, list[tuple[_Box, str]]] = {}

    def label(self, page: int, box: _Box, *, is_box: bool) -> str:
        """The words that say what a field is for: behind a box, else before it, else above it."""
        behind = self.right_of(page, box) if is_box else ""
        return behind or self._left_of(page, box) or self._above(page, box)

    def right_of(self, page: int, box: _Box) -> str:
        beside = [(run, text) for run, text in self._beside(page, box) if run.left >= box.right - 2]
        return _joined(sorted(beside), box.right + 3 * _GAP)

    def _left_of(self, page: int, box: _Box) -> str:
        before = sorted(
            (r, t) for r, t in self._beside(page, box) if r.right <= box.left + 2 and box.left - r.right < _FAR
        )
        first = len(before) - 1
        while first > 0 and before[first][0].left - before[first - 1][0].right < _GAP:
            first -= 1
        return " ".join(text for _, text in before[max(first, 0) :])

    def _above(self, page: int, box: _Box) -> str:
        over = [
            (run.bottom - box.top, text)
            for run, text in self._on(page)
            if -2 <= run.bottom - box.top < _ABOVE and run.left < box.right and run.right > box.left - _GAP
        ]
        return min(over)[1] if over else ""

    def _beside(self, page: int, box: _Box) -> Iterator[tuple[_Box, str]]:
        """The words on the line of a box."""
        for run, text in self._on(page):
            shared = min(run.top, box.top) - max(run.bottom, box.bottom)
            if shared > min(run.top - run.bottom, box.top - box.bottom) / 2:
                yield run, text

    def _on(self, number: int) -> Sequence[tuple[_Box, str]]:
        if number not in self._runs:
            page = self._document[number - 1].get_textpage()
            places = [_Box(*page.get_rect(at)) for at in range(page.count_rects())]
            texts = ((place, " ".join(page.get_text_bounded(*place).split())) for place in places)
            self._runs[number] = [(place, text) for place, text in texts if text.strip("_. ")]
        return self._runs[number]


def _joined(runs: Sequence[tuple[_Box, str]], before: float) -> str:
    """The words that go on from a place without a gap."""
    words = []
    for run, text in runs:
        if run.left > before:
            break
        words.append(text)
        before = run.right + _GAP
    return " ".join(words)
