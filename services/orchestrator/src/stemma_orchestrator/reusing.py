"""An approved text of another document of the tenant, as a file of this one."""

import asyncio
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from stemma_artifacts.store import ArtifactMissing, ArtifactStore
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.events import AnyEvent
from stemma_contracts.v1.references import ArtifactRef
from stemma_domain.commands import Command
from stemma_domain.features.library.feature import Reuse, lapse_of
from stemma_domain.staleness import staleness
from stemma_domain.state import Document, Section, State
from stemma_eventlog import EventStore, StreamId

from .requests import Received, Refused

MARKDOWN = "text/markdown"
_SHORTEST_PASSAGE = 20
"""Characters of a line of a confidential passage that is looked for in a text."""
_NOT_IN_NAMES = re.compile(r"[\x00-\x1f\x7f\\/:*?\"<>|]+")
_FIELD = re.compile(r"(?m)^(#+ )f-[0-9a-f]{10}: *(?:\d+ +)?")
"""How the heading of an answer to a form begins: what it asks follows."""
_MOST_NAME_BYTES = 100
MOST_SEARCHED = 10**9
"""Characters that are looked through for lines of passages: 2 s. A text for which that is not enough is refused."""


@dataclass(frozen=True)
class Reusing:
    """Looks an entry up in the log: what a caller says of its text counts for nothing."""

    store: EventStore[Command, State, AnyEvent]
    artifacts: ArtifactStore

    async def reuse(self, received: Received, request: r.ReuseEntry, time: datetime) -> Reuse:
        """The request with the text of its entry, stored as a file of the document that asks. Raises `Refused`."""
        entry = request.entry
        if entry.document_id == request.document_id:
            raise Refused(Problem.of("entry_own", "entry"))
        source = (await self.store.load(StreamId(received.tenant, entry.document_id))).state
        section = source.sections.get(entry.section_id) if isinstance(source, Document) else None
        if not isinstance(source, Document) or section is None:
            raise Refused(Problem.of("entry_unknown", "entry"))
        draft = _current(source, section, entry.version)
        try:
            text = await self._text(source, draft)
            await self._refuse_confidential(source, text)
            name = await self._name(source, section)
        except ArtifactMissing:
            raise Refused(Problem.of("entry_unknown", "entry")) from None
        place = (received.tenant, request.document_id)
        text = await asyncio.to_thread(_without_citations, text, [one.name for one in source.inputs.values()])
        if section.plan.form is not None:
            text = _FIELD.sub(r"\1", text)
        stored = await self.artifacts.put(*place, text.encode(), media_type=MARKDOWN, name=name)
        return Reuse(request, received.asked, time, name=name, text=stored)

    async def _text(self, document: Document, ref: ArtifactRef) -> str:
        return (await self.artifacts.get(document.tenant, document.document_id, ref)).decode()

    async def _refuse_confidential(self, source: Document, text: str) -> None:
        passages = [await self._text(source, ref) for one in source.inputs.values() for ref in one.confidential]
        if await asyncio.to_thread(may_have_line_of, text, passages):
            raise Refused(Problem.of("entry_confidential", "entry"))

    async def _name(self, source: Document, section: Section) -> str:
        title = await self._text(source, source.title) if source.title else ""
        parts = map(_as_name, (section.plan.title, title))
        return f"{' - '.join(filter(None, parts)) or source.document_id}.md"


def _current(source: Document, section: Section, version: int) -> ArtifactRef:
    if section.current is None or section.current_number != version:
        raise Refused(Problem.of("entry_lapsed", "entry.version", lapse="changed"))
    if lapse := lapse_of(source, section, stale=section.plan.section_id in staleness(source)):
        raise Refused(Problem.of("entry_lapsed", "entry", lapse=lapse))
    return section.current.draft


def _without_citations(text: str, names: list[str]) -> str:
    """The text without the places in inputs of its own document, which the other one does not have."""
    known = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.sub(rf"[ ]?\((?:{known})(?:, [^()\n]*)?\)", "", text)


def _as_name(words: str) -> str:
    return _NOT_IN_NAMES.sub(" ", words).encode()[:_MOST_NAME_BYTES].decode(errors="ignore").strip(" .")


def may_have_line_of(text: str, passages: Iterable[str]) -> bool:
    words = " ".join(text.split())
    lines = {line for passage in passages for line in _lines(passage)}
    return len(lines) * len(words) > MOST_SEARCHED or any(line in words for line in lines)


def _lines(passage: str) -> Iterator[str]:
    lines = (" ".join(line.split()) for line in passage.splitlines())
    yield " ".join(passage.split())
    yield from (line for line in lines if len(line) >= _SHORTEST_PASSAGE)
