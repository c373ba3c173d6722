"""Looking up the claims of a draft, with a bound on its time and memory: a large or hostile text has a process."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import gettempdir

from pydantic import BaseModel, TypeAdapter
from stemma_evidence import Grounded, Source, ground, read

from .claim_report import ClaimFindings, told
from .errors import EngineCrashed
from .processes import SAFE_CHARACTERS, Limits, beside, run_limited

NAME = "claims check"

sources_json: TypeAdapter[Source] = TypeAdapter(Source)


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


class ClaimsCheck(BaseModel):
    """What is checked: a draft, the sources that it may be grounded on, and words that are its own."""

    text: str
    language: str
    sources: tuple[SourceText, ...]
    own_words: tuple[str, ...] = ()

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
        return ClaimsChecked(findings=told(found), read=fresh, draft=draft)


class ClaimsChecked(BaseModel):
    """What was found, the sources that were read for it in their order, and the draft, unless a process read it."""

    findings: ClaimFindings
    read: tuple[Source, ...] = ()
    draft: Source | None = None


async def check_claims(check: ClaimsCheck, limits: Limits) -> ClaimsChecked:
    """Look up the claims of a draft of any size; raises `ValidationImpossible` past the limits."""
    if check.characters <= SAFE_CHARACTERS:
        return await beside(check.run, check.characters)
    argv = [sys.executable, "-I", "-m", "stemma_validator.claims_process"]
    stdin = check.model_dump_json().encode()
    finished = await run_limited(NAME, argv, folder=Path(gettempdir()), limits=limits, stdin=stdin)
    if finished.status != 0:
        raise EngineCrashed(NAME, finished.status, finished.stderr[-200:])
    return ClaimsChecked.model_validate_json(finished.stdout)
