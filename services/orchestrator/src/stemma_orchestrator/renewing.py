"""What a machine wrote, merged with what people have: a draft written anew, an edit that waits for a newer version.

Conflicts are data beside the text.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from stemma_artifacts.store import ArtifactStore
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.merges import Merge, MergeConflict, MergeConflicts
from stemma_contracts.v1.outcomes import Outcome, SectionGenerated
from stemma_contracts.v1.references import ArtifactRef
from stemma_domain.commands import Asked, Merged
from stemma_domain.features.choosing import TEXT
from stemma_domain.features.proposals import Proposed
from stemma_domain.hands import hand_at
from stemma_domain.state import Document, Section
from stemma_markdown import Merged as MergedText
from stemma_markdown import merge, renew


@dataclass(frozen=True)
class Renewing:
    """Both raise `ArtifactMissing`; one text is read once however many of the steps it stands in."""

    artifacts: ArtifactStore
    document: Document

    async def draft(self, outcome: Outcome) -> Merged | None:
        """The draft of an outcome; None where no person's words are in the place that it takes."""
        hand = hand_at(self.document, outcome.job_id)
        if hand is None or not isinstance(outcome, SectionGenerated):
            return None
        steps = [ref for step in hand.steps for ref in step]
        texts = await self._texts((hand.base, hand.ours, outcome.draft, *steps))
        made = [(texts[before], texts[after]) for before, after in hand.steps]
        three = texts[hand.base], texts[hand.ours], texts[outcome.draft]
        return await self._stored(outcome.draft, await asyncio.to_thread(renew, *three, made, self._language))

    async def waiting(self, command: Asked[Any]) -> Merged | None:
        """The edit that waits, as a change of the text that a request gives; None where there are not both."""
        request = command.request
        section = self.document.sections.get(request.section_id) if isinstance(request, r.SectionRequest) else None
        if section is None or section.current is None or not isinstance(section.proposal, Proposed):
            return None
        given, proposed = _given(command, section), section.proposal.draft
        if given is None:
            return None
        texts = await self._texts((section.current.draft, given, proposed))
        three = texts[section.current.draft], texts[given], texts[proposed]
        return await self._stored(proposed, await asyncio.to_thread(merge, *three, self._language))

    @property
    def _language(self) -> str:
        return self.document.language or "en"

    async def _texts(self, refs: Iterable[ArtifactRef | None]) -> dict[ArtifactRef | None, str]:
        texts: dict[ArtifactRef | None, str] = {None: ""}
        for ref in {ref for ref in refs if ref}:
            texts[ref] = (await self.artifacts.get(self.document.tenant, self.document.document_id, ref)).decode()
        return texts

    async def _stored(self, theirs: ArtifactRef, found: MergedText) -> Merged:
        draft = await self._put(found.text, theirs.media_type, theirs.name)
        if not found.conflicts:
            return Merged(draft, Merge(theirs=theirs))
        told = MergeConflicts(conflicts=tuple(MergeConflict(**asdict(one)) for one in found.conflicts))
        kept = await self._put(told.model_dump_json(), "application/json", "conflicts.json")
        return Merged(draft, Merge(theirs=theirs, conflicts=kept, count=len(found.conflicts)))

    async def _put(self, text: str, media_type: str, name: str) -> ArtifactRef:
        about = self.document.tenant, self.document.document_id
        return await self.artifacts.put(*about, text.encode(), media_type=media_type, name=name)


def _given(command: Asked[Any], section: Section) -> ArtifactRef | None:
    """The text that a request gives a section; who takes part of a proposed edit has decided about all of it."""
    match command.request:
        case r.RestoreSection(restore_version=number):
            return next((one.draft for one in section.versions if one.number == number), None)
        case r.EditSection() | r.AcceptSuggestion() | r.TakeBackChanges(proposal_id=None):
            return command.stored.get(TEXT)
        case _:
            return None
