"""Texts while they are written: kept for a session from when somebody follows them, also over a lost connection."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from stemma_client import Client, LiveText

from .keeping import Keeper

LINGERS_S = 30.0
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
        """Go on with a piece, whose place says whether some are missing before it, or the text begins anew."""
        at = self.heard if piece.at is None else piece.at
        if at < self.heard:
            self.forget()
        self.words = (self.words + (GAP if at > self.heard else "") + piece.text)[:MOST_CHARACTERS]
        self.heard = at + len(piece.text)

    def forget(self) -> None:
        """Begin anew."""
        self.begun, self.words, self.heard = self.begun + 1, "", 0


class Writing:
    """The texts of one document that are being written."""

    def __init__(self, client: Client, document_id: str) -> None:
        self._client = client
        self._document_id = document_id
        self._texts: dict[str, _Text] = {}
        self._keeper = Keeper(self._keep, LINGERS_S)

    async def follow(self) -> AsyncGenerator[Words, None]:
        """What is written of each section so far, as far as it was heard, and what comes."""
        told: dict[str, tuple[int, int]] = {}
        seen = 0
        async with self._keeper.followed():
            while True:
                for words in self._since(told):
                    yield words
                seen = await self._keeper.news_after(seen)

    def forget(self, section_id: str) -> None:
        """A text that is written stands elsewhere now."""
        if text := self._texts.get(section_id):
            text.forget()
            self._keeper.tell()

    async def stop(self) -> None:
        """Hear no more."""
        await self._keeper.stop()

    async def _keep(self) -> None:
        async with aclosing(self._client.follow_live(self._document_id)) as pieces:
            async for piece in pieces:
                self._texts.setdefault(piece.section_id, _Text()).hear(piece)
                self._keeper.tell()

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
