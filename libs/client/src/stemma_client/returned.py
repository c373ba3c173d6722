"""A DOCX that comes back from Word or LibreOffice: what people did to each section, and taking it over.

Nothing is taken over before `read_returned` was shown. Each person's changes are an edit of their own, claimed by them;
a section that has another version since is merged, or left as it is where both changed the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from stemma_contracts import v1
from stemma_contracts.v1.comments import MOST_COMMENTS, NewComment
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.views import DocumentView
from stemma_markdown import Conflict, Prose, document_of, in_order, match_parts, merge
from stemma_markdown.adopting import Adopted, Returned, adopt
from stemma_ooxml import PackageError
from stemma_ooxml.word import Comment, Paragraph, WordFile, fingerprint, marked, same

from .client import Client
from .comments import placed, quoting, threads
from .errors import InvalidInputError

_LEAST = 0.5
"""A file of whose words less stands in a document is not taken for one of it."""
_LONGEST_NAME = 64
_MOST_AUTHORS = 50
"""A file is gone over once for each: the changes of all further ones are one edit."""
# With its quotation in its text a comment has at most 10,000 characters.
_LONGEST_QUOTE, _LONGEST_PART = 2_000, 7_900
_LABEL = re.compile(r"[^\d\s:\uff1a][^\d:\uff1a]{0,30}(?:\d[\d.]*)?\s?[:\uff1a]\s*")
"""The label of a caption, such as ``Table 1: ``."""
_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9_@-]+")


class Draft(NamedTuple):
    """A version of a section that a file may show."""

    section_id: str
    version: int
    digest: str
    text: str
    absent: frozenset[int] = frozenset()


class Edit(NamedTuple):
    """What a section says after somebody's changes; nobody is named where Word did not track them."""

    author: str
    at: datetime | None
    before: str
    after: str


@dataclass(frozen=True)
class ReturnedSection:
    """What people did to a section; ``unwritten`` are words for which there is no place in its Markdown.

    ``removed``: all of its text is gone from the file. Nothing of that is taken over: a section has a text.
    """

    section_id: str
    version: int
    edits: tuple[Edit, ...] = ()
    comments: tuple[Comment, ...] = ()
    unwritten: tuple[str, ...] = ()
    removed: bool = False
    now: int = 0
    merged: tuple[Edit, ...] = ()
    conflicts: tuple[Conflict, ...] = ()

    @property
    def is_outdated(self) -> bool:
        """Whether the section has another version since the file left."""
        return self.now != self.version


@dataclass(frozen=True)
class ReturnedDocument:
    """What a file says; ``certainty`` is 1 where it has our marks, else the share of the text that was found in it.

    ``around`` is what was changed or added outside of the sections, and ``comments`` are those on text there: nobody
    can take them over but a person.
    """

    sections: tuple[ReturnedSection, ...]
    certainty: float = 1.0
    around: tuple[str, ...] = ()
    comments: tuple[Comment, ...] = ()


async def read_returned(client: Client, view: DocumentView, content: bytes) -> ReturnedDocument:
    """What people did to a document in a file; raises `InvalidInputError` for a file of another one, or for none."""
    drafts = await client.compute(drafts_shown, content, view.document_id, _digests(view))
    bases = [
        Draft(name, number, digest, await client.text(view.document_id, _draft(view, name, number)), absent)
        for name, number, digest, _, absent in drafts
    ]
    found = await client.compute(changes_in, content, tuple(bases))
    sections = [await _with_now(client, view, section) for section in found.sections]
    return replace(found, sections=tuple(sections))


async def apply_returned(client: Client, view: DocumentView, section: ReturnedSection) -> int:
    """Make the edits and comments of a section; the version that it has then."""
    document_id, name, version = view.document_id, section.section_id, section.now
    for edit in section.merged:
        about = {"document_id": document_id, "section_id": name, "version": version, "text": edit.after}
        accepted = await client.request(v1.requests.EditSection.model_validate(about | _named(edit.author)))
        view = await client.document(document_id, at_least=accepted.sequence)
        version = view.sections[name].version
    by_author: dict[str, list[NewComment]] = {}
    for author, comment in await _new_comments(client, view, section):
        by_author.setdefault(author, []).append(comment)
    about = {"document_id": document_id, "section_id": name, "version": version}
    for author, comments in by_author.items():
        made = await placed(client, document_id, view.sections[name].numbered(version), comments)
        for first in range(0, len(made), MOST_COMMENTS):
            some = made[first : first + MOST_COMMENTS]
            request = about | {"comments": some} | _named(author)
            await client.request(v1.requests.CommentSection.model_validate(request))
    return version


def _named(author: str) -> dict[str, str]:
    """Who claims it, in the letters that names of people have here."""
    plain = unicodedata.normalize("NFKD", author).encode("ascii", "ignore").decode()
    name = _NOT_IN_NAME.sub(".", plain).strip(".")[:_LONGEST_NAME]
    if author.strip() and not name:
        name = f"word-{sha256(author.encode()).hexdigest()[:8]}"
    return {"actor": name} if name else {}


async def _new_comments(client: Client, view: DocumentView, section: ReturnedSection) -> list[tuple[str, NewComment]]:
    """The comments that are open and not there already, as where a file comes back twice."""
    there = Counter(
        words.text for thread in await threads(client, view.document_id, view.sections[section.section_id])
        for words in thread.comments
    )  # fmt: skip
    made = list[tuple[str, NewComment]]()
    for author, comment in ((one.author, part) for one in section.comments for part in _in_parts(one)):
        known = next((text for text in (comment.text, quoting(comment).text) if there[text]), None)
        if known is None:
            made.append((author, comment))
        else:
            there[known] -= 1
    return made


def _in_parts(comment: Comment) -> Iterator[NewComment]:
    """An open comment as comments of at most the length that one may have, also where they quote their words."""
    quote = comment.quote[:_LONGEST_QUOTE]
    for first in range(0, 0 if comment.resolved else len(comment.text), _LONGEST_PART):
        yield NewComment(text=comment.text[first : first + _LONGEST_PART], quote=quote)


async def _with_now(client: Client, view: DocumentView, section: ReturnedSection) -> ReturnedSection:

    current = view.sections[section.section_id]
    if current.version == section.version:
        return replace(section, now=section.version, merged=section.edits)
    text = await client.text(view.document_id, current.draft)
    edits, conflicts = await client.compute(merged_edits, section.edits, text, view.language)
    return replace(section, now=current.version, merged=edits, conflicts=conflicts)


def merged_edits(edits: Sequence[Edit], text: str, language: str) -> tuple[tuple[Edit, ...], tuple[Conflict, ...]]:
    """The edits as edits of another text; none where both changed the same, which is told."""

    if edits and edits[-1].after == text:
        return (), ()
    made, conflicts = list[Edit](), list[Conflict]()
    for edit in edits:
        merged = merge(edit.before, edit.after, text, language or "en")
        conflicts += merged.conflicts
        if merged.text != text:
            made.append(Edit(edit.author, edit.at, text, merged.text))
        text = merged.text
    return (() if conflicts else tuple(made)), tuple(conflicts)


def _digests(view: DocumentView) -> tuple[Draft, ...]:
    """All versions without their texts, the current ones last."""
    return tuple(
        Draft(name, version.number, version.draft.digest, "")
        for name, section in view.sections.items()
        for version in sorted(section.versions, key=lambda one: one.number == section.version)
    )


def _draft(view: DocumentView, section_id: str, number: int) -> ArtifactRef | None:
    version = view.sections[section_id].numbered(number)
    return version.draft if version else None


def drafts_shown(content: bytes, document_id: str, known: Sequence[Draft]) -> tuple[Draft, ...]:
    """The versions that a file shows, in its order; those that are current where it does not say.

    Raises `InvalidInputError` for a file that says that it is of another document.
    """
    file = _opened(content)
    origin = file.origin
    if origin and origin.document_id and origin.document_id != document_id:
        raise _of_another(f"the document {origin.document_id}")
    body = [one for one in file.paragraphs(_all) if not one.note]
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
            found.append(chosen._replace(absent=absent))
    if marks and not found:
        raise _of_another("another document")
    return tuple(found) or tuple({one.section_id: one for one in known}.values())


def _of_another(document: str) -> InvalidInputError:
    return InvalidInputError(f"the file is of {document}: import it there, or export this one and edit that")


def _opened(content: bytes) -> WordFile:

    try:
        return WordFile(content)
    except PackageError as error:
        raise InvalidInputError(f"the file cannot be read as DOCX: {error}") from None


def _all(_: str) -> bool:
    return True


def changes_in(content: bytes, bases: Sequence[Draft]) -> ReturnedDocument:
    """What people did to the drafts that a file shows; raises `InvalidInputError` if hardly any of it stands there."""

    file = _opened(content)
    proses = [document_of(base.text).prose for base in bases]
    final = _Placed(file.paragraphs(_all), bases, proses)
    if final.certainty < _LEAST:
        share = f"{final.certainty:.0%}"
        raise InvalidInputError(f"only {share} of the words of this document stand in the file: it is of another one")
    sections = tuple(_sections(file, final, bases, proses))
    told = {comment for section in sections for comment in section.comments}
    lost = tuple(comment for comment in file.comments if comment.text and comment not in told)
    return ReturnedDocument(sections, final.certainty, tuple(final.around), lost)


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
    file: WordFile, final: _Placed, bases: Sequence[Draft], proses: Sequence[Sequence[Prose]]
) -> Iterator[ReturnedSection]:

    edits: dict[int, list[Edit]] = {number: [] for number in range(len(bases))}
    adopted, texts = dict[int, Adopted](), [base.text for base in bases]
    accepted, before = frozenset[str](), dict[int, list[Returned]]()
    for step in _steps(file):
        accepted |= step.names
        placed = _Placed(file.paragraphs(accepted.__contains__), bases, proses)
        changed = [number for number in edits if number not in adopted or placed.rows.get(number) != before.get(number)]
        before = placed.rows
        for number in changed:
            adopted[number] = placed.adopted(number)
            text = adopted[number].text
            # The next edit of a section without text shows what was deleted with what came in its place.
            if text != texts[number] and text.strip():
                edits[number].append(Edit(step.author, step.at, texts[number], text))
                texts[number] = text
    for number, base in enumerate(bases):
        if adopted[number].text.strip() or not base.text.strip():
            comments = tuple(one for one in file.comments if final.commented.get(one.identifier) == number)
            unwritten = adopted[number].unwritten
            yield ReturnedSection(base.section_id, base.version, tuple(edits[number]), comments, unwritten)
        else:
            yield ReturnedSection(base.section_id, base.version, removed=True)


@dataclass
class _Claim:
    """A paragraph of the file: which pieces of which draft it is, and the draft that it stands in now."""

    paragraph: Paragraph
    base: int | None = None
    units: list[int] = field(default_factory=list)
    intact: bool = False
    at: int | None = None


class _Placed:
    """The paragraphs of a file by the drafts that they are of."""

    def __init__(
        self, paragraphs: Sequence[Paragraph], bases: Sequence[Draft], proses: Sequence[Sequence[Prose]]
    ) -> None:
        self._bases = bases
        self._prose = [[one.text for one in prose] for prose in proses]
        self._seen = [
            {number for number, one in enumerate(prose) if not one.in_footnote} - base.absent
            for base, prose in zip(bases, proses, strict=True)
        ]
        self.around = list[str]()
        self.certainty = 1.0
        claims = [_Claim(one) for one in paragraphs]
        has_marks = any(one.marks for one in paragraphs if not one.note)
        self._by_marks(claims)
        self._by_text(claims, has_marks)
        self._set_places(claims)
        self.rows = dict(self._rows(claims, has_marks))
        self.commented = {
            name: claim.at for claim in claims if claim.at is not None for name in claim.paragraph.comments
        }

    def adopted(self, number: int) -> Adopted:
        """A draft as people left it; without text if none of what they saw of it is there."""
        base, rows = self._bases[number], self.rows.get(number, [])
        # Word keeps the note of a reference whose deletion is tracked.
        if self._seen[number] and not any(row.units and not row.in_footnote for row in rows):
            return Adopted("")
        return adopt(base.text, rows, base.absent)

    def _by_marks(self, claims: Sequence[_Claim]) -> None:

        order = sorted({(m.section, m.draft) for claim in claims for m in claim.paragraph.marks})
        numbers, free = dict[tuple[int, str], int](), list(range(len(self._bases)))
        for key in order:
            if (found := next((n for n in free if self._bases[n].digest.startswith(key[1])), None)) is not None:
                numbers[key] = found
                free.remove(found)
        taken = dict[tuple[int, int], bool]()
        # A paragraph that was copied has the marks of the first one: that which says the same is the first.
        for strict in (True, False):
            for claim in claims:
                text = claim.paragraph.text
                if claim.units or not text.strip():
                    continue
                for mark in claim.paragraph.marks:
                    number = numbers.get((mark.section, mark.draft))
                    is_same = mark.text == fingerprint(text)
                    if mark.is_own or number is None or (strict and not is_same) or (number, mark.number) in taken:
                        continue
                    if mark.number < len(self._prose[number]) and claim.base in (None, number):
                        taken[number, mark.number] = True
                        claim.base, claim.intact = number, is_same and not claim.units
                        claim.units.append(mark.number)

    def _by_text(self, claims: Sequence[_Claim], has_marks: bool) -> None:
        """Paragraphs without marks that say what one says that is gone; in a file without marks, or what is alike."""

        there = {(claim.base, unit) for claim in claims for unit in claim.units}
        gone = [
            (number, unit)
            for number, texts in enumerate(self._prose)
            for unit in range(len(texts))
            if (number, unit) not in there and unit not in self._bases[number].absent
        ]
        free = [claim for claim in claims if not claim.units and claim.paragraph.text.strip() and not _own(claim)]
        old = [self._prose[number][unit] for number, unit in gone]
        pairs = match_parts(old, [claim.paragraph.text for claim in free]) if old else {}
        found = 0
        for place, partner in pairs.items():
            claim, (number, unit) = free[place], gone[partner]
            is_same = same(claim.paragraph.text) == same(old[partner])
            if is_same or not has_marks:
                claim.base, claim.units, claim.intact = number, [unit], is_same
                found += len(old[partner])
        if not has_marks:
            self.certainty = found / max(1, sum(map(len, old)))

    def _set_places(self, claims: Sequence[_Claim]) -> None:
        """In which draft each paragraph stands now: one that was moved to another is new there."""

        # Notes stand behind the text of all drafts, and say nothing of the order of it.
        keys = [
            (n, c.base * 100_000 + c.units[0])
            for n, c in enumerate(claims)
            if c.units and c.base is not None and not c.paragraph.note
        ]
        stayed = in_order(key for _, key in keys)
        staying = {n for n, key in keys if key in stayed}
        last: int | None = None
        for number, claim in enumerate(claims):
            if number in staying or (claim.paragraph.note and claim.units):
                last = claim.base if number in staying else last
                claim.at = claim.base
            else:
                claim.at = last
            if claim.units and claim.at != claim.base:
                claim.units, claim.base, claim.intact = [], None, False

    def _rows(self, claims: Sequence[_Claim], has_marks: bool) -> Iterator[tuple[int, list[Returned]]]:

        rows = dict[int, list[Returned]]()
        reached = False
        for claim in claims:
            one = claim.paragraph
            reached = reached or bool(claim.units)
            if claim.units and claim.at is not None:
                rows.setdefault(claim.at, []).append(_returned(claim, self._words(claim)))
            elif not one.text.strip():
                continue
            elif _own(claim):
                if not any(mark.text == fingerprint(one.text) for mark in one.marks if mark.is_own):
                    self.around.append(one.text.strip())
            elif one.note and any(same(one.text) == same(text) for texts in self._prose for text in texts):
                # A note that is referred to twice stands twice in Word.
                continue
            elif claim.at is None or one.note or (not has_marks and not reached):
                self.around.append(one.text.strip())
            else:
                rows.setdefault(claim.at, []).append(_returned(claim, self._words(claim)))
        yield from ((number, found) for number, found in rows.items() if any(row.units for row in found))

    def _words(self, claim: _Claim) -> str:
        """The words of a paragraph; a caption has the label of its draft and not the number of the export."""
        words = claim.paragraph.text.strip()
        if claim.intact or claim.base is None or len(claim.units) != 1 or not (shown := _LABEL.match(words)):
            return words
        old = self._prose[claim.base][claim.units[0]]
        own = _LABEL.match(old)
        left = {mark.text for mark in claim.paragraph.marks}
        for label in ("", own[0] if own else ""):
            if fingerprint(shown[0] + old[len(label) :]) in left:
                return label + words[shown.end() :]
        return words


def _own(claim: _Claim) -> bool:
    """Whether a paragraph is around the drafts, such as the cover, and not a copy of one of them."""
    return any(mark.is_own for mark in claim.paragraph.marks) and not claim.units


def _returned(claim: _Claim, words: str) -> Returned:

    one = claim.paragraph
    return Returned(
        words,
        tuple(claim.units),
        claim.intact,
        one.level,
        one.depth,
        one.table,
        one.row,
        one.cell,
        in_footnote=bool(one.note),
    )
