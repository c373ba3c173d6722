"""What is taken over of a file that came back: the words that were shown, stored so that events can refer to them."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from pydantic import ValidationError
from stemma_artifacts.store import ArtifactMissing, ArtifactStore
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.comments import Remark
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.returned import ReturnedComment, ReturnedDocument, ReturnedSection
from stemma_domain.features.returns import TakenComment, TakenSection, chosen, use_of
from stemma_domain.state import Document, Section
from stemma_markdown import Quotable

# With its quotation in its text a comment has at most 10,000 characters.
_LONGEST_QUOTE, _LONGEST_PART = 2_000, 7_900
_LONGEST_GUIDANCE = 20_000


@dataclass(frozen=True)
class Returning:
    """``document`` is what the words are taken over into."""

    artifacts: ArtifactStore
    document: Document

    async def taken(self, request: r.ApplyReturn) -> tuple[TakenSection, ...]:
        """What of the file a request takes over; nothing where that is not what was shown, or not stored any more."""
        one = self.document.returns.get(request.return_id)
        if one is None or one.view.found is None or one.view.found.digest != request.digest:
            return ()
        try:
            content = await self._content(one.view.found)
            found = await asyncio.to_thread(ReturnedDocument.model_validate_json, content)
        except (ArtifactMissing, ValidationError):
            return ()
        taken = [await self._section(request, section) for section in chosen(found, request)]
        return tuple(one for one in taken if one.edits or one.comments or one.guidance)

    async def _section(self, request: r.ApplyReturn, found: ReturnedSection) -> TakenSection:
        own = TakenSection(found.section_id, found.now)
        if (section := self.document.sections.get(found.section_id)) is None:
            return own
        edits = [(edit.author, await self._put(edit.after, "draft.md", "text/markdown")) for edit in found.merged]
        text = found.merged[-1].after if found.merged else await self._text(section)
        use = [(comment, use_of(comment.comment_id, request)) for comment in found.comments if not comment.resolved]
        guidance, left = _guidance([comment for comment, how in use if how == "guidance"])
        said = [(comment, how == "question") for comment, how in use if how in ("comment", "question")]
        words = await self._put(guidance, "instruction.txt") if guidance else None
        asked = (guidance, words) if words and words not in self.document.instructions else None
        comments = await self._comments(section, [*said, *((one, False) for one in left)], text)
        return replace(own, edits=tuple(edits), comments=tuple(comments), guidance=asked)

    async def _comments(
        self, section: Section, comments: list[tuple[ReturnedComment, bool]], text: str
    ) -> list[TakenComment]:
        """Those that are not there already, as where a file comes back twice."""
        there = Counter(
            [await self._said(one.remark) for thread in section.threads.values() for one in thread.comments]
        )
        new = list[tuple[str, bool, Remark]]()
        for comment, asks in comments:
            for remark in _remarks(comment):
                known = next((words for words in (remark.text, _quoting(remark).text) if there[words]), None)
                if known is not None:
                    there[known] -= 1
                    continue
                new.append((comment.author, asks, remark))
        placed = await asyncio.to_thread(_placed, text, [remark for _, _, remark in new])
        return [
            TakenComment(author, await self._put(remark.model_dump_json(), "remark.json", "application/json"), asks)
            for (author, asks, _), remark in zip(new, placed, strict=True)
        ]

    async def _said(self, remark: ArtifactRef) -> str:
        try:
            return Remark.model_validate_json(await self._content(remark)).text
        except (ArtifactMissing, ValidationError):
            return ""

    async def _text(self, section: Section) -> str:
        try:
            return (await self._content(section.current.draft)).decode() if section.current else ""
        except (ArtifactMissing, UnicodeDecodeError):
            return ""

    async def _content(self, ref: ArtifactRef) -> bytes:
        return await self.artifacts.get(self.document.tenant, self.document.document_id, ref)

    async def _put(self, text: str, name: str, media_type: str = "text/plain") -> ArtifactRef:
        owner = self.document.tenant, self.document.document_id
        return await self.artifacts.put(*owner, text.encode(), media_type=media_type, name=name)


def _remarks(comment: ReturnedComment) -> Iterator[Remark]:
    """A comment as remarks of at most the length that one may have, also where they quote their words."""
    quote = comment.quote[:_LONGEST_QUOTE]
    for first in range(0, len(comment.text), _LONGEST_PART):
        yield Remark(text=comment.text[first : first + _LONGEST_PART], quote=quote)


def _placed(text: str, remarks: list[Remark]) -> list[Remark]:
    """The remarks; those whose words the text does not have quote them."""
    quotable = Quotable(text)
    return [one if not one.quote or quotable.find(one.quote) else _quoting(one) for one in remarks]


def _quoting(remark: Remark) -> Remark:
    """A remark that has the words it is about in its text."""
    return Remark(text=f"\u201c{remark.quote}\u201d: {remark.text}") if remark.quote else remark


def _guidance(comments: list[ReturnedComment]) -> tuple[str, list[ReturnedComment]]:
    """The comments of a section as one instruction, and those for which it has no room."""
    lines, left = list[str](), list[ReturnedComment]()
    for comment in comments:
        about = f"\u201c{comment.quote}\u201d: " if comment.quote else ""
        line = f"{about}{comment.text}".strip()
        is_fitting = sum(map(len, lines)) + 2 * len(lines) + len(line) <= _LONGEST_GUIDANCE
        lines += [line] if is_fitting else []
        left += [] if is_fitting else [comment]
    return "\n\n".join(lines), left
