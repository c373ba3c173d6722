"""What jobs refer to in the artifact store: texts, inputs as passages, ledgers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from cachetools import LRUCache
from pydantic import ValidationError
from stemma_artifacts.store import ArtifactCorrupt, ArtifactMissing, ArtifactStore
from stemma_confinement import ConfinementError, Limits, Prepared
from stemma_confinement.computing import Computing, confined_in
from stemma_contracts.media import READ, SHOWN
from stemma_contracts.v1.document import DocumentHead
from stemma_contracts.v1.inputs import Anchor, Anchors
from stemma_contracts.v1.jobs import GenerateSection
from stemma_contracts.v1.ledger import LedgerRows
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_messaging import Turns
from stemma_messaging.errors import InvalidMessage
from stemma_models import CallContext

from .nearness import Nearness
from .passages import Corpus, Passage, SourceDocument, read_source, words_of
from .reading import AT, Text, prepare, read

QUICK_CHARACTERS = 64 * 1024
"""Up to here the worst input takes a quarter of a second."""
LIMITS = Limits(seconds=900, memory_mb=4096)
"""Of CPU time: it is read behind everything else that is at work."""
PROCESSES, PROCESSES_OF_A_TENANT = 4, 2
MOST_PIECES = 50_000
"""Passages and images of the texts together: so many are indexed in half a second, and 50 MB of prose have fewer."""


class UnreadableInputs(Exception):
    """An input that could not be read within the limits, with its name: no repetition makes it right."""


# One for all calls of this process; it starts with the first long text.
_prepared = Prepared(prepare)


@dataclass(frozen=True)
class Reading:
    """Reads the inputs of every tenant in turn."""

    limits: Limits = LIMITS
    most: int = MOST_PIECES
    turns: Turns = field(default_factory=lambda: Turns(PROCESSES, PROCESSES_OF_A_TENANT))

    async def sources(self, tenant: str, texts: Sequence[Text]) -> list[SourceDocument]:
        if sum(len(given.text) for given in texts) <= QUICK_CHARACTERS:
            return await asyncio.to_thread(lambda: [read_source(*given) for given in texts])
        async with self.turns.turn(tenant):
            with TemporaryDirectory(prefix="stemma-read-") as folder:
                return await self._apart(texts, Path(folder))

    async def _apart(self, texts: Sequence[Text], folder: Path) -> list[SourceDocument]:
        (folder / AT).write_text(texts[0].name, encoding="utf-8")
        try:
            sources = await confined_in(folder, _prepared, self.limits, read, list(texts), self.most)
        except ConfinementError as error:
            raise UnreadableInputs(f"{await _name_in(folder)} could not be read: {error}") from None
        if sources is None:
            many = f"up to it the inputs have more than {self.most} passages and images; give fewer or shorter inputs"
            raise UnreadableInputs(f"{await _name_in(folder)} could not be read: {many}")
        return sources


async def _name_in(folder: Path) -> str:
    """The name of the text that was being read."""
    return await asyncio.to_thread((folder / AT).read_text, "utf-8")


COMPUTING = Limits(seconds=300, memory_mb=4096)
AT_ONCE = 4


def computing(limits: Limits = COMPUTING) -> Computing:
    return Computing(_prepared, limits, AT_ONCE)


KEPT = 8
"""Documents whose sources, brief and ledger are kept as they were read: every section reads the same."""

T = TypeVar("T")


@dataclass
class _Shared:
    """A corpus that is made once for all who wait for it."""

    task: asyncio.Task[Corpus]
    waiting: int = 0

    @property
    def is_of_use(self) -> bool:
        """Whether there is a corpus, or somebody for whom it is being made."""
        if not self.task.done():
            return self.waiting > 0
        return not self.task.cancelled() and self.task.exception() is None


class Library:
    """Texts, corpora and ledgers by reference; what was made of those of the last few documents is kept."""

    def __init__(
        self,
        artifacts: ArtifactStore,
        reading: Reading | None = None,
        calls: Computing | None = None,
        nearness: Nearness | None = None,
    ) -> None:
        self._artifacts = artifacts
        self._reading = reading or Reading()
        self._calls = calls or computing()
        self._nearness = nearness
        self._corpora: LRUCache[tuple[str, ...], _Shared] = LRUCache(KEPT)
        self._briefs: LRUCache[tuple[str, ...], Sequence[Passage]] = LRUCache(KEPT)
        self._ledgers: LRUCache[tuple[str, ...], LedgerRows] = LRUCache(KEPT)

    async def text(self, document: DocumentHead, ref: ArtifactRef) -> str:
        """The content of a text artifact, without a byte order mark and with plain line ends."""
        data = await self._artifacts.get(document.tenant, document.document_id, ref)
        return data.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").replace("\r", "\n")

    async def compute(self, function: Callable[..., T], *given: Any) -> T:
        """What a pure function makes of texts; raises `UnreadableInputs` past the limits."""
        try:
            return await self._calls.compute(function, *given)
        except ConfinementError as error:
            raise UnreadableInputs(f"a text is too long or too hard to read: {error}") from None

    async def store(self, document: DocumentHead, data: bytes, media_type: str, name: str) -> ArtifactRef:
        tenant, document_id = document.tenant, document.document_id
        return await self._artifacts.put(tenant, document_id, data, media_type=media_type, name=name)

    async def corpus(self, document: DocumentHead, inputs: tuple[InputFile, ...]) -> Corpus:
        """The searchable corpus of a document's inputs; raises `UnreadableInputs`.

        It is made for all who wait for it, and no longer once nobody does.
        """
        named = (f"{file.name}:{file.used_as}:{file.artifact.digest}" for file in inputs)
        key = (document.tenant, document.document_id, *named)
        shared = self._corpora.get(key)
        if shared is None:
            shared = self._corpora[key] = _Shared(asyncio.create_task(self._read(document, inputs)))
        shared.waiting += 1
        try:
            return await asyncio.shield(shared.task)
        finally:
            shared.waiting -= 1
            if not shared.is_of_use:
                shared.task.cancel()
                if self._corpora.get(key) is shared:
                    del self._corpora[key]

    async def _read(self, document: DocumentHead, inputs: tuple[InputFile, ...]) -> Corpus:
        names = [file.name for file in inputs if file.artifact.media_type in SHOWN]
        sources = await self.parse_inputs(document, inputs)
        tags = {file.name: words_of(file) for file in inputs}
        return await asyncio.to_thread(Corpus, sources, names, tags) if sources else Corpus([], names)

    async def near(self, corpus: Corpus, queries: Sequence[str], ctx: CallContext) -> list[list[int]]:
        """Rankings of the passages by what they mean, if a model for that is set."""
        return await self._nearness.ranked(corpus, queries, ctx) if self._nearness else []

    async def parse_inputs(self, document: DocumentHead, inputs: Sequence[InputFile]) -> list[SourceDocument]:
        """Those inputs of a document that are texts, taken apart; raises `UnreadableInputs`."""
        texts = [
            Text(file.name, await self.text(document, file.artifact), await self._anchors(document, file.anchors))
            for file in inputs
            if file.artifact.media_type in READ
        ]
        return await self.sources(document, texts) if texts else []

    async def brief(self, document: DocumentHead, brief: str, file: InputFile | None) -> Sequence[Passage]:
        """The passages of a brief that was read from a file, each with its place; none if it has no places."""
        if file is None or file.anchors is None:
            return ()
        key = (document.tenant, document.document_id, file.name, file.anchors.digest, brief)
        if key not in self._briefs and (anchors := await self._anchors(document, file.anchors)):
            (source,) = await self.sources(document, [Text(file.name, brief, anchors)])
            self._briefs[key] = source.passages
        return self._briefs.get(key, ())

    async def ledger(self, document: DocumentHead, ref: ArtifactRef) -> LedgerRows:
        key = (document.tenant, document.document_id, ref.digest)
        if key not in self._ledgers:
            self._ledgers[key] = LedgerRows.model_validate_json(await self.text(document, ref))
        return self._ledgers[key]

    async def _anchors(self, document: DocumentHead, ref: ArtifactRef | None) -> tuple[Anchor, ...]:
        """The places in a file; none if they are not stored any more."""
        if ref is None:
            return ()
        try:
            return Anchors.model_validate_json(await self.text(document, ref)).anchors
        except (ArtifactMissing, ArtifactCorrupt, ValidationError):
            return ()

    async def sources(self, document: DocumentHead, texts: Sequence[Text]) -> list[SourceDocument]:
        """Inputs of a document, taken apart; raises `UnreadableInputs`."""
        return await self._reading.sources(document.tenant, texts)


LEAST_CHARACTERS = 100
BRIEF = "project_brief"


class InputsRefused(InvalidMessage):
    """Inputs that no repetition makes fit; the message names what is wrong, and no file of a host."""


async def missing_inputs(job: GenerateSection, library: Library) -> dict[str, str]:
    """What is missing of what the section requires, by name, each with the words to tell."""
    drafts = {upstream.section_id: upstream.draft for upstream in job.upstream}
    upstream = [name for name in job.section.requires if name != BRIEF]
    lengths = await asyncio.gather(*(_length(job, library, drafts.get(name)) for name in upstream))
    missing = {
        name: f"{name} is required and must be at least {LEAST_CHARACTERS} characters"
        for name, length in zip(upstream, lengths, strict=True)
        if length < LEAST_CHARACTERS
    }
    if BRIEF in job.section.requires and not await _length(job, library, job.brief):
        missing[BRIEF] = f"{BRIEF} is required and must not be blank"
    return missing


async def _length(job: GenerateSection, library: Library, ref: ArtifactRef | None) -> int:
    return 0 if ref is None else len((await library.text(job.document, ref)).strip())
