"""One file read, drawn or filled in, in a process of its own: it finds the file in a folder, and leaves the results.

A page that is drawn is a picture and its words, and last what it is called: that it is whole.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import PIL.Image
from pydantic import BaseModel, Field
from stemma_contracts.base import filled_from
from stemma_contracts.shown import check_upload_name, shown
from stemma_contracts.tokens import MAX_SEGMENTS
from stemma_contracts.v1 import inputs as i
from stemma_contracts.v1.forms import MOST_FIELDS, MOST_REASONS, FormField, FormFields, RowCell
from stemma_contracts.v1.inputs import ChangedPart, InputChanges, PageWord, PageWords
from stemma_contracts.v1.jobs import ReadInput
from stemma_evidence import read as read_source
from stemma_forms import AnswersRefused, FormError, answers_in, fill, find_fields, unsupported
from stemma_forms import Field as FoundField
from stemma_languages import detect, language, role_of_text, shipped, unknown_language
from stemma_markdown import BlockDifference, Document, changed_parts, differences, parts

from .reading import Child, Image, Limits, Reading, Unreadable, load_readers, read_input

if TYPE_CHECKING:
    from .reading.pdf_drawing import Drawing

FILE, ANSWERS, FILLED = "file", "answers.md", "filled"
BEFORE, TEXT, ANCHORS, CHANGES, FIELDS = "before.txt", "text.md", "anchors.json", "changes.json", "fields.json"
HEARD_CHARACTERS = 20_000
"""From the beginning of a text it is told which language it is in."""
_DETAIL, _LABEL, _TITLE, _PLACE = 300, 300, 300, 200
EDGES = ("left", "top", "right", "bottom")
_NEAR_LINES = 40
"""A heading below so many lines is that of a section."""
MOST_BLOCKS = 200
WHOLE_CHARACTERS = 600
MOST_CHARACTERS = 2_000
"""Of one side of a block: of a longer one, such as a table, what changed in it is told."""
_WIDE = "\u3041-\u9fff"
"""Letters of scripts that put no spaces between words: each is a word of its own."""
_WORD_OF_TEXT = re.compile(rf"[{_WIDE}]|[^\W{_WIDE}]+")
_SIGNS = re.compile(r"[^\w\s|]*")
_MOST_SIGNS = 20
_BETWEEN = "\0"


class Part(BaseModel):
    """A file that came out of another one, under a name that is unique in the document; it lies under its number."""

    name: str
    media_type: str


class Done(BaseModel):
    """What came of a reading: a failure, or the text with all that was noticed."""

    failure: i.Unreadable | None = None
    figures: i.ReadingFigures = i.ReadingFigures()
    warnings: tuple[i.ReadingWarning, ...] = ()
    more_warnings: int = 0
    language: str = ""
    title: str = ""
    images: tuple[Part, ...] = ()
    children: tuple[Part, ...] = ()
    changed_blocks: int | None = None
    changed_parts: tuple[str, ...] | None = None
    field_ids: tuple[str, ...] | None = None
    accepted: str | None = None
    proposed_role: str = ""


class Page(BaseModel):
    """A page that was drawn: it is whole."""

    label: str = Field(max_length=_LABEL)
    width: float = Field(gt=0)
    height: float = Field(gt=0)


class Filled(BaseModel):
    """What came of filling a form: ``reasons`` why there is no filled one."""

    answered: tuple[str, ...] = ()
    unanswered: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


def prepare() -> None:
    """Load what calls need, conversions too: each would load it again, in seconds."""
    import stemma_forms.acroform
    import stemma_forms.spreadsheet.filling
    import stemma_forms.word.filling  # noqa: F401

    from . import conversion, gate, proving, returned  # noqa: F401

    load_readers()
    PIL.Image.preinit()
    # The words and units of all languages, and the model that tells them apart.
    said = b"The contractor shall train ten users in 2 weeks. " * 9
    text = read_input("a.txt", "text/plain", said, Limits()).markdown
    role_of_text(text)
    detect(text)
    for tag in shipped():
        language(tag).name_of(tag)
        read_source(text, "text/plain", tag, standing="section", name="")


def read(folder: Path, job: ReadInput, limits: Limits) -> Done:
    """Read the file of a job, which may be its own text; leave the text, its anchors and other files."""
    content = (folder / FILE).read_bytes()
    if job.is_text:
        reading = Reading(content.decode("utf-8-sig", "replace"))
    else:
        try:
            reading = read_input(job.name, job.file.media_type, content, limits)
        except Unreadable as why:
            return Done(failure=i.Unreadable(reason=why.reason, detail=why.words[:_DETAIL]))
    reading, gone = _without_passages(folder, job, reading)
    if tag := unknown_language(reading.markdown):
        words = f"It is in '{tag}', a language without rules: until somebody gives it a role, nothing of it is quoted."
        gone.append(i.ReadingWarning(code="language_unknown", detail=words))
    (folder / TEXT).write_text(reading.markdown, encoding="utf-8", errors="replace", newline="")
    (folder / ANCHORS).write_text(i.Anchors(anchors=reading.anchors).model_dump_json(), encoding="utf-8")
    characters = reading.figures.characters or len(reading.markdown)
    done = Done(
        figures=reading.figures.model_copy(update={"characters": characters}),
        warnings=(*gone, *reading.warnings)[: i.MOST_WARNINGS],
        more_warnings=max(0, len(reading.warnings) - i.MOST_WARNINGS),
        language=detect(reading.markdown[:HEARD_CHARACTERS]),
        title=_title(reading),
        proposed_role="internal" if reading.is_message else role_of_text(reading.markdown) or "",
        images=_laid(folder, "image", reading.images, posixpath.dirname(job.name)),
        children=_laid(folder, "child", reading.children, job.name),
    )
    fields = _fields(done, content, folder) if job.form else {}
    return done.model_copy(update={**fields, **_compared(job, folder, reading.markdown)})


def _without_passages(folder: Path, job: ReadInput, reading: Reading) -> tuple[Reading, list[i.ReadingWarning]]:
    """The text without what is confidential, and a warning for each passage that does not stand in it."""
    text, gone = reading.markdown, list[i.ReadingWarning]()
    for number in range(len(job.confidential)):
        before, passage = text, (folder / passage_of(number)).read_text(encoding="utf-8")
        if (text := without(before, passage)) == before:
            words = f"Words that are confidential do not stand in it, so nothing was left out: {shown(passage)}"
            gone.append(i.ReadingWarning(code="confidential_missing", detail=words[:_DETAIL]))
    return replace(reading, markdown=text), gone


def without(text: str, passage: str) -> str:
    """A text with spaces in place of a passage, wherever its words stand in a row, with the signs around them.

    Nothing else moves: places stay what they are.
    """
    found = list(_WORD_OF_TEXT.finditer(text))
    wanted = [match.group().casefold() for match in _WORD_OF_TEXT.finditer(passage)]
    joined, sought = _joined([match.group().casefold() for match in found]), _joined(wanted)
    pieces, done, first, at, after = list[str](), 0, 0, 0, joined.find(sought) if wanted else -1
    while after >= 0:
        first, at = first + joined.count(_BETWEEN, at, after), after
        start, end = found[first].start(), found[first + len(wanted) - 1].end()
        start, end = max(_begin(text, start), done), end + len(_SIGNS.findall(text[end : end + _MOST_SIGNS])[0])
        pieces += (text[done:start], re.sub(r"\S", " ", text[start:end]))
        done, after = max(end, done), joined.find(sought, at + 1)
    return "".join((*pieces, text[done:]))


def _begin(text: str, start: int) -> int:
    while start and not (text[start - 1].isalnum() or text[start - 1].isspace() or text[start - 1] in "_|"):
        start -= 1
    return start


def _joined(words: list[str]) -> str:
    return _BETWEEN + "".join(word + _BETWEEN for word in words)


def passage_of(number: int) -> str:
    return f"passage-{number}.txt"


def _fields(done: Done, content: bytes, folder: Path) -> dict[str, object]:
    """The fields of a form, and warnings that come first: there are none, or some that are not filled."""
    found, why = form_fields(content)
    if not found:
        words = (why or "No place was found that waits for an answer.")[:_DETAIL]
        none = i.ReadingWarning(code="no_fields", detail=words)
        return {"warnings": (none, *done.warnings)[: i.MOST_WARNINGS]}
    (folder / FIELDS).write_text(FormFields(fields=found).model_dump_json(), encoding="utf-8")
    left = (
        i.ReadingWarning(code="field_not_supported", detail=what[:_DETAIL], place=shown(place)[:_PLACE])
        for place, what in unsupported(content)
    )
    warnings = (*left, *done.warnings)[: i.MOST_WARNINGS]
    return {"warnings": warnings, "field_ids": tuple(one.field_id for one in found), "accepted": accepted(found)}


def _title(reading: Reading) -> str:
    """What a text calls itself: its first heading near its beginning, else the title among the file's properties."""
    headings = Document(reading.markdown[:HEARD_CHARACTERS]).headings
    near = (heading.text for heading in headings if heading.line <= _NEAR_LINES and any(map(str.isalpha, heading.text)))
    return " ".join(shown(next(near, reading.title)).split())[:_TITLE]


def _compared(job: ReadInput, folder: Path, text: str) -> dict[str, object]:
    if not (folder / BEFORE).is_file():
        return {}
    before = (folder / BEFORE).read_text(encoding="utf-8", errors="replace")
    by_line = job.is_text and job.file.media_type in ("text/csv", "application/json")
    old, new = parts(before, by_line=by_line), parts(text, by_line=by_line)
    touched = changed_parts(old, new)
    more = {part.fingerprint for part in new} - {part.fingerprint for part in old}
    changes = changes_of(before, text, by_line=by_line) if touched or more else i.InputChanges()
    (folder / CHANGES).write_text(changes.model_dump_json(), encoding="utf-8")
    fitting = touched if len(touched) <= i.MOST_CHANGED_PARTS else None
    return {"changed_blocks": len(changes.changed) + changes.left_off, "changed_parts": fitting}


def _laid(folder: Path, kind: str, files: Sequence[Image | Child], within: str) -> tuple[Part, ...]:
    """Files under their numbers; one whose name no input can have gets another.

    Images are referred to from beside the file, attachments lie below their message.
    """
    laid = []
    for number, file in enumerate(files):
        (folder / f"{kind}-{number}").write_bytes(file.data)
        laid.append(Part(name=_name(file.name, within, f"{kind}-{number}"), media_type=file.media_type))
    return tuple(laid)


def _name(name: str, within: str, else_: str) -> str:
    depth = "/".join(within.split("/")[: MAX_SEGMENTS - 1])
    plain = f"{else_}{posixpath.splitext(name)[1]}"
    for wanted in (posixpath.join(within, name), posixpath.join(depth, posixpath.basename(name)), f"{depth}/{plain}"):
        try:
            return check_upload_name(wanted)
        except ValueError:
            continue
    return posixpath.join(depth, else_)


def form_fields(content: bytes) -> tuple[tuple[FormField, ...], str]:
    try:
        return tuple(_form_field(field) for field in find_fields(content)[:MOST_FIELDS]), ""
    except FormError as error:
        return (), str(error)


def accepted(fields: Iterable[FormField]) -> str:
    """The same for forms whose fields accept the same answers, in whatever order and place they stand."""
    told = sorted(field.model_dump_json(include={"field_id", "kind", "allowed", "most", "unit"}) for field in fields)
    return sha256("\n".join(told).encode()).hexdigest()


def _form_field(field: FoundField) -> FormField:
    return filled_from(
        FormField,
        field,
        field_id=field.id,
        group=shown(field.group),
        question=shown(field.question),
        kind=field.kind.value,
        most=field.limit.most if field.limit else None,
        unit=field.limit.unit.value if field.limit else "words",
        column=shown(field.column),
        row=tuple(RowCell(head=shown(head), text=shown(text)) for head, text in field.row),
    )


def changes_of(before: str, after: str, *, by_line: bool) -> InputChanges:
    changed = list(_by_line(before, after) if by_line else _by_block(before, after))
    return InputChanges(changed=tuple(changed[:MOST_BLOCKS]), left_off=max(0, len(changed) - MOST_BLOCKS))


def _by_line(before: str, after: str) -> Iterator[ChangedPart]:
    old, new = parts(before, by_line=True), parts(after, by_line=True)
    gone, kept = set(changed_parts(old, new)), {part.fingerprint for part in new}
    known = {part.fingerprint for part in old}
    for part in old:
        if part.fingerprint in gone and part.fingerprint not in kept:
            yield ChangedPart(before=part.text[:MOST_CHARACTERS], line=part.line)
    for part in new:
        if part.fingerprint not in known:
            yield ChangedPart(after=part.text[:MOST_CHARACTERS], line=part.line)


def _by_block(before: str, after: str) -> Iterator[ChangedPart]:
    headings = [(heading.line, heading.text) for heading in Document(after).headings]
    for found in differences(before, after):
        told = _changed_part(found, headings)
        if told is not None:
            yield told


def _changed_part(found: BlockDifference, headings: list[tuple[int, str]]) -> ChangedPart | None:
    """A block that moved, or only looks otherwise, is no change of what is said."""
    old, new = found.old, found.new
    if found.change == "moved" or (old and new and _says(old.content) == _says(new.content)):
        return None
    line = new.line if new else old.line if old else 0
    above = next((text for at, text in reversed(headings) if new and at <= line), "")
    return ChangedPart(
        before=_side(old.content if old else "", (one.old.text for one in found.sentences if one.old)),
        after=_side(new.content if new else "", (one.new.text for one in found.sentences if one.new)),
        heading=above[:200],
        line=line,
    )


def _says(text: str) -> list[str]:
    return [part.fingerprint for part in parts(text)]


def _side(content: str, changed: Iterable[str]) -> str:
    """A short block whole, of a longer one its sentences and rows that changed."""
    if len(content) <= WHOLE_CHARACTERS:
        return content.strip()
    return ("\n".join(text.strip() for text in changed) or content)[:MOST_CHARACTERS].strip()


def draw(folder: Path, pages: int, bytes_each: int) -> None:
    # Not before there is one: what draws stays out of the service.
    from .reading.pdf_drawing import drawn_pages

    number = 0
    for drawing in drawn_pages((folder / FILE).read_bytes(), pages):
        if len(drawing.png) <= bytes_each:
            _lay(folder, number, drawing)
            number += 1


def picture_of(number: int) -> str:
    return f"page-{number}.png"


def words_of(number: int) -> str:
    return f"words-{number}.json"


def page_of(number: int) -> str:
    return f"page-{number}.json"


def _lay(folder: Path, number: int, drawing: Drawing) -> None:
    words = (
        PageWord(text=text, **dict(zip(EDGES, (round(at, 1) for at in box), strict=True)))
        for text, *box in drawing.words
    )
    page = Page(label=drawing.label, width=drawing.width, height=drawing.height)
    (folder / picture_of(number)).write_bytes(drawing.png)
    written = PageWords(words=tuple(words)).model_dump_json()
    (folder / words_of(number)).write_text(written, encoding="utf-8", errors="replace")
    unfinished = folder / f"{page_of(number)}.part"
    unfinished.write_text(page.model_dump_json(), encoding="utf-8")
    unfinished.rename(folder / page_of(number))


def fill_form(folder: Path) -> Filled:
    form, given = (folder / FILE).read_bytes(), answers_in((folder / ANSWERS).read_text(encoding="utf-8"))
    try:
        ids = [field.id for field in find_fields(form)]
        answers = {identity: given[identity] for identity in ids if identity in given}
        (folder / FILLED).write_bytes(fill(form, answers))
    except FormError as refusal:
        reasons = refusal.reasons if isinstance(refusal, AnswersRefused) else (str(refusal),)
        return Filled(reasons=tuple(reason[:_DETAIL] for reason in reasons[:MOST_REASONS]))
    unanswered = [identity for identity in ids if identity not in answers]
    return Filled(answered=tuple(answers)[:MOST_FIELDS], unanswered=tuple(unanswered)[:MOST_FIELDS])
