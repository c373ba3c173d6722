"""Which paragraphs of a file that came back belong to which drafts, and what piece of them each one was."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from stemma_contracts.v1.returned import ReturnedObject
from stemma_markdown import Document, in_order, match_parts
from stemma_markdown.adopting import Adopted, Returned, adopt
from stemma_ooxml.word import Left, Paragraph, fingerprint, same

from .objects import Objects, changed_objects, letters, objects_in, without_new
from .unshown import in_parts, joined, shown_of, with_places

_LABEL = re.compile(r"[^\d\s:\uff1a][^\d:\uff1a]{0,30}(?:\d[\d.]*)?\s?[:\uff1a]\s*")
"""The label of a caption, such as ``Table 1: ``."""


class Draft(NamedTuple):
    """A version of a section that a file may show."""

    section_id: str
    version: int
    digest: str
    text: str = ""
    absent: frozenset[int] = frozenset()
    left: Left | None = None


def every(_: str) -> bool:
    """Whose changes are accepted: everybody's."""
    return True


@dataclass
class _Claim:
    """A paragraph of the file: which pieces of which draft it is, and the draft that it stands in now."""

    paragraph: Paragraph
    base: int | None = None
    units: list[int] = field(default_factory=list)
    intact: bool = False
    at: int | None = None


class Placed:
    """The paragraphs of a file by the drafts that they are of."""

    def __init__(self, paragraphs: Sequence[Paragraph], bases: Sequence[Draft], documents: Sequence[Document]) -> None:
        self._bases, self._documents = bases, documents
        self._prose = [[one.text for one in document.prose] for document in documents]
        self._seen = [
            {number for number, one in enumerate(document.prose) if not one.in_footnote} - base.absent
            for base, document in zip(bases, documents, strict=True)
        ]
        self.around = list[str]()
        self.certainty = 1.0
        known = {letters(image.description) for document in documents for image in document.images}
        claims = [_Claim(without_new(one, known)) for one in paragraphs]
        has_marks = any(one.marks for one in paragraphs if not one.note)
        self._by_marks(claims)
        self._by_references(claims)
        self._by_text(claims, has_marks)
        self._set_places(claims)
        self._kept = set(self._lost(claims))
        self._said = dict(self._with_unshown(claims))
        self.rows = dict(self._rows(claims, has_marks))
        self._objects = objects_in((one.at, one.units, one.paragraph) for one in claims)
        self.commented = {
            name: claim.at for claim in claims if claim.at is not None for name in claim.paragraph.comments
        }

    def unsupported(self, number: int) -> tuple[ReturnedObject, ...]:
        """What people did to pictures and formulas of a draft, which is not taken over."""
        left, now = self._bases[number].left, self._objects.get(number, Objects())
        return tuple(changed_objects(left, now, self._prose[number])) if left else ()

    def adopted(self, number: int) -> Adopted:
        """A draft as people left it; without text if none of what they saw of it is there."""
        base, rows = self._bases[number], self.rows.get(number, [])
        # Word keeps the note of a reference whose deletion is tracked.
        if self._seen[number] and not any(row.units and not row.in_footnote for row in rows):
            return Adopted("")
        kept = (unit for place, unit in self._kept if place == number)
        return adopt(base.text, rows, base.absent.union(kept))

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

    def _by_references(self, claims: Sequence[_Claim]) -> None:
        """Footnotes without marks, which most of them lose in LibreOffice, by the paragraphs that refer to them."""
        notes = dict[str, list[_Claim]]()
        for claim in claims:
            if _is_unmarked_note(claim):
                notes.setdefault(claim.paragraph.note, []).append(claim)
        there = {(claim.base, unit) for claim in claims for unit in claim.units}
        said = {same(one.text) for document in self._documents for one in document.prose if one.in_footnote}
        for claim in claims:
            wanted = self._notes(claim)
            if claim.base is None or len(wanted) != len(claim.paragraph.notes):
                continue
            for name, units in zip(claim.paragraph.notes, wanted, strict=True):
                found = notes.pop(name, [])
                # One that says what some footnote said is that one, wherever a program put it.
                if len(found) == len(units) and not any(same(one.paragraph.text) in said for one in found):
                    for one, unit in zip(found, units, strict=True):
                        if (claim.base, unit) not in there:
                            one.base, one.units = claim.base, [unit]

    def _notes(self, claim: _Claim) -> list[tuple[int, ...]]:
        """The pieces of the footnotes to which a paragraph referred when it left."""
        known = {} if claim.base is None else self._documents[claim.base].notes
        return [units for unit in claim.units for units in known.get(unit, ())]

    def _lost(self, claims: Sequence[_Claim]) -> Iterator[tuple[int, int]]:
        """Pieces of footnotes that are not there, though nobody took a reference away: they stay as they are.

        LibreOffice loses the words of a footnote behind a comment.
        """
        there = {(claim.base, unit) for claim in claims for unit in claim.units}
        noted = dict[tuple[int, int], tuple[int, ...]]()
        for claim in claims:
            wanted = self._notes(claim)
            if claim.base is not None and len(claim.paragraph.notes) >= len(wanted):
                noted |= {(claim.base, units[0]): units for units in wanted if units}
        for (base, _), units in noted.items():
            yield from {(base, unit) for unit in units} - there

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
        prose = [self._prose[number][unit] for number, unit in gone]
        old = prose if has_marks else [shown_of(text, ()).text for text in prose]
        pairs = match_parts(old, [claim.paragraph.text for claim in free]) if old else {}
        found = 0
        for place, partner in pairs.items():
            claim, (number, unit) = free[place], gone[partner]
            text = claim.paragraph.text
            is_same = same(text) in (same(prose[partner]), same(shown_of(prose[partner], (), text).text))
            is_note = _is_unmarked_note(claim) and self._documents[number].prose[unit].in_footnote
            if is_same or is_note or not has_marks:
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

    def _with_unshown(self, claims: Sequence[_Claim]) -> Iterator[tuple[int, str]]:
        """The words of paragraphs that were changed or cut, by their ids, with what the export left out of them."""
        for number, claim in enumerate(claims):
            if claim.intact or claim.base is None:
                continue
            marks = {mark.text for mark in claim.paragraph.marks}
            shown = joined(
                [shown_of(self._prose[claim.base][unit], marks, claim.paragraph.text) for unit in claim.units]
            )
            if not shown.places:
                continue
            cut = [claim]
            for other in claims[number + 1 :]:
                said = same(" ".join(one.paragraph.text for one in [*cut, other]))
                if other.units or other.paragraph.row is not None or not same(shown.text).startswith(said):
                    break
                cut.append(other)
            parts = in_parts(shown, [one.paragraph.text.strip() for one in cut])
            if parts is None:
                yield id(claim), with_places(shown, claim.paragraph.text.strip())
            else:
                yield from zip(map(id, cut), parts, strict=True)

    def _words(self, claim: _Claim) -> str:
        """The words of a paragraph; a caption has the label of its draft and not the number of the export."""
        words, said = claim.paragraph.text.strip(), self._said.get(id(claim))
        if claim.intact or claim.base is None or len(claim.units) != 1 or not (shown := _LABEL.match(words)):
            return words if said is None else said
        old = self._prose[claim.base][claim.units[0]]
        own = _LABEL.match(old)
        left, rest = {mark.text for mark in claim.paragraph.marks}, words[shown.end() :]
        for label in ("", own[0] if own else ""):
            if not left and same(rest) == same(shown_of(old[len(label) :], (), words).text):
                return old
            if fingerprint(shown[0] + old[len(label) :]) in left:
                return label + rest
        return words if said is None else said


def _is_unmarked_note(claim: _Claim) -> bool:
    """Whether a paragraph is of a footnote and does not say of which: with marks it is that one, or a copy of it."""
    one = claim.paragraph
    return bool(one.note) and bool(one.text.strip()) and not one.marks


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
