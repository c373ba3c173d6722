"""A DOCX that comes back from Word or LibreOffice: what people did to each section of the document.

It is called in a process of its own: it reads what strangers wrote. Each person's changes are an edit of their own; a
section that has another version since is merged with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.returned import (
    ReturnedComment,
    ReturnedConflict,
    ReturnedDocument,
    ReturnedEdit,
    ReturnedSection,
    ReturnFigures,
)
from stemma_markdown import Document, document_of, merge, sentences
from stemma_markdown.adopting import Adopted, Returned
from stemma_ooxml import PackageError
from stemma_ooxml.word import Comment, WordFile, marked, same

from .placing import Draft, Placed, every
from .reading import Limits, Unreadable, read_input
from .unshown import shown_of

FILE, FOUND = "returned.docx", "found.json"
_MAILS = (".eml", ".msg")
_LEAST = 0.5
"""A file of whose words less stands in a document is not taken for one of it."""
_MOST_VERSIONS = 5
_MOST_AUTHORS = 50
"""A file is gone over once for each: the changes of all further ones are one edit."""


class NotReturned(Exception):
    """Why a file is none of a document."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


class Compared(BaseModel):
    """How much people did, or why the file is none of the document."""

    failure: Problem | None = None
    figures: ReturnFigures = ReturnFigures()


class Shown(BaseModel):
    """The versions that a file shows, without their texts; or why it is none of the document."""

    failure: Problem | None = None
    drafts: tuple[Draft, ...] = ()


def shown_in(folder: Path, document_id: str, known: tuple[Draft, ...], name: str) -> Shown:
    """Which versions, among those that are known, the file in a folder shows, or the one of this document in a mail,
    which takes its place.
    """
    problem = Problem.of("return_unreadable", reason="no DOCX is attached to the mail")
    try:
        files = _files((folder / FILE).read_bytes(), name)
    except Unreadable as why:
        return Shown(failure=Problem.of("return_unreadable", reason=why.words))
    for content in files:
        try:
            drafts = drafts_shown(content, document_id, known)
        except NotReturned as no:
            problem = no.problem
            continue
        (folder / FILE).write_bytes(content)
        return Shown(drafts=drafts)
    return Shown(failure=problem)


def _files(content: bytes, name: str) -> Sequence[bytes]:
    if not name.casefold().endswith(_MAILS):
        return [content]
    attached = read_input(name, None, content, Limits()).children
    return [child.data for child in attached if child.name.casefold().endswith(".docx")]


def text_of(number: int, kind: str = "then") -> str:
    """The name of the text of a draft that the file shows, or of the one that its section has ``now``."""
    return f"{kind}-{number}.md"


def compare(folder: Path, drafts: tuple[Draft, ...], current: dict[str, int], language: str) -> Compared:
    """Leave what people did to drafts whose texts lie in the folder, merged with the ``current`` versions."""
    texts = [(folder / text_of(number)).read_text(encoding="utf-8", errors="replace") for number in range(len(drafts))]
    content = (folder / FILE).read_bytes()
    try:
        bases = closest(content, [draft._replace(text=text) for draft, text in zip(drafts, texts, strict=True)])
        found = changes_in(content, bases)
    except NotReturned as no:
        return Compared(failure=no.problem)
    versions = {base.section_id: base.version for base in bases}
    now = {
        draft.section_id: (folder / text_of(number, "now")).read_text(encoding="utf-8", errors="replace")
        for number, draft in enumerate(drafts)
        if current[draft.section_id] != draft.version and draft.version == versions[draft.section_id]
    }
    sections = tuple(
        with_now(one, current[one.section_id], now.get(one.section_id), language) for one in found.sections
    )
    (folder / FOUND).write_text(found.model_copy(update={"sections": sections}).model_dump_json(), encoding="utf-8")
    figures = ReturnFigures(
        certainty=found.certainty,
        edits=sum(len(one.merged) for one in sections),
        comments=sum(not comment.resolved for one in sections for comment in one.comments),
        conflicts=sum(len(one.conflicts) for one in sections),
    )
    return Compared(figures=figures)


def closest(content: bytes, bases: Sequence[Draft]) -> list[Draft]:
    """Of several versions of a section the one of which most stands in the file, the later one of two as good."""
    said, chosen = {same(one.text) for one in _opened(content).paragraphs(every)}, dict[str, tuple[float, Draft]]()
    several = Counter(base.section_id for base in bases)
    for base in bases:
        share = _share(base, said) if several[base.section_id] > 1 else 0.0
        if share >= chosen.get(base.section_id, (0.0, base))[0]:
            chosen[base.section_id] = share, base
    return [base for _, base in chosen.values()]


def _share(base: Draft, said: Container[str]) -> float:
    texts = [one.text for one in document_of(base.text).prose]
    there = (text for text in texts if same(text) in said or same(shown_of(text, ()).text) in said)
    return sum(map(len, there)) / max(1, sum(map(len, texts)))


def with_now(section: ReturnedSection, version: int, text: str | None, language: str) -> ReturnedSection:
    """A section with its edits as edits of the version that it has now; without a text that is the one that left."""
    if text is None:
        return section.model_copy(update={"now": version, "merged": section.edits})
    merged, conflicts = merged_edits(section.edits, text, language)
    return section.model_copy(update={"now": version, "merged": merged, "conflicts": conflicts})


def merged_edits(
    edits: Sequence[ReturnedEdit], text: str, language: str
) -> tuple[tuple[ReturnedEdit, ...], tuple[ReturnedConflict, ...]]:
    """The edits as edits of another text, with the words of the file where both changed the same, which is told."""
    if edits and edits[-1].after == text:
        return (), ()
    made, conflicts, language = list[ReturnedEdit](), list[ReturnedConflict](), language or "en"
    for edit in edits:
        merged = merge(edit.before, edit.after, text, language)
        both = (ReturnedConflict(base=one.base, file=one.ours, document=one.theirs) for one in merged.conflicts)
        conflicts += (one for one in both if not _has_already(one, language))
        if merged.text != text:
            made.append(edit.model_copy(update={"before": text, "after": merged.text}))
        text = merged.text
    return tuple(made), tuple(conflicts)


def _has_already(conflict: ReturnedConflict, language: str) -> bool:
    """Whether the file did all that the document did, and more: it went on after it was taken over once.

    Of a change that no sentence, heading or row shows, as one of their order, nobody can say that.
    """
    base, file, document = (_said(text, language) for text in (conflict.base, conflict.file, conflict.document))
    return document != base and document - base <= file and not (base - document) & file


def _said(text: str, language: str) -> set[str]:
    """The sentences of a text as they are written, and its headings and rows of tables."""
    lines = (line.strip() for line in text.splitlines())
    whole = {line for line in lines if line.startswith(("#", "|"))}
    return whole | {text[one.start : one.end] for one in sentences(text, language)}


def drafts_shown(content: bytes, document_id: str, known: Sequence[Draft]) -> tuple[Draft, ...]:
    """The versions that a file shows, in its order; the latest of each section where it does not say.

    Raises `NotReturned` for a file that says that it is of another document.
    """
    file = _opened(content)
    origin = file.origin
    if origin and origin.document_id and origin.document_id != document_id:
        raise NotReturned(Problem.of("return_of_another", name=f"the document {origin.document_id}"))
    body = [one for one in file.paragraphs(every) if not one.note]
    marks = {(mark.section, mark.draft) for one in body for mark in one.marks}
    left = dict(enumerate(origin.sections)) if origin else {}
    # A section that was deleted whole has no marks any more.
    marks |= {(place, marked(place, one.digest, 0, "").draft) for place, one in left.items()}
    found, used = list[Draft](), set[str]()
    for place, beginning in sorted(marks):
        absent = left[place].absent if place in left else frozenset[int]()
        named = left[place].section_id if place in left else ""
        fitting = [one for one in known if one.digest.startswith(beginning) and one.section_id not in used]
        if fitting:
            chosen = next((one for one in fitting if one.section_id == named), fitting[-1])
            used.add(chosen.section_id)
            found.append(chosen._replace(absent=absent, left=left.get(place)))
    if marks and not found:
        raise NotReturned(Problem.of("return_of_another", name="another document"))
    return tuple(found) or tuple(_latest(known))


def _latest(known: Sequence[Draft]) -> Iterator[Draft]:
    """The latest versions of each section: which of them a file shows that does not say so, its words tell."""
    for number, one in enumerate(known):
        if sum(other.section_id == one.section_id for other in known[number + 1 :]) < _MOST_VERSIONS:
            yield one


def _opened(content: bytes) -> WordFile:

    try:
        return WordFile(content)
    except PackageError as error:
        raise NotReturned(Problem.of("return_unreadable", reason=str(error))) from None


def changes_in(content: bytes, bases: Sequence[Draft]) -> ReturnedDocument:
    """What people did to the drafts that a file shows; raises `NotReturned` if hardly any of it stands there."""

    file = _opened(content)
    documents = [document_of(base.text) for base in bases]
    final = Placed(file.paragraphs(every), bases, documents)
    if final.certainty < _LEAST:
        share = f"{final.certainty:.0%}"
        raise NotReturned(Problem.of("return_without_words", share=share))
    sections = tuple(_sections(file, final, bases, documents))
    told = {comment for section in sections for comment in section.comments}
    lost = tuple(one for one in map(_told, file.comments) if one.text and one not in told)
    return ReturnedDocument(sections=sections, certainty=final.certainty, around=tuple(final.around), comments=lost)


class _Step(NamedTuple):
    """Changes that make one edit: those of the ``names``, of which ``author`` stands for all."""

    author: str
    at: datetime | None
    names: frozenset[str] = frozenset()


def _steps(file: WordFile) -> Iterator[_Step]:
    """What nobody tracked comes first: Word shows the changes of all others above it."""
    yield _Step(file.saved_by, None)
    times = dict[str, datetime | None]()
    for change in file.changes:
        times[change.author] = max(filter(None, (times.get(change.author), change.at)), default=None)
    names = [*times]
    yield from (_Step(name, times[name], frozenset((name,))) for name in names[:_MOST_AUTHORS])
    if rest := names[_MOST_AUTHORS:]:
        last = max(filter(None, map(times.get, rest)), default=None)
        yield _Step(f"{len(rest)} others", last, frozenset(rest))


def _sections(
    file: WordFile, final: Placed, bases: Sequence[Draft], documents: Sequence[Document]
) -> Iterator[ReturnedSection]:

    edits: dict[int, list[ReturnedEdit]] = {number: [] for number in range(len(bases))}
    adopted, texts = dict[int, Adopted](), [base.text for base in bases]
    accepted, before = frozenset[str](), dict[int, list[Returned]]()
    for step in _steps(file):
        accepted |= step.names
        placed = Placed(file.paragraphs(accepted.__contains__), bases, documents)
        changed = [number for number in edits if number not in adopted or placed.rows.get(number) != before.get(number)]
        before = placed.rows
        for number in changed:
            adopted[number] = placed.adopted(number)
            text = adopted[number].text
            # The next edit of a section without text shows what was deleted with what came in its place.
            if text != texts[number] and text.strip():
                edits[number].append(_edit(step, texts[number], text))
                texts[number] = text
    for number, base in enumerate(bases):
        if adopted[number].text.strip() or not base.text.strip():
            comments = tuple(_told(one) for one in file.comments if final.commented.get(one.identifier) == number)
            made = {"edits": tuple(edits[number]), "merged": tuple(edits[number]), "comments": comments}
            yield _section(base, **made, unwritten=adopted[number].unwritten, unsupported=final.unsupported(number))
        else:
            yield _section(base, removed=True)


def _section(base: Draft, **about: object) -> ReturnedSection:
    told = {"section_id": base.section_id, "version": base.version, "now": base.version}
    return ReturnedSection.model_validate(told | about)


def _edit(step: _Step, before: str, after: str) -> ReturnedEdit:
    return ReturnedEdit(author=step.author, at=step.at, before=before, after=after)


def _told(comment: Comment) -> ReturnedComment:
    about = {name: getattr(comment, name) for name in ("author", "at", "text", "quote", "resolved", "parent")}
    return ReturnedComment(comment_id=comment.identifier, **about)
