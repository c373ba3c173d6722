"""Looking up the claims of a draft in the texts that they may stand in."""

from __future__ import annotations

from typing import ClassVar

from pydantic import BaseModel, Field
from stemma_evidence import UNSUPPORTED, Grounded, Source, ground, read

from .claim_report import ClaimFindings, told
from .confined import Check


class SourceText(BaseModel):
    """A text that claims may stand in: as it is, or as it was read before."""

    standing: str
    name: str = ""
    language: str
    media_type: str = "text/markdown"
    text: str = ""
    known: Source | None = None

    def read(self) -> Source:
        """What the text says."""
        return self.known or read(self.text, self.media_type, self.language, standing=self.standing, name=self.name)


class ClaimsChecked(BaseModel):
    """What was found, the sources that were read for it in their order, and the draft, unless a process read it."""

    findings: ClaimFindings
    read: tuple[Source, ...] = ()
    draft: Source | None = Field(default=None, exclude=True)


class ClaimsCheck(Check[ClaimsChecked]):
    """What is checked: a draft, the sources that it may be grounded on, and words that are its own.

    ``cited`` are the ranges of places that it names, which are looked up as such: the number of a page is no claim.
    """

    name: ClassVar = "claims check"

    text: str
    language: str
    sources: tuple[SourceText, ...]
    own_words: tuple[str, ...] = ()
    cited: tuple[tuple[int, int], ...] = ()

    @property
    def characters(self) -> int:
        """How much there is to read."""
        return len(self.text) + sum(len(source.text) for source in self.sources)

    def run(self) -> ClaimsChecked:
        """Read what was not read before, and look every claim of the draft up."""
        sources = tuple(source.read() for source in self.sources)
        draft = read(self.text, "text/markdown", self.language, standing="draft", name="")
        found: tuple[Grounded, ...] = ground(draft, sources, self.own_words)
        fresh = tuple(s for s, source in zip(sources, self.sources, strict=True) if source.known is None)
        findings = told(item for item in found if not self._is_of_a_place(item))
        return ClaimsChecked(findings=findings, read=fresh, draft=draft)

    def _is_of_a_place(self, item: Grounded) -> bool:
        claim = item.claim
        return item.standing == UNSUPPORTED and any(start <= claim.start < end for start, end in self.cited)
