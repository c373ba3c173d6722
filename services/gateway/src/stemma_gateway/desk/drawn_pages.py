"""The page of a file that a demand stands on, as the converter drew it, with the words of the demand marked.

Here no file is parsed: the picture and where its words are were made by the process that read the file.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from stemma_client import Client
from stemma_contracts.tokens import Digest
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.inputs import DrawnPage, DrawnPages, PageWord, PageWords
from stemma_contracts.v1.views import InputView

from stemma_gateway.authentication import Caller
from stemma_gateway.content import served
from stemma_gateway.pages import PageRoute
from stemma_gateway.problems import NotFound
from stemma_gateway.resources.addresses import DocumentId, document_of

from .inputs import INPUTS, InputId, found_input

FEWEST = 16
"""Letters that a passage must begin with for a place to be where it stands, unless it has less."""
router = APIRouter(route_class=PageRoute)


@dataclass(frozen=True)
class Shown:
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


async def page_of(client: Client, document_id: str, one: InputView, label: str, quote: str) -> Shown | None:
    """The page of an input that is cited by a label, with a passage of it; None if it is not drawn."""
    page = next((page for page in await _pages(client, document_id, one) if page.label == label), None)
    if page is None:
        return None
    stored = await client.stored(document_id, page.words, PageWords)
    return Shown(page, tuple(_lines(marked(stored.words if stored else (), quote))))


async def _pages(client: Client, document_id: str, one: InputView) -> tuple[DrawnPage, ...]:
    stored = await client.stored(document_id, one.drawn, DrawnPages)
    return stored.pages if stored else ()


def marked(words: Sequence[PageWord], quote: str) -> list[PageWord]:
    """The words of a page that a passage consists of, or those that it begins with: it may go on elsewhere."""
    letters = [(letter, word) for word in words for letter in _letters(word.text)]
    written, wanted = "".join(letter for letter, _ in letters), _letters(quote)
    length = bisect_left(range(len(wanted) + 1), True, key=lambda long: wanted[:long] not in written) - 1
    if length < min(len(wanted), FEWEST):
        return []
    start = written.find(wanted[:length])
    return list({id(word): word for _, word in letters[start : start + length]}.values())


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
