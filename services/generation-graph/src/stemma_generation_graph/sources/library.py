"""Loading what a job refers to from the artifact store."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from cachetools import LRUCache
from stemma_artifacts.store import ArtifactStore
from stemma_contracts.media import READ, SHOWN
from stemma_contracts.v1.values import ArtifactRef, DocumentHead, InputFile

from .corpus import Corpus
from .markdown import SourceDocument
from .reading import Reading, Text

CORPORA = 8


class Library:
    """Texts and corpora by reference; the corpora of the last few documents are kept: every section reads the same."""

    def __init__(self, artifacts: ArtifactStore, reading: Reading | None = None) -> None:
        self._artifacts = artifacts
        self._reading = reading or Reading()
        self._corpora: LRUCache[tuple[str, ...], asyncio.Task[Corpus]] = LRUCache(CORPORA)

    async def text(self, document: DocumentHead, ref: ArtifactRef) -> str:
        """The content of a text artifact, without a byte order mark and with plain line ends."""
        data = await self._artifacts.get(document.tenant, document.document_id, ref)
        return data.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").replace("\r", "\n")

    async def store(self, document: DocumentHead, data: bytes, media_type: str, name: str) -> ArtifactRef:
        """Keep content of our own and return its reference."""
        tenant, document_id = document.tenant, document.document_id
        return await self._artifacts.put(tenant, document_id, data, media_type=media_type, name=name)

    async def corpus(self, document: DocumentHead, inputs: tuple[InputFile, ...]) -> Corpus:
        """The searchable corpus of a document's inputs; raises `UnreadableInputs`."""
        key = (document.tenant, document.document_id, *(f"{file.name}:{file.artifact.digest}" for file in inputs))
        task = self._corpora.get(key)
        if task is None:
            task = self._corpora[key] = asyncio.create_task(self._read(document, inputs))
        try:
            return await asyncio.shield(task)
        finally:
            if task.done() and (task.cancelled() or task.exception()):
                self._corpora.pop(key, None)

    async def _read(self, document: DocumentHead, inputs: tuple[InputFile, ...]) -> Corpus:
        texts = [
            (file.name, await self.text(document, file.artifact)) for file in inputs if file.artifact.media_type in READ
        ]
        names = [file.name for file in inputs if file.artifact.media_type in SHOWN]
        if not texts:
            return Corpus([], names)
        sources = await self.sources(document, texts)
        return await asyncio.to_thread(Corpus, sources, names)

    async def sources(self, document: DocumentHead, texts: Sequence[Text]) -> list[SourceDocument]:
        """Inputs of a document, taken apart; raises `UnreadableInputs`."""
        return await self._reading.sources(document.tenant, texts)
