"""What of its upstream sections a draft rests on: by its words, and by the places that its claims stand at."""

from collections.abc import Sequence
from functools import lru_cache
from typing import ClassVar

from pydantic import BaseModel
from stemma_confinement import Limits
from stemma_contracts.v1.grounding import GroundedClaim
from stemma_contracts.v1.inputs import MOST_USED_PARTS
from stemma_contracts.v1.jobs import UpstreamDraft, ValidateDraft
from stemma_contracts.v1.staleness import UsedUpstream
from stemma_evidence import Rests, UpstreamText

from .confined import SAFE_CHARACTERS, Check, checked
from .errors import ValidationOutOfMemory, ValidationTimeout
from .files import Files
from .given import THREAD_CHARACTERS

READ_CHARACTERS = 512 * 1024
"""Of all upstream sections together; of what is beyond, any part may be used."""
_KEPT_TEXTS = 16


class Upstream(BaseModel):
    """A version of an upstream section; no text if it is beyond the bound. ``lines`` are those that claims stand at."""

    section_id: str
    version: int
    text: str | None = None
    lines: frozenset[int] = frozenset()


class RestsCheck(Check[tuple[UsedUpstream, ...]]):
    name: ClassVar = "upstream check"

    text: str
    language: str
    upstream: tuple[Upstream, ...]

    @property
    def characters(self) -> int:
        return len(self.text) + sum(len(one.text or "") for one in self.upstream)

    @property
    def unknown(self) -> int:
        characters = self.characters
        return characters if characters > THREAD_CHARACTERS else min(characters, SAFE_CHARACTERS)

    def run(self) -> tuple[UsedUpstream, ...]:
        draft, left = Rests(self.text, self.language), MOST_USED_PARTS
        found = list[UsedUpstream]()
        for one in self.upstream:
            marks = draft.on(_read(one.text, self.language), one.lines) if one.text is not None else None
            whole = marks is None or len(marks) > left
            left -= 0 if whole else len(marks or ())
            about = {"section_id": one.section_id, "version": one.version, "whole": whole}
            found.append(UsedUpstream.model_validate(about | {"marks": () if whole else marks}))
        return tuple(found)


@lru_cache(maxsize=_KEPT_TEXTS)
def _read(text: str, language: str) -> UpstreamText:
    """What each draft that rests on it is held against is read once for all."""
    return UpstreamText(text, language)


async def used_upstream(
    job: ValidateDraft, text: str, claims: Sequence[GroundedClaim], files: Files, limits: Limits
) -> tuple[UsedUpstream, ...] | None:
    """What a version of a section rests on, all of it past the limits; None if it has no upstream, or is no such."""
    drafts = [one for one in job.upstream if one.section_id in job.section.depends_on]
    if not drafts or job.session_id is not None:
        return None
    upstream, left = list[Upstream](), READ_CHARACTERS
    for draft in drafts:
        left -= draft.draft.size
        lines = frozenset(_lines(claims, draft))
        known = await files.text(draft.draft) if left >= 0 else None
        upstream.append(Upstream(section_id=draft.section_id, version=draft.version, text=known, lines=lines))
    try:
        language = job.document.language or "en"
        return await checked(RestsCheck(text=text, language=language, upstream=tuple(upstream)), limits)
    except (ValidationTimeout, ValidationOutOfMemory):
        return tuple(UsedUpstream(section_id=one.section_id, version=one.version, whole=True) for one in upstream)


def _lines(claims: Sequence[GroundedClaim], draft: UpstreamDraft) -> list[int]:
    places = (place for claim in claims for place in claim.sources)
    return [place.line for place in places if place.standing == "upstream" and place.name == draft.section_id]
