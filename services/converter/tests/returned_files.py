"""What people do to a DOCX in Word and LibreOffice, as they write it."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from datetime import UTC, datetime
from io import BytesIO
from types import MappingProxyType
from typing import Any, NamedTuple
from zipfile import ZipFile

from docx import Document as WordDocument
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from lxml import etree
from stemma_contracts.v1.returned import ReturnedDocument
from stemma_converter.converter import Converter
from stemma_converter.placing import Draft
from stemma_converter.returned import changes_in, drafts_shown
from stemma_converter.word import with_fixed_dates
from stemma_ooxml.word import W14, W

from .conftest import Exporter

Root = etree._Element
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
AUTHOR = {f"{W}author": "Bea Boss", f"{W}date": "2026-11-22T10:00:00Z", f"{W}id": "9001"}


async def exported(
    converter: Converter, *texts: str, assets: Mapping[str, bytes] = MappingProxyType({})
) -> tuple[bytes, tuple[Draft, ...]]:
    exporter = Exporter(converter)
    job = await exporter.job("docx", *texts, assets=assets)
    data, _ = await exporter.converted(job)
    return data, drafts_of(job, *texts)


def drafts_of(job: Any, *texts: str) -> tuple[Draft, ...]:
    return tuple(
        Draft(one.section_id, one.version, one.draft.digest, text)
        for one, text in zip(job.sections, texts, strict=True)
    )


def read(content: bytes, drafts: tuple[Draft, ...]) -> ReturnedDocument:
    texts = {draft.digest: draft.text for draft in drafts}
    shown = drafts_shown(content, "doc-1", [draft._replace(text="") for draft in drafts])
    return changes_in(content, [draft._replace(text=texts[draft.digest]) for draft in shown])


def edited(content: bytes, edit: Callable[[Root], None], part: str = "word/document.xml") -> bytes:
    with ZipFile(BytesIO(content)) as package:
        root = etree.fromstring(package.read(part))
    edit(root)
    return with_part(content, part, etree.tostring(root))


def with_part(content: bytes, part: str, data: bytes) -> bytes:
    with ZipFile(BytesIO(content)) as package:
        moment = package.infolist()[0].date_time
    return with_fixed_dates(content, datetime(*moment, tzinfo=UTC), {part: data})


def text_of(paragraph: Root) -> str:
    return "".join(text.text or "" for text in paragraph.iter(f"{W}t"))


def paragraph(root: Root, start: str) -> Root:
    return next(one for one in reversed(list(root.iter(f"{W}p"))) if text_of(one).strip().startswith(start))


def run_of(text: str, kind: str = "t") -> Root:
    run = etree.Element(f"{W}r")
    element = etree.SubElement(run, f"{W}{kind}")
    element.text = text
    element.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    return run


def _split(one: Root, word: str) -> Root:
    """Cut the run that holds a word in three; the one that holds the word alone."""
    text = next(text for text in one.iter(f"{W}t") if word in (text.text or ""))
    run = text.getparent()
    assert run is not None
    before, _, after = (text.text or "").partition(word)
    middle = run_of(word)
    run.addnext(middle)
    middle.addnext(run_of(after))
    text.text = before
    text.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    return middle


def tracked(one: Root, word: str, new: str, **author: str) -> None:
    run = _split(one, word)
    gone, come = (
        etree.Element(f"{W}{kind}", AUTHOR | {f"{W}{k}": v for k, v in author.items()}) for kind in ("del", "ins")
    )
    run.addprevious(gone)
    gone.append(run_of(word, "delText"))
    if new:
        come.append(run_of(new))
        run.addprevious(come)
    run.getparent().remove(run)  # type: ignore[union-attr]


def silent(one: Root, word: str, new: str) -> None:
    _split(one, word)[0].text = new


def end_of(one: Root, kind: str) -> None:
    properties = one.find(f"{W}pPr")
    if properties is None:
        properties = etree.Element(f"{W}pPr")
        one.insert(0, properties)
    mark = etree.SubElement(properties, f"{W}rPr")
    etree.SubElement(mark, f"{W}{kind}", AUTHOR)


def wrap(one: Root, kind: str) -> None:
    for run in list(one.iter(f"{W}r")):
        for text in run.iter(f"{W}t") if kind in ("del", "moveFrom") else ():
            text.tag = f"{W}delText" if kind == "del" else text.tag
        change = etree.Element(f"{W}{kind}", AUTHOR)
        run.addprevious(change)
        change.append(run)


def new_behind(one: Root, text: str, *, is_tracked: bool = False, like: bool = False) -> Root:
    new = etree.Element(f"{W}p")
    if like and (properties := one.find(f"{W}pPr")) is not None:
        new.append(deepcopy(properties))
    new.append(run_of(text))
    one.addnext(new)
    if is_tracked:
        wrap(new, "ins")
        end_of(new, "ins")
    return new


def gone_tracked(one: Root) -> None:
    wrap(one, "del")
    end_of(one, "del")


def without_marks(one: Root) -> Root:
    """A copy as Word makes one: a bookmark stands once in a file."""
    copy = deepcopy(one)
    for mark in list(copy.iter(f"{W}bookmarkStart", f"{W}bookmarkEnd")):
        remove(mark)
    return copy


def move_tracked(one: Root, target: Root) -> None:
    copy = without_marks(one)
    wrap(one, "moveFrom")
    end_of(one, "moveFrom")
    wrap(copy, "moveTo")
    end_of(copy, "moveTo")
    target.addprevious(copy)


def split_before(one: Root, words: str) -> None:
    silent(one, f" {words}", "")
    new_behind(one, words)


def merge_tracked(one: Root) -> None:
    end_of(one, "del")


def merge_silent(one: Root, other: Root) -> None:
    one.append(run_of(" "))
    one.extend([child for child in other if child.tag != f"{W}pPr"])
    remove(other)


def row_of(one: Root) -> Root:
    return next(one.iterancestors(f"{W}tr"))


def new_row(row: Root, cells: Sequence[str]) -> None:
    new = without_marks(row)
    for cell, words in zip(new.iterfind(f"{W}tc"), cells, strict=True):
        texts = list(cell.iter(f"{W}t"))
        if not texts:
            next(cell.iter(f"{W}p")).append(run_of(words))
        for number, text in enumerate(texts):
            text.text = "" if number else words
    row.addnext(new)


def remove(one: Root) -> None:
    one.getparent().remove(one)  # type: ignore[union-attr]


class Remark(NamedTuple):
    """A comment as somebody makes it; ``answers`` is the number of the one that it answers, from 1."""

    text: str
    author: str = "Bea"
    at: datetime = datetime(2026, 11, 22, 10, tzinfo=UTC)
    resolved: bool = False
    answers: int = 0


def commented(content: bytes, remarks: Sequence[tuple[Remark, Callable[[Root], Sequence[Root]]]]) -> bytes:
    """The file with comments, each on the runs that are found for it."""
    document = WordDocument(BytesIO(content))
    states = []
    for number, (remark, _) in enumerate(remarks, 1):
        comment = document.comments.add_comment(text=remark.text, author=remark.author, initials="B")
        comment.paragraphs[-1]._p.set(f"{W14}paraId", f"{number:08}")
        above = f' w15:paraIdParent="{remark.answers:08}"' if remark.answers else ""
        states.append(f'<w15:commentEx w15:paraId="{number:08}" w15:done="{int(remark.resolved)}"{above}/>')
    space = "http://schemas.microsoft.com/office/word/2012/wordml"
    extended = f'<w15:commentsEx xmlns:w15="{space}">{"".join(states)}</w15:commentsEx>'
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.commentsExtended+xml"
    part = Part(PackURI("/word/commentsExtended.xml"), kind, extended.encode(), document.part.package)
    document.part.relate_to(part, "http://schemas.microsoft.com/office/2011/relationships/commentsExtended")
    buffer = BytesIO()
    document.save(buffer)

    def dated(root: Root) -> None:
        for element, (remark, _) in zip(root.iter(f"{W}comment"), remarks, strict=True):
            element.set(f"{W}date", f"{remark.at:%Y-%m-%dT%H:%M:%SZ}")

    def anchored(root: Root) -> None:
        for number, (_, runs_in) in enumerate(remarks):
            runs = runs_in(root)
            start, end = (etree.Element(f"{W}commentRange{kind}", {f"{W}id": str(number)}) for kind in ("Start", "End"))
            reference = etree.Element(f"{W}r")
            etree.SubElement(reference, f"{W}commentReference", {f"{W}id": str(number)})
            runs[0].addprevious(start)
            runs[-1].addnext(end)
            end.addnext(reference)

    return edited(edited(buffer.getvalue(), dated, "word/comments.xml"), anchored)
