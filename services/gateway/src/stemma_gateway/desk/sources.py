"""What was read of an input, a page of it at a time, with the demands that stand there: where links to sources lead.

Beside it stands the page as the converter drew it, with the words of a demand marked. Here no file is parsed.
"""

import asyncio
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Path, Query, Request, Response
from stemma_artifacts.store import ArtifactMissing
from stemma_client import Client, DocumentView
from stemma_client.errors import LedgerFailedError
from stemma_client.ledgers import LedgerEntry
from stemma_contracts.tokens import Digest
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.inputs import Anchor, Anchors, DrawnPage, DrawnPages, PageWord, PageWords
from stemma_contracts.v1.views import InputView

from stemma_gateway.authentication import Caller
from stemma_gateway.content import served
from stemma_gateway.pages import PageRoute, led_to
from stemma_gateway.problems import NotFound
from stemma_gateway.resources.addresses import DocumentId, document_of
from stemma_gateway.sessions import Session
from stemma_gateway.texts import block_line, rendered, shown_lines

from .inputs import INPUTS, InputId, found_input
from .section import pictures
from .shell import shown, title_of

MOST_WORDS = 10_000
"""Of a page that are looked at, in 0.15 s."""
FEWEST = 16
"""Letters that a passage must begin with for a place to be where it stands, unless it has less."""
PAGED = frozenset({"page", "sheet", "slide"})
SHORT, LONG = 4_000, 20_000
"""Characters: parts that are no pages are at least so long, and none but a single line is much longer than that."""
MARKDOWN = "text/markdown"
Line = Annotated[int, Query(ge=1, le=2**31)]
Row = Annotated[str, Query(max_length=64)]
router = APIRouter(route_class=PageRoute)


@dataclass(frozen=True)
class Part:
    """A part of a text that is shown at once, such as a page.

    ``label`` is what it is cited as, ``line`` the one that it begins on; ``before`` and ``after`` are those of its
    neighbours, 0 where there is none.
    """

    text: str
    label: str
    line: int
    before: int
    after: int

    def holds(self, line: int) -> bool:
        return self.line <= line and (not self.after or line < self.after)


@router.get(f"{INPUTS}/{{input_id}}/at")
async def lead_to_line(
    request: Request, session: Caller, document_id: DocumentId, input_id: InputId, line: Line, row: Row = ""
) -> Response:
    one = found_input(await document_of(session, document_id), input_id)
    part = await _part(session.client, document_id, one, line)
    block = await session.client.compute(block_line, part.text, part.line, line) if _is_markdown(one) else line
    about = f"&row={quote(row, safe='')}" if row else ""
    here = INPUTS.format(document_id=document_id)
    return led_to(request, f"{here}/{input_id}/text?line={line}{about}#line-{block}")


@router.get(f"{INPUTS}/{{input_id}}/text")
async def show_text(
    request: Request, session: Caller, document_id: DocumentId, input_id: InputId, line: Line = 1, row: Row = ""
) -> Response:
    document = await document_of(session, document_id)
    one = found_input(document, input_id)
    part = await _part(session.client, document_id, one, line)
    rows = await _rows(session, document, one, part)
    images = pictures(request, document, None)
    is_markdown = _is_markdown(one)
    as_html = await session.client.compute(rendered, part.text, images, part.line) if is_markdown else ""
    return shown(
        request,
        session,
        "source.html",
        document=document,
        title=await title_of(session.client, document),
        one=one,
        part=part,
        rendered=as_html,
        lines=() if is_markdown else shown_lines(part.text),
        drawn=await page_of(session.client, document_id, one, part.label, _quote(rows, row)),
        rows=sorted(rows, key=lambda entry: entry.row.requirement_id != row),
        row=row,
    )


def _quote(rows: Sequence[LedgerEntry], row_id: str) -> str:
    return next((entry.row.quote for entry in rows if entry.row.requirement_id == row_id), "")


async def _part(client: Client, document_id: str, one: InputView, line: int) -> Part:
    return part_at(await _text(client, document_id, one), await _anchors(client, document_id, one), line)


def part_at(text: str, anchors: Sequence[Anchor], line: int) -> Part:
    """The part of a text that a line is in; the last one for a line beyond its end."""
    starts = _starts(text, anchors)
    lines = list(accumulate((text.count("\n", *ends) for ends in pairwise(starts)), initial=1))
    here = bisect_right(lines, line) - 1
    start, end = starts[here], starts[here + 1] if here + 1 < len(starts) else len(text)
    begun = [anchor for anchor in anchors if anchor.offset < end]
    label = ([anchor.label for anchor in begun if anchor.offset >= start] or [each.label for each in begun][-1:])[:1]
    before, after = lines[here - 1] if here else 0, lines[here + 1] if here + 1 < len(lines) else 0
    return Part(text[start:end], "".join(label), lines[here], before, after)


def _starts(text: str, anchors: Sequence[Anchor]) -> list[int]:
    """Where parts begin: with pages, else with what is cited once the part before is long enough."""
    starts = [0]
    for anchor in anchors:
        at = text.rfind("\n", 0, anchor.offset) + 1
        if at > starts[-1] and (anchor.kind in PAGED or at - starts[-1] >= SHORT):
            starts.append(at)
    pieces = pairwise([*starts, len(text)])
    return [at for start, end in pieces for at in _cut(text, start, end)]


def _cut(text: str, start: int, end: int) -> list[int]:
    """Where the pieces of a part begin that is too long: behind empty lines."""
    cuts = [start]
    while end - cuts[-1] > LONG and (at := text.find("\n\n", cuts[-1] + LONG, end)) >= 0:
        cuts.append(at + 2)
    return [cut for cut in cuts if cut < end or cut == start]


async def _rows(session: Session, document: DocumentView, one: InputView, part: Part) -> list[LedgerEntry]:
    try:
        entries = (await session.client.ledger_of(document)).entries
    except (LedgerFailedError, ArtifactMissing):
        return []
    return [
        entry for entry in entries if entry.row.source == one.source and part.holds(entry.row.line) and entry.counts
    ]


async def _text(client: Client, document_id: str, one: InputView) -> str:
    """What was read of an input; raises `NotFound` where that is nothing, or is not stored any more."""
    if one.text is None:
        raise NotFound(Problem.of("input_without_text", name=one.name))
    if (text := await client.stored_text(document_id, one.text)) is None:
        raise NotFound(Problem.of("input_text_gone", name=one.name))
    return text


async def _anchors(client: Client, document_id: str, one: InputView) -> tuple[Anchor, ...]:
    stored = await client.stored(document_id, one.anchors, Anchors)
    return stored.anchors if stored else ()


def _is_markdown(one: InputView) -> bool:
    return one.text is not None and one.text.media_type == MARKDOWN


@dataclass(frozen=True)
class MarkedPage:
    """A page, and the boxes of a passage on it, one for each line; none where it was not found."""

    page: DrawnPage
    marks: tuple[PageWord, ...]


@router.get(f"{INPUTS}/{{input_id}}/pages/{{digest}}")
async def show_page(
    request: Request, session: Caller, document_id: DocumentId, input_id: InputId, digest: Annotated[Digest, Path()]
) -> Response:
    """The picture of a page; under another digest it is another one, so browsers keep it."""
    one = found_input(await document_of(session, document_id), input_id)
    pages = await _pages(session.client, document_id, one)
    image = next((page.image for page in pages if page.image.digest == digest), None)
    if image is None:
        raise NotFound(Problem.of("page_image_unknown"))
    response = await served(request, session, document_id, image)
    response.headers["Content-Disposition"] = "inline"
    return response


async def page_of(client: Client, document_id: str, one: InputView, label: str, quote: str) -> MarkedPage | None:
    """The page of an input that is cited by a label, with a passage of it; None if it is not drawn."""
    page = next((page for page in await _pages(client, document_id, one) if page.label == label), None)
    if page is None:
        return None
    stored = await client.stored(document_id, page.words, PageWords)
    return MarkedPage(page, await asyncio.to_thread(marked, stored.words if stored else (), quote))


async def _pages(client: Client, document_id: str, one: InputView) -> tuple[DrawnPage, ...]:
    stored = await client.stored(document_id, one.drawn, DrawnPages)
    return stored.pages if stored else ()


def marked(words: Sequence[PageWord], quote: str) -> tuple[PageWord, ...]:
    """The lines of a page that a passage consists of, or those that it begins with: it may go on elsewhere."""
    letters = [(letter, word) for word in words[:MOST_WORDS] for letter in _letters(word.text)]
    written, wanted = "".join(letter for letter, _ in letters), _letters(quote)
    length = bisect_left(range(len(wanted) + 1), True, key=lambda long: wanted[:long] not in written) - 1
    if length < min(len(wanted), FEWEST):
        return ()
    start = written.find(wanted[:length])
    return tuple(_lines({id(word): word for _, word in letters[start : start + length]}.values()))


def _letters(text: str) -> str:
    """What of a text is compared: how it is divided and marked is another matter on a page than in Markdown."""
    return "".join(filter(str.isalnum, text.casefold()))


def _lines(words: Iterable[PageWord]) -> Iterator[PageWord]:
    line: PageWord | None = None
    for word in words:
        if line and line.top <= (word.top + word.bottom) / 2 <= line.bottom and word.right > line.left:
            line = _around(line, word)
            continue
        if line:
            yield line
        line = word
    if line:
        yield line


def _around(one: PageWord, other: PageWord) -> PageWord:
    return PageWord(
        text=f"{one.text} {other.text}",
        left=min(one.left, other.left),
        top=min(one.top, other.top),
        right=max(one.right, other.right),
        bottom=max(one.bottom, other.bottom),
    )
