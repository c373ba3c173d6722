"""Comments on the text of a section, in threads, each with the place that it is about now."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING

from pydantic import ValidationError
from stemma_artifacts.store import ArtifactMissing
from stemma_contracts import v1
from stemma_contracts.v1.answers import RequestAccepted
from stemma_contracts.v1.blocks import BlockIndex
from stemma_contracts.v1.comments import NewComment, Remark
from stemma_contracts.v1.references import ArtifactRef

from .deciding import SectionDecisions
from .errors import InvalidInputError

if TYPE_CHECKING:
    from stemma_domain.views import DocumentView, SectionView, ThreadView, VersionView
    from stemma_markdown import Quotable

    from .read_threads import ReadThread


class CommentRequests(SectionDecisions):
    """Every way to comment, and to read comments."""

    @abstractmethod
    async def document(self, document_id: str, *, at_least: int = 0) -> DocumentView:
        """A document as its events tell it."""

    @abstractmethod
    async def artifact(self, document_id: str, ref: ArtifactRef) -> bytes:
        """The content behind a reference."""

    async def comment(
        self, document_id: str, section_id: str, version: int, comments: Iterable[NewComment]
    ) -> RequestAccepted:
        """Comment on a version; all comments are made, as one review, or none. Raises as `anchored` does."""
        made = await self.anchored(document_id, section_id, version, comments)
        return await self.request(
            v1.requests.CommentSection(
                actor=self.actor, document_id=document_id, section_id=section_id, version=version, comments=made
            )
        )

    async def anchored(
        self, document_id: str, section_id: str, version: int, comments: Iterable[NewComment]
    ) -> tuple[NewComment, ...]:
        """Comments with the blocks that they are about, as far as these are known.

        Raises `InvalidInputError` for a quotation that does not stand in that version.
        """
        made = tuple(comments)
        section = (await self.document(document_id)).sections.get(section_id)
        seen = section.numbered(version) if section else None
        if seen is None or not any(comment.quote for comment in made):
            return made
        text, index = await self._text(document_id, seen)
        return tuple(_with_block(number, comment, text, index) for number, comment in enumerate(made))

    async def resolve_thread(self, document_id: str, section_id: str, thread_id: str) -> RequestAccepted:
        """Close a thread of comments."""
        about = {"document_id": document_id, "section_id": section_id, "thread_id": thread_id}
        return await self.request(v1.requests.ResolveThread(actor=self.actor, **about))

    async def reopen_thread(self, document_id: str, section_id: str, thread_id: str) -> RequestAccepted:
        """Open a thread of comments again."""
        about = {"document_id": document_id, "section_id": section_id, "thread_id": thread_id}
        return await self.request(v1.requests.ReopenThread(actor=self.actor, **about))

    async def threads(
        self, document_id: str, section: SectionView, version: VersionView | None = None
    ) -> tuple[ReadThread, ...]:
        """The threads of a section with their words and places in a version, in the order in which they began."""
        if not section.threads:
            return ()
        text, index = await self._text(document_id, version or section.current)
        return tuple([await self._thread(document_id, thread, text, index) for thread in section.threads])

    async def _thread(
        self, document_id: str, thread: ThreadView, text: Quotable, index: BlockIndex | None
    ) -> ReadThread:
        from .read_threads import ReadComment, ReadThread

        remarks = [await self._remark(document_id, comment.remark) for comment in thread.comments]
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

    async def _remark(self, document_id: str, ref: ArtifactRef) -> Remark | None:
        try:
            return Remark.model_validate_json(await self.artifact(document_id, ref))
        except (ArtifactMissing, ValidationError):
            return None

    async def _text(self, document_id: str, version: VersionView | None) -> tuple[Quotable, BlockIndex | None]:
        """A text and the index of its blocks, if there is one; nothing of what is not stored any more."""
        # What reads Markdown takes long to load, and most verbs read no comments.
        from stemma_markdown import Quotable

        draft = await self._stored(document_id, version.draft if version else None)
        blocks = await self._stored(document_id, version.blocks if version else None)
        return Quotable(draft.decode("utf-8", "replace")), _index(blocks)

    async def _stored(self, document_id: str, ref: ArtifactRef | None) -> bytes:
        try:
            return await self.artifact(document_id, ref) if ref else b""
        except ArtifactMissing:
            return b""


def _index(data: bytes) -> BlockIndex | None:
    try:
        return BlockIndex.model_validate_json(data) if data else None
    except ValidationError:
        return None


def _range_of(block_id: str | None, index: BlockIndex | None) -> tuple[int, int] | None:
    """The range of a block; an empty one if it is gone, None if nobody knows."""
    if block_id is None or index is None:
        return None
    return next(((block.start, block.end) for block in index.blocks if block.block_id == block_id), (0, 0))


def _with_block(number: int, comment: NewComment, text: Quotable, index: BlockIndex | None) -> NewComment:
    if not comment.quote or comment.thread_id:
        return comment
    if (place := text.find(comment.quote, comment.before)) is None:
        raise InvalidInputError(f"comments.{number}.quote: these words do not stand in the version")
    held = (block.block_id for block in (index.blocks if index else ()) if block.start <= place[0] < block.end)
    return comment.model_copy(update={"block_id": next(held, None)})
