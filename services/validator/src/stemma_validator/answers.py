"""Which blocks of a draft answer the requirements that its section was given."""

from __future__ import annotations

from bisect import bisect_right
from typing import ClassVar

from stemma_confinement import Limits
from stemma_contracts.v1.blocks import BlockIndex
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_contracts.v1.ledger import AnswersFound, LedgerRow, LedgerRows, RequirementAnswer
from stemma_evidence import language_of
from stemma_evidence.requirements import Answers

from .confined import Check, checked
from .files import Files


class AnswersCheck(Check[dict[str, int]]):
    name: ClassVar = "answers check"

    text: str
    language: str
    rows: tuple[LedgerRow, ...]
    wanted: frozenset[str]

    @property
    def characters(self) -> int:
        return len(self.text) + sum(len(row.quote) for row in self.rows)

    @property
    def unknown(self) -> int:
        """The draft and the rows that it may answer: of the others only the words are counted."""
        return len(self.text) + sum(len(row.quote) for row in self.rows if row.requirement_id in self.wanted)

    def run(self) -> dict[str, int]:
        answers = Answers(self.text, self.language, self.rows)
        places = {row.requirement_id: answers.place_of(row) for row in self.rows if row.requirement_id in self.wanted}
        return {name: place for name, place in places.items() if place is not None}


async def answers_in(
    job: ValidateDraft, text: str, blocks: BlockIndex | None, files: Files, limits: Limits
) -> AnswersFound | None:
    """The blocks that answer the rows of a job, None if nobody can tell; raises `ValidationImpossible` past limits."""
    if job.ledger is None or blocks is None or (ledger := await files.body(job.ledger, LedgerRows)) is None:
        return None
    found = dict[str, int]()
    if job.requirements:
        language = language_of(text, job.document.language or "en")
        wanted = frozenset(job.requirements)
        check = AnswersCheck(text=text, language=language, rows=ledger.rows, wanted=wanted)
        found = await checked(check, limits)
    answered = tuple(
        RequirementAnswer(requirement_id=name, block_id=_block_at(blocks, at)) for name, at in found.items()
    )
    return AnswersFound(rows_digest=job.ledger.digest, sought=job.requirements, found=answered)


def _block_at(blocks: BlockIndex, place: int) -> str:
    starts = [block.start for block in blocks.blocks]
    return blocks.blocks[max(0, bisect_right(starts, place) - 1)].block_id
