"""The text that comes of chosen words. It is made here of what is stored, so that nobody puts other words in it."""

import asyncio
from dataclasses import dataclass

from pydantic import ValidationError
from stemma_artifacts.store import ArtifactMissing, ArtifactStore
from stemma_contracts.suggestions import replaceable, suggestion_in
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.blocks import BlockIndex
from stemma_contracts.v1.comments import Remark
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.views import ThreadView
from stemma_domain.features.proposals import Proposed
from stemma_domain.state import Document, Section, Version
from stemma_markdown import Quotable, put_instead, single_changes, stand_at, without


@dataclass(frozen=True)
class Choosing:
    """``document`` is what the words are chosen in."""

    artifacts: ArtifactStore
    document: Document

    async def text(self, request: r.AcceptSuggestion | r.TakeBackChanges) -> str | None:
        """None where the words are not there, or not stored any more."""
        section = self.document.sections.get(request.section_id)
        if section is None or section.current is None or section.current.number != request.version:
            return None
        try:
            if isinstance(request, r.AcceptSuggestion):
                return await self._suggested(request, section, section.current)
            return await self._without_changes(request, section, section.current)
        except (ArtifactMissing, UnicodeDecodeError, ValidationError):
            return None

    async def with_fact(self, request: r.ChangeFact, seen: r.FactPlaces) -> str | None:
        """A section with the other words in its places; None where they do not stand there, or not stored any more."""
        section = self.document.sections.get(seen.section_id)
        if section is None or section.current is None or section.current.number != seen.version:
            return None
        try:
            text = await self._content(section.current.draft)
        except (ArtifactMissing, UnicodeDecodeError):
            return None
        places = await asyncio.to_thread(stand_at, text, request.written, seen.places)
        return put_instead(text, places, request.instead) if places else None

    async def _suggested(self, request: r.AcceptSuggestion, section: Section, current: Version) -> str | None:
        thread = section.threads.get(request.thread_id)
        if thread is None or request.comment_id not in {comment.comment_id for comment in thread.comments}:
            return None
        remarks = {comment.comment_id: comment.remark for comment in thread.comments}
        about = await self._remark(remarks[thread.comments[0].comment_id])
        suggestion = suggestion_in((await self._remark(remarks[request.comment_id])).text)
        text = await self._content(current.draft)
        place = await asyncio.to_thread(_place, text, about, await self._range_of(thread, current))
        if suggestion is None or place is None:
            return None
        return f"{text[: place[0]]}{suggestion.words}{text[place[1] :]}"

    async def _range_of(self, thread: ThreadView, version: Version) -> tuple[int, int] | None:
        """The range of the block that a thread is about; an empty one if it is gone, None if nobody knows."""
        if thread.block_id is None or version.blocks is None:
            return None
        return await asyncio.to_thread(_range_in, await self._content(version.blocks), thread.block_id)

    async def _without_changes(self, request: r.TakeBackChanges, section: Section, current: Version) -> str | None:
        pair = _compared(request, section, current)
        if pair is None:
            return None
        before, after = [await self._content(draft) for draft in pair]
        changes = await asyncio.to_thread(single_changes, before, after, self.document.language)
        if len(changes) != request.shown or max(request.changes) > request.shown:
            return None
        chosen = set(request.changes)
        seen = {number for number, change in enumerate(changes, 1) if not change.is_blank}
        return before if seen <= chosen else without(after, [changes[number - 1] for number in chosen])

    async def _remark(self, ref: ArtifactRef) -> Remark:
        return Remark.model_validate_json(await self._content(ref))

    async def _content(self, ref: ArtifactRef) -> str:
        return (await self.artifacts.get(self.document.tenant, self.document.document_id, ref)).decode()


def _range_in(index: str, block_id: str) -> tuple[int, int]:
    blocks = BlockIndex.model_validate_json(index).blocks
    return next(((block.start, block.end) for block in blocks if block.block_id == block_id), (0, 0))


def _place(text: str, about: Remark, within: tuple[int, int] | None) -> tuple[int, int] | None:
    place = Quotable(text).find(about.quote, about.before, within) if about.quote else None
    return replaceable(text, *place) if place else None


def _compared(request: r.TakeBackChanges, section: Section, current: Version) -> tuple[ArtifactRef, ArtifactRef] | None:
    """The text before the changes, and the one with them."""
    if request.since is not None:
        old = next((version for version in section.versions if version.number == request.since), None)
        return (old.draft, current.draft) if old else None
    proposal = section.proposal
    if not isinstance(proposal, Proposed) or proposal.proposal_id != request.proposal_id:
        return None
    return current.draft, proposal.draft
