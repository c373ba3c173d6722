"""The proof in a PDF: an attached file behind what is shown; its blocks are runs of the text that PDFium extracts."""

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from hashlib import sha256
from io import BytesIO
from itertools import accumulate, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from pypdf import PdfReader, PdfWriter
from pypdf.errors import PyPdfError
from stemma_contracts.v1.proofs import ProvenBlock
from stemma_ooxml import PackageError

from .shown import Carried
from .signing import packed, unpacked

if TYPE_CHECKING:  # a large library, which only processes that look into a PDF load
    from pypdfium2 import PdfPage

NAME = "stemma-proof.json"
BEGINS = b"%PDF-"
_END = b"%%EOF"
_NO_WORDS = re.compile("[\\s\x02\ufffe\u00ad]+")
_LONGEST, _SURE = 300, 25
"""Characters of a run that belongs to no draft; and of a piece of a draft that is looked for anywhere."""


class ProvenPdf:
    """A PDF that carries a proof, or may; raises `PackageError` for what is none."""

    is_ours = False
    """Nothing beside the proof says that a PDF is of a document."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    @cached_property
    def carried(self) -> Carried | None:
        """The proof; None if it has none, or a damaged one."""
        try:
            found = PdfReader(BytesIO(self._content)).attachments.get(NAME, [])
            told = json.loads(found[-1]) if found else {}
        except (PyPdfError, ValueError, OSError, KeyError, AttributeError, TypeError, RecursionError) as problem:
            raise PackageError("damaged", "The PDF is damaged.") from problem
        if not isinstance(told, dict):
            return None
        key, signature, statement = (str(told.get(name, "")) for name in Carried._fields)
        content = unpacked(statement)
        return Carried(key, signature, content) if content is not None else None

    @property
    def rest(self) -> str:
        """The digest of the file before the proof was attached; of one that something came behind, of all of it."""
        content = self._content
        end = content.rfind(_END, 0, content.rfind(_END))
        if self.carried is not None and end > 0:
            before = (content[: end + len(_END) + more] for more in (0, 1, 2))
            content = next((one for one in before if ProvenPdf(one).with_proof(self.carried) == content), content)
        return sha256(content).hexdigest()

    def with_proof(self, carried: Carried) -> bytes:
        """The file with a proof attached behind its end: the same bytes each time."""
        told = {"key": carried.key, "signature": carried.signature, "statement": packed(carried.statement)}
        written = BytesIO()
        try:
            writer = PdfWriter(BytesIO(self._content), incremental=True)
            writer.add_attachment(NAME, json.dumps(told).encode())
            writer.write(written)
        except (PyPdfError, ValueError, OSError, KeyError, AttributeError, TypeError, RecursionError):
            return b""
        return written.getvalue()

    @cached_property
    def text(self) -> "Text":
        from pypdfium2 import PdfDocument, PdfiumError

        try:
            with PdfDocument(self._content) as document:
                return Text(letters(page.get_textpage().get_text_bounded()) for page in document)
        except PdfiumError as problem:
            raise PackageError("damaged", "The PDF is damaged.") from problem

    def laid_over(self) -> tuple[int, ...]:
        """The pages that something is laid over which is no link: none of its words are in the text."""
        from pypdfium2 import PdfDocument

        with PdfDocument(self._content) as document:
            return tuple(number for number, page in enumerate(document, 1) for _ in range(_laid_over(page)))


def _laid_over(page: "PdfPage") -> int:
    from pypdfium2 import raw

    found = 0
    for number in range(raw.FPDFPage_GetAnnotCount(page.raw)):
        annotation = raw.FPDFPage_GetAnnot(page.raw, number)
        found += raw.FPDFAnnot_GetSubtype(annotation) != raw.FPDF_ANNOT_LINK
        raw.FPDFPage_CloseAnnot(annotation)
    return found


def letters(words: str) -> str:
    """Words without white space and the hyphens that only a line's end has."""
    return _NO_WORDS.sub("", words)


def digest_of(run: str) -> str:
    return sha256(run.encode(errors="replace")).hexdigest()


Piece = tuple[str, ProvenBlock]
"""The words of a piece of prose, and what is known of it."""


class Text:
    """The text of all pages in one run, without white space."""

    def __init__(self, pages: Iterable[str]) -> None:
        texts = list(pages)
        self.run = "".join(texts)
        self._starts = [0, *accumulate(map(len, texts))]

    def page_at(self, place: int) -> int:
        return max(1, bisect_right(self._starts, place))

    def blocks(self, pieces: Sequence[Piece], notes: Sequence[Piece] = ()) -> list[ProvenBlock]:
        """The blocks of the whole text; ``pieces`` are those of the drafts in order, ``notes`` stand anywhere."""
        placed = list(self._found(pieces))
        for note in notes:
            others = [one for one in self._found([note]) if all(one[1] <= a or b <= one[0] for a, b, _ in placed)]
            placed = sorted([*placed, *others], key=itemgetter(0))
        found, at = list[ProvenBlock](), 0
        for start, end, block in placed:
            found += self._around(at, start)
            found.append(self._block(start, end, block))
            at = end
        return [*found, *self._around(at, len(self.run))]

    def _found(self, pieces: Sequence[Piece]) -> Iterator[tuple[int, int, ProvenBlock]]:
        """Where the pieces stand: a long one wherever it comes next, another close behind the one before, or alone."""
        at = 0
        for words, block in pieces:
            run = letters(words)
            is_sure = len(run) >= _SURE or (len(run) >= _SHORT and self.run.count(run, at) == 1)
            window = len(self.run) if is_sure else at + len(run) + _LONGEST
            place = self.run.find(run, at, window) if run and (at or is_sure) else -1
            if place >= 0:
                at = place + len(run)
                yield place, at, block

    def _around(self, start: int, end: int) -> Iterator[ProvenBlock]:
        """What belongs to no draft, in runs that no page ends in."""
        cuts = {start, end, *(one for one in self._starts if start < one < end), *range(start, end, _LONGEST)}
        for one, other in pairwise(sorted(cuts)):
            yield self._block(one, other, ProvenBlock(digest="0" * 64))

    def _block(self, start: int, end: int, block: ProvenBlock) -> ProvenBlock:
        about = {"digest": digest_of(self.run[start:end]), "length": end - start, "page": self.page_at(start)}
        return block.model_copy(update=about)


class Run(NamedTuple):
    """A block that is not where it was: what stands there now, from ``start`` to ``end``."""

    number: int
    start: int
    end: int
    is_added: bool = False


_REACH, _AHEAD, _SHORT = 1_500, 6, 8
"""How far behind its place, and how many blocks on, a text is found again; of shorter runs no text is told."""


def changed_runs(blocks: Sequence[ProvenBlock], run: str) -> Iterator[Run]:
    """The blocks that a text does not have, with what it has in their places."""
    at, number = 0, 0
    while number < len(blocks):
        if _is_at(blocks[number], run, at):
            at += blocks[number].length
            number += 1
            continue
        back, place = _found_again(blocks, run, number, at)
        if back == number:
            yield Run(number, at, place, is_added=True)
        else:
            yield Run(number, at, place)
            yield from (Run(gone, place, place) for gone in range(number + 1, back))
        at, number = place, back
    if at < len(run):
        yield Run(len(blocks) - 1, at, len(run), is_added=True)


def _found_again(blocks: Sequence[ProvenBlock], run: str, number: int, at: int) -> tuple[int, int]:
    """The next block that is there, and its place; if none is near, the one behind, in the place that it had."""
    usual = min(len(run), at + blocks[number].length)
    if number + 1 < len(blocks) and _is_at(blocks[number + 1], run, usual):
        return number + 1, usual
    for ahead in range(number, min(len(blocks), number + _AHEAD)):
        block = blocks[ahead]
        for place in range(at, min(len(run), at + _REACH)) if block.length >= _SHORT else ():
            if _is_at(block, run, place):
                return ahead, place
    return number + 1, usual if number + 1 < len(blocks) else len(run)


def _is_at(block: ProvenBlock, run: str, place: int) -> bool:
    part = run[place : place + block.length]
    return len(part) == block.length and digest_of(part) == block.digest
