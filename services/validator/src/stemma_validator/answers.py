"""Which blocks of a draft answer the requirements that its section was given."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import ClassVar

from stemma_confinement import Limits
from stemma_contracts.v1.blocks import BlockIndex
from stemma_contracts.v1.inputs import BRIEF
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_contracts.v1.ledger import AnswersFound, LedgerRow, LedgerRows, RequirementAnswer
from stemma_evidence import language_of
from stemma_evidence.requirements import Answer, Answers

from .confined import Check, checked
from .files import Files
from .given import Given


class AnswersCheck(Check[dict[str, Answer]]):
    name: ClassVar = "answers check"

    text: str
    language: str
    rows: tuple[LedgerRow, ...]
    wanted: frozenset[str]
    buyers: tuple[str, ...] = ()

    @property
    def characters(self) -> int:
        return len(self.text) + sum(map(len, self.buyers)) + sum(len(row.quote) for row in self.rows)

    @property
    def unknown(self) -> int:
        """The draft and the rows that it may answer: of the others only the words are counted."""
        return len(self.text) + sum(len(row.quote) for row in self.rows if row.requirement_id in self.wanted)

    def run(self) -> dict[str, Answer]:
        answers = Answers(self.text, self.language, self.rows, self.buyers)
        found = {row.requirement_id: answers.answer_to(row) for row in self.rows if row.requirement_id in self.wanted}
        return {name: answer for name, answer in found.items() if answer is not None}


async def answers_in(
    job: ValidateDraft,
    text: str,
    given: Sequence[Given],
    blocks: BlockIndex | None,
    files: Files,
    limits: Limits,
) -> AnswersFound | None:
    """The blocks that answer the rows of a job, None if nobody can tell; raises `ValidationImpossible` past limits."""
    if job.ledger is None or blocks is None or (ledger := await files.body(job.ledger, LedgerRows)) is None:
        return None
    found = dict[str, Answer]()
    if job.requirements:
        language = language_of(text, job.document.language or "en")
        wanted = frozenset(job.requirements)
        check = AnswersCheck(
            text=text, language=language, rows=ledger.rows, wanted=wanted, buyers=tuple(_of_the_buyer(job, given))
        )
        found = await checked(check, limits)
    answered = tuple(
        RequirementAnswer(requirement_id=name, block_id=_block_at(blocks, answer.start), sure=answer.sure)
        for name, answer in found.items()
    )
    return AnswersFound(rows_digest=job.ledger.digest, sought=job.requirements, found=answered)


def _of_the_buyer(job: ValidateDraft, given: Sequence[Given]) -> Iterator[str]:
    requests = {one.input_id for one in job.inputs if one.role == "request"} | {BRIEF}
    return (one.text for one in given if one.input_id in requests and one.text)


def _block_at(blocks: BlockIndex, place: int) -> str:
    starts = [block.start for block in blocks.blocks]
    return blocks.blocks[max(0, bisect_right(starts, place) - 1)].block_id
