"""What a new text changes in the one that other sections rest on, found before its event is decided.

So the event itself says which sections it makes stale, and the log tells the next version from what it changed.
"""

import asyncio
from dataclasses import asdict, dataclass
from functools import partial

from stemma_artifacts.store import ArtifactCorrupt, ArtifactMissing, ArtifactStore
from stemma_contracts.v1.inputs import MOST_CHANGED_PARTS
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.staleness import TextDifference
from stemma_domain.commands import Command, Compared
from stemma_domain.decide import texts_to_compare
from stemma_domain.state import Document
from stemma_languages.spelling import is_word
from stemma_markdown import changed_marks, marked

MOST_BYTES, MOST_LINES = 256 * 1024, 5_000
"""Of one text: a second of work; of a longer one, all counts as changed."""


@dataclass(frozen=True)
class Comparing:
    artifacts: ArtifactStore

    async def compared(self, command: Command, document: Document) -> Command:
        """The command with what its texts change; what cannot be compared is left out, and all of it counts."""
        found = dict[tuple[str, str], TextDifference]()
        for old, new in texts_to_compare(command, document):
            if (difference := await self._difference(document, old, new)) is not None:
                found[old.digest, new.digest] = difference
        return Compared(command, found) if found else command

    async def _difference(self, document: Document, old: ArtifactRef, new: ArtifactRef) -> TextDifference | None:
        if max(old.size, new.size) > MOST_BYTES:
            return None
        try:
            before, after = [await self._text(document, ref) for ref in (old, new)]
        except (ArtifactMissing, ArtifactCorrupt, UnicodeDecodeError):
            return None
        return await asyncio.to_thread(_compared, old.digest, before, after, document.language or "en")

    async def _text(self, document: Document, ref: ArtifactRef) -> str:
        return (await self.artifacts.get(document.tenant, document.document_id, ref)).decode()


def _compared(base: str, before: str, after: str, language: str) -> TextDifference | None:
    if max(len(text.splitlines()) for text in (before, after)) > MOST_LINES:
        return None
    known = partial(is_word, language=language)
    changed = changed_marks(marked(before, language), marked(after, language), known)
    if max(map(len, (changed.touched, changed.extended, changed.followed))) > MOST_CHANGED_PARTS:
        return None
    return TextDifference.model_validate({"base": base, **asdict(changed)})
