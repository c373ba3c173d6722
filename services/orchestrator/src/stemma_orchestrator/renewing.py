"""What a machine wrote, merged with what people have: a draft written anew, an edit that waits for a newer version.

Conflicts are data beside the text.
"""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from stemma_artifacts.store import ArtifactStore
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.merges import Merge, MergeConflict, MergeConflicts
from stemma_contracts.v1.outcomes import DraftRevised, Outcome, SectionGenerated
from stemma_contracts.v1.references import ArtifactRef
from stemma_domain.commands import Asked, Merged
from stemma_domain.features.choosing import TEXT
from stemma_domain.features.proposals import Proposed
from stemma_domain.features.returns import TakeOver
from stemma_domain.hands import changed_at, hand_at
from stemma_domain.state import Document
from stemma_markdown import Merged as MergedText
from stemma_markdown import disputed, merge, renew

MOST_BYTES = 2 * 1024 * 1024
"""Of the texts that a draft written anew is merged with; where people have more, they decide which text stands."""


@dataclass(frozen=True)
class Renewing:
    """Both raise `ArtifactMissing`; one text is read once however many of the steps it stands in."""

    artifacts: ArtifactStore
    document: Document

    async def draft(self, outcome: Outcome) -> Merged | None:
        """The draft of an outcome; None where no person's words are in the place that it takes."""
        match outcome:
            case SectionGenerated():
                return await self._generated(outcome)
            case DraftRevised():
                return await self._revised(outcome)
            case _:
                return None

    async def _generated(self, outcome: SectionGenerated) -> Merged | None:
        if (hand := hand_at(self.document, outcome.job_id)) is None:
            return None
        refs = hand.base, hand.ours, outcome.draft
        every = {*refs, *(ref for step in hand.steps for ref in step)}
        is_long = sum(ref.size for ref in every if ref) > MOST_BYTES
        texts = await self._texts(refs if is_long else every)
        three = texts[hand.base], texts[hand.ours], texts[outcome.draft]
        if is_long:
            return await self._stored(outcome.draft, disputed(*three))
        made = [(texts[before], texts[after]) for before, after in hand.steps]
        return await self._stored(outcome.draft, await asyncio.to_thread(renew, *three, made, self._language))

    async def _revised(self, outcome: DraftRevised) -> Merged | None:
        """A change of an earlier version, as one of the text that a person gave meanwhile."""
        before = changed_at(self.document, outcome.job_id)
        return await self._changed(*before, outcome.draft) if before else None

    @property
    def seen(self) -> frozenset[str]:
        """The digests of all edits that wait."""
        proposals = (section.proposal for section in self.document.sections.values())
        return frozenset(one.draft.digest for one in proposals if isinstance(one, Proposed))

    async def waiting(self, command: Asked[Any]) -> tuple[Merged, ...]:
        """The edits that wait in sections that a request gives texts, as changes of these."""
        found = list[Merged]()
        for section_id, given in _given(command, self.document):
            section = self.document.sections[section_id]
            if section.current is not None and isinstance(section.proposal, Proposed):
                found.append(await self._changed(section.current.draft, given, section.proposal.draft))
        return tuple(found)

    async def _changed(self, base: ArtifactRef, ours: ArtifactRef, theirs: ArtifactRef) -> Merged:
        texts = await self._texts((base, ours, theirs))
        made = await asyncio.to_thread(merge, texts[base], texts[ours], texts[theirs], self._language)
        return replace(await self._stored(theirs, made), ours=ours)

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


def _given(command: Asked[Any], document: Document) -> Iterator[tuple[str, ArtifactRef]]:
    """The sections that a request gives texts, and the last text of each.

    Who takes part of a proposed edit has decided about all of it.
    """
    request = command.request
    match request:
        case r.ApplyReturn() if isinstance(command, TakeOver):
            yield from ((one.section_id, one.edits[-1][1]) for one in command.taken if one.edits)
        case r.RestoreSection(section_id=name, restore_version=number) if name in document.sections:
            versions = document.sections[name].versions
            yield from ((name, one.draft) for one in versions if one.number == number)
        case r.ChangeFact():
            yield from ((name, text) for name, text in command.stored.items() if name in document.sections)
        case r.EditSection() | r.AcceptSuggestion() | r.TakeBackChanges(proposal_id=None):
            if request.section_id in document.sections and TEXT in command.stored:
                yield request.section_id, command.stored[TEXT]
        case _:
            pass
