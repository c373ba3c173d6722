"""A draft that a machine wrote anew, merged with what people had written: conflicts are data beside the text."""

import asyncio
from dataclasses import asdict, dataclass

from stemma_artifacts.store import ArtifactStore
from stemma_contracts.v1.merges import Merge, MergeConflict, MergeConflicts
from stemma_contracts.v1.outcomes import Outcome, SectionGenerated
from stemma_contracts.v1.references import ArtifactRef
from stemma_domain.commands import Merged
from stemma_domain.hands import Hand, hand_at
from stemma_domain.state import Document
from stemma_markdown import Merged as MergedText
from stemma_markdown import renew


@dataclass(frozen=True)
class Renewing:
    """Merges what comes; one text is read once however many of the steps it stands in."""

    artifacts: ArtifactStore

    async def merged(self, outcome: Outcome, document: Document) -> Merged | None:
        """None where no person's words are in the place that the draft takes. Raises `ArtifactMissing`."""
        hand = hand_at(document, outcome.job_id)
        if hand is None or not isinstance(outcome, SectionGenerated):
            return None
        found = await self._renewed(document, hand, outcome.draft)
        about = (document.tenant, document.document_id)
        draft = await self.artifacts.put(
            *about, found.text.encode(), media_type=outcome.draft.media_type, name=outcome.draft.name
        )
        told = MergeConflicts(conflicts=tuple(MergeConflict(**asdict(one)) for one in found.conflicts))
        body = told.model_dump_json().encode()
        kept = (
            await self.artifacts.put(*about, body, media_type="application/json", name="conflicts.json")
            if found.conflicts
            else None
        )
        return Merged(draft, Merge(theirs=outcome.draft, conflicts=kept, count=len(found.conflicts)))

    async def _renewed(self, document: Document, hand: Hand, draft: ArtifactRef) -> MergedText:
        refs = {ref for ref in (hand.base, hand.ours, draft, *(ref for step in hand.steps for ref in step)) if ref}
        texts: dict[ArtifactRef | None, str] = {None: ""}
        for ref in refs:
            texts[ref] = (await self.artifacts.get(document.tenant, document.document_id, ref)).decode()
        steps = [(texts[before], texts[after]) for before, after in hand.steps]
        language = document.language or "en"
        return await asyncio.to_thread(renew, texts[hand.base], texts[hand.ours], texts[draft], steps, language)
