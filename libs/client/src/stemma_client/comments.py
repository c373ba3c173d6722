"""Comments on the text of a section, in threads, with their places now, and the words that they suggest for these."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stemma_contracts.v1.blocks import BlockIndex
from stemma_contracts.v1.comments import NewComment, Remark
from stemma_contracts.v1.views import CommentView, ThreadView

from .errors import InvalidInputError

if TYPE_CHECKING:
    from stemma_contracts.v1.views import SectionView, VersionView
    from stemma_markdown import Quotable

    from .client import Client


@dataclass(frozen=True)
class ReadComment:
    """A comment with its words; none where they are not stored any more."""

    view: CommentView
    text: str | None


@dataclass(frozen=True)
class ReadThread:
    """A thread with its words, and where in a version, mostly the current one, its passage stands.

    ``quote`` is empty if it is about the whole section. ``start`` and ``end`` are places in the text, ``line`` counts
    from 1; all are None if the passage is not there any more (``gone``) or there is none.
    """

    view: ThreadView
    comments: tuple[ReadComment, ...]
    quote: str = ""
    start: int | None = None
    end: int | None = None
    line: int | None = None
    gone: bool = False


async def anchored(
    client: Client, document_id: str, section_id: str, version: int, comments: Iterable[NewComment]
) -> tuple[NewComment, ...]:
    """Comments with the blocks that they are about, as far as these are known.

    Raises `InvalidInputError` for a quotation that does not stand in that version.
    """
    made = tuple(comments)
    section = (await client.document(document_id)).sections.get(section_id)
    seen = section.numbered(version) if section else None
    if seen is None or not any(comment.quote for comment in made):
        return made
    text, index = await _text(client, document_id, seen)
    return tuple(_with_block(number, comment, text, index) for number, comment in enumerate(made))


async def placed(
    client: Client, document_id: str, version: VersionView | None, comments: Iterable[NewComment]
) -> tuple[NewComment, ...]:
    """Comments with the blocks of a version; those whose quotation is not in it have it in their own text."""
    text, index = await _text(client, document_id, version)
    made = (one if text.find(one.quote, one.before) else quoting(one) for one in comments)
    return tuple(_with_block(number, comment, text, index) for number, comment in enumerate(made))


def quoting(comment: NewComment) -> NewComment:
    """A comment that has the words it is about in its text."""
    return NewComment(text=f"\u201c{comment.quote}\u201d: {comment.text}") if comment.quote else comment


async def threads(
    client: Client, document_id: str, section: SectionView, version: VersionView | None = None
) -> tuple[ReadThread, ...]:
    """The threads of a section with their words and places in a version, in the order in which they began."""
    text, index = await _text(client, document_id, version or section.current)
    return tuple([await _thread(client, document_id, thread, text, index) for thread in section.threads])


async def _thread(
    client: Client, document_id: str, thread: ThreadView, text: Quotable, index: BlockIndex | None
) -> ReadThread:
    remarks = [await client.stored(document_id, comment.remark, Remark) for comment in thread.comments]
    words = tuple(
        ReadComment(comment, remark.text if remark else None)
        for comment, remark in zip(thread.comments, remarks, strict=True)
    )
    about = remarks[0]
    if about is None or not about.quote:
        return ReadThread(thread, words)
    place = text.find(about.quote, about.before, _range_of(thread.block_id, index))
    if place is None:
        return ReadThread(thread, words, about.quote, gone=True)
    return ReadThread(thread, words, about.quote, *place, line=text.text.count("\n", 0, place[0]) + 1)


async def _text(client: Client, document_id: str, version: VersionView | None) -> tuple[Quotable, BlockIndex | None]:
    # Lists of threads are read without texts, and what reads Markdown takes long to load.
    from stemma_markdown import Quotable

    if version is None:
        return Quotable(""), None
    text = await client.stored_text(document_id, version.draft)
    return Quotable(text or ""), await client.stored(document_id, version.blocks, BlockIndex)


def _range_of(block_id: str | None, index: BlockIndex | None) -> tuple[int, int] | None:
    """The range of a block; an empty one if it is gone, None if nobody knows."""
    if block_id is None or index is None:
        return None
    return next(((block.start, block.end) for block in index.blocks if block.block_id == block_id), (0, 0))


def _with_block(number: int, comment: NewComment, text: Quotable, index: BlockIndex | None) -> NewComment:
    if not comment.quote or comment.thread_id:
        return comment
    if (place := text.find(comment.quote, comment.before)) is None:
        raise InvalidInputError.of("quote_unknown", f"comments.{number}.quote")
    held = (block.block_id for block in (index.blocks if index else ()) if block.start <= place[0] < block.end)
    return comment.model_copy(update={"block_id": next(held, None)})
