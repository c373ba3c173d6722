"""What the pages of one session read and follow: once, and kept for all of them."""

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Iterable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from anyio import CancelScope
from stemma_client import Client, LiveText, StemmaError
from stemma_client.overviews import asked_of_budget, listed_sections
from stemma_client.progress import Seconds, usual, usual_of
from stemma_contracts.v1.budgets import BudgetQuestion
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.summary import DocumentSummary, SectionSummary
from stemma_contracts.v1.views import DocumentView, SectionView
from stemma_messaging.cancellation import end


class Keeper(ABC):
    """Runs a task from the first follower on, and for a while after the last one; for ever if no while is named."""

    lingers_s: float | None = None

    def __init__(self) -> None:
        self._task: asyncio.Task[None] | None = None
        self._followers = 0
        self._news = 0
        self._woken = asyncio.Event()

    @abstractmethod
    async def _keep(self) -> None: ...

    @asynccontextmanager
    async def followed(self) -> AsyncIterator[None]:
        self._followers += 1
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._keep())
        try:
            yield
        finally:
            self._followers -= 1
            if self.lingers_s is not None:
                asyncio.get_running_loop().call_later(self.lingers_s, self._end_unless_followed)

    def tell(self) -> None:
        self._news += 1
        woken, self._woken = self._woken, asyncio.Event()
        woken.set()

    async def news_after(self, seen: int) -> int:
        """The number of the last news, once there is another one than was seen; raises what the task raised."""
        while self._news == seen:
            woken, task = asyncio.create_task(self._woken.wait()), self._task
            assert task is not None
            try:
                await asyncio.wait({woken, task}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                woken.cancel()
            if task.done():
                task.result()
                raise StemmaError("nothing more is told")
        return self._news

    async def stop(self) -> None:
        await end([self._task] if self._task else [])

    def _end_unless_followed(self) -> None:
        if self._task and not self._followers:
            self._task.cancel()
            self._task = None


WRITING_LINGERS_S = 30.0
MOST_CHARACTERS = 500_000
GAP = "[…] "
"""Stands where words were missed."""


@dataclass(frozen=True)
class Words:
    """Words of a section that is being written; they stand ``at`` a place of what was told of it, and end it."""

    section_id: str
    at: int
    text: str


@dataclass
class _Text:
    """What was heard of a text, as far as it came; ``begun`` counts how often it began anew."""

    begun: int = 0
    words: str = ""
    heard: int = 0

    def hear(self, piece: LiveText) -> None:
        at = self.heard if piece.at is None else piece.at
        if at < self.heard:
            self.forget()
        self.words = (self.words + (GAP if at > self.heard else "") + piece.text)[:MOST_CHARACTERS]
        self.heard = at + len(piece.text)

    def forget(self) -> None:
        self.begun, self.words, self.heard = self.begun + 1, "", 0


class Writing(Keeper):
    lingers_s = WRITING_LINGERS_S

    def __init__(self, client: Client, document_id: str) -> None:
        super().__init__()
        self._client = client
        self._document_id = document_id
        self._texts: dict[str, _Text] = {}

    async def follow(self) -> AsyncGenerator[Words, None]:
        told: dict[str, tuple[int, int]] = {}
        seen = 0
        async with self.followed():
            while True:
                for words in self._since(told):
                    yield words
                seen = await self.news_after(seen)

    def forget(self, section_id: str) -> None:
        if text := self._texts.get(section_id):
            text.forget()
            self.tell()

    async def _keep(self) -> None:
        async with aclosing(self._client.follow_live(self._document_id)) as pieces:
            async for piece in pieces:
                self._texts.setdefault(piece.section_id, _Text()).hear(piece)
                self.tell()

    def _since(self, told: dict[str, tuple[int, int]]) -> list[Words]:
        """What somebody does not know yet, who was ``told`` so far in which beginning of each text."""
        found = []
        for section_id, text in self._texts.items():
            begun, at = told.get(section_id, (text.begun, 0))
            at = at if begun == text.begun else 0
            if begun != text.begun or len(text.words) > at:
                found.append(Words(section_id, at, text.words[at:]))
            told[section_id] = (text.begun, len(text.words))
        return found


EVERY_S = 5.0
SILENT_FOR_S = 16.0
LINGERS_S = 5.0


class Editors(Keeper):
    lingers_s = LINGERS_S

    def __init__(self, client: Client, own: str, document_id: str) -> None:
        super().__init__()
        self._client = client
        self._own = own
        self._document_id = document_id
        self._heard: dict[tuple[str, str], float] = {}

    async def follow(self, section_id: str) -> AsyncGenerator[tuple[str, ...], None]:
        told, seen = None, 0
        async with self.followed():
            while True:
                if (names := self._at(section_id)) != told:
                    yield (told := names)
                with suppress(TimeoutError):
                    async with asyncio.timeout(EVERY_S):
                        seen = await self.news_after(seen)

    def _at(self, section_id: str) -> tuple[str, ...]:
        long_ago = time.monotonic() - SILENT_FOR_S
        there = (person for (person, at), heard in self._heard.items() if at == section_id and heard > long_ago)
        return tuple(sorted(person for person in there if person != self._own))

    async def _keep(self) -> None:
        async with aclosing(self._client.follow_presence(self._document_id)) as told:
            async for presence in told:
                self._heard.pop(who := (presence.person, presence.section_id), None)
                if presence.here:
                    self._heard[who] = time.monotonic()
                self.tell()


@asynccontextmanager
async def told_of(client: Client, document_id: str, section_id: str) -> AsyncIterator[None]:
    telling = asyncio.create_task(_tell(client, document_id, section_id))
    try:
        yield
    finally:
        with CancelScope(shield=True), suppress(StemmaError):
            await end([telling])
            await client.tell_presence(document_id, section_id, here=False)


async def _tell(client: Client, document_id: str, section_id: str) -> None:
    while True:
        with suppress(StemmaError):
            await client.tell_presence(document_id, section_id, here=True)
        await asyncio.sleep(EVERY_S)


MOST_EVENTS, MOST_TITLES, MOST_TEXTS = 5_000, 5_000, 500
"""That a session remembers of the documents that its pages show, and that are searched."""
MAX_TITLE, MAX_TEXT = 300, 200_000
AT_ONCE = 8
T = TypeVar("T")


async def some_at_once(calls: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    bound = asyncio.Semaphore(AT_ONCE)

    async def one(call: Coroutine[Any, Any, T]) -> T:
        async with bound:
            return await call

    return await asyncio.gather(*map(one, calls))


class Texts:
    """Texts by their digests. What is asked for last is kept, however much it is, and ``most`` in any case."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._known: dict[str, str] = {}

    async def read(self, asked: Mapping[str, tuple[str, ArtifactRef]], most: int, longest: int) -> dict[str, str]:
        """Of digests, each with its document, the beginnings of their texts; empty if one is not stored any more."""
        found = {digest: self._known[digest] for digest in asked if digest in self._known}
        missing = [digest for digest in asked if digest not in found]
        read = await some_at_once(self._client.stored_text(*asked[digest]) for digest in missing)
        found |= {digest: (text or "")[:longest] for digest, text in zip(missing, read, strict=True)}
        self._known = dict(islice({**found, **self._known}.items(), max(most, len(found))))
        return found


class Followed:
    def __init__(self, client: Client, user: str) -> None:
        self.waiting = Waiting(client, user)
        self.documents = client.rereading(most_events=MOST_EVENTS)
        self._client = client
        self._user = user
        self._writing: dict[str, Writing] = {}
        self._editors: dict[str, Editors] = {}
        self._usual: dict[str, Seconds] = {}
        self._titles = Texts(client)
        self._drafts = Texts(client)

    async def titles(self, documents: Sequence[DocumentSummary | DocumentView]) -> list[str]:
        """The titles of documents, in their order."""
        asked = {ref.digest: (one.document_id, ref) for one in documents if (ref := one.title)}
        found = await self._titles.read(asked, MOST_TITLES, MAX_TITLE)
        return [(one.title and found[one.title.digest].strip()) or one.kind for one in documents]

    async def drafts(self, documents: Iterable[DocumentView]) -> list[tuple[DocumentView, SectionView, str]]:
        """The current texts of documents, in the order of their sections."""
        written = [(one, section, section.draft) for one in documents for section in one.sections.values()]
        asked = {draft.digest: (one.document_id, draft) for one, _, draft in written if draft}
        found = await self._drafts.read(asked, MOST_TEXTS, MAX_TEXT)
        return [(one, section, found[draft.digest]) for one, section, draft in written if draft]

    def writing(self, document_id: str) -> Writing:
        return self._writing.setdefault(document_id, Writing(self._client, document_id))

    async def usual(self, document: DocumentView) -> Seconds:
        """How long sections of such documents take; of earlier ones that is looked up once."""
        if not self._usual.get(document.kind):
            self._usual[document.kind] = await usual_of(self._client, document)
        return {**usual([document]), **self._usual[document.kind]}

    def editors(self, document_id: str) -> Editors:
        return self._editors.setdefault(document_id, Editors(self._client, self._user, document_id))

    async def stop(self) -> None:
        for each in (self.waiting, *self._writing.values(), *self._editors.values()):
            await each.stop()


# What is assigned to somebody else waits for them.

_Shown = tuple[DocumentStatus, BudgetQuestion | None, tuple[SectionSummary, ...]]
"""What a list of all that waits shows of a document."""


@dataclass(frozen=True)
class Waits:
    """How many sections and budgets wait for the person or for nobody in particular, and the place in the read model of
    the last change of what any of those that wait show.
    """

    total: int
    sequence: int


class Waiting(Keeper):
    """What waits in the documents of a tenant; it reads nothing before somebody follows it."""

    def __init__(self, client: Client, user: str) -> None:
        super().__init__()
        self._client = client
        self._user = user
        self._shown: dict[str, _Shown] | None = None
        self._sequence = 0

    @property
    def known(self) -> int | None:
        """How many sections and budgets wait for the person, as far as that is counted already."""
        if self._shown is None:
            return None
        waiting = (section for _, _, sections in self._shown.values() for section in sections)
        mine = sum(section.assignee in ("", self._user) for section in waiting)
        return mine + sum(asked is not None for _, asked, _ in self._shown.values())

    async def follow(self) -> AsyncGenerator[Waits, None]:
        """How much waits now, and again whenever what waits is another; raises as `Client.listing` does."""
        seen = 0
        async with self.followed():
            while True:
                seen = await self.news_after(seen)
                yield Waits(self.known or 0, self._sequence)

    async def _keep(self) -> None:
        listing = await self._client.listing()
        self._sequence = listing.sequence
        self._shown = {one.document_id: shown for one in listing.documents if any((shown := _shown(one))[1:])}
        self.tell()
        async with aclosing(self._client.follow_listing(from_sequence=listing.sequence + 1)) as changes:
            async for change in changes:
                if self._is_other(self._shown, change.document_id, change.summary):
                    self._sequence = change.sequence
                    self.tell()

    def _is_other(self, shown: dict[str, _Shown], document_id: str, summary: DocumentSummary | None) -> bool:
        now, before = _shown(summary) if summary else None, shown.pop(document_id, None)
        if now and any(now[1:]):
            shown[document_id] = now
        return shown.get(document_id) != before


def _shown(document: DocumentSummary) -> _Shown:
    return document.status, asked_of_budget(document), tuple(listed_sections(document))
