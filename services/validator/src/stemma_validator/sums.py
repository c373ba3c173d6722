"""Whether the sums of a draft are right: in its tables, under the ceiling of the request, against other sections."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from stemma_confinement import Limits
from stemma_contracts.v1.inputs import BRIEF
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_contracts.v1.validation import ValidationIssue
from stemma_evidence import SumFinding, ceilings_of, language_of, may_have_sums, sum_findings, sums_of

from .confined import Check, checked
from .files import Files
from .given import Given
from .report import Rule

Named = tuple[str, str]
"""The name of a text, and the text."""


class SumsCheck(Check[list[ValidationIssue]]):
    name: ClassVar = "sums check"

    section_id: str
    text: str
    language: str
    asked: tuple[Named, ...] = ()
    known: tuple[str, ...] = ()
    others: tuple[Named, ...] = ()

    @property
    def characters(self) -> int:
        return len(self.text) + sum(len(text) for _, text in (*self.asked, *self.others))

    def run(self) -> list[ValidationIssue]:
        ceilings = [
            (name, most) for name, text in self.asked for most in ceilings_of(text, language_of(text, self.language))
        ]
        others = [(name, sums_of(text, self.language)) for name, text in self.others]
        found = sum_findings(sums_of(self.text, self.language), ceilings, others, self.known)
        return [self._issue(one) for one in found]

    def _issue(self, one: SumFinding) -> ValidationIssue:
        line, found, other = one.found.line, str(one.found), str(one.other)
        match one.kind:
            case "differs":
                return Rule.SUM_DIFFERS.coded(line, "sum_differs", stated=found, made=other)
            case "over":
                at: dict[str, str | int] = {"source": one.where, "line": one.other.line}
                return Rule.SUM_OVER.coded(line, "sum_over", total=found, most=other, **at)
            case "elsewhere":
                section = one.where or self.section_id
                return Rule.SUM_ELSEWHERE.coded(line, "sum_elsewhere", here=found, there=other, section_id=section)


async def sums_in(
    job: ValidateDraft, text: str, given: Sequence[Given], files: Files, limits: Limits
) -> list[ValidationIssue]:
    """An issue for each sum of a section that is wrong; an excerpt and the answers to a form have none of their own."""
    if job.excerpt or job.section.form or not given or not may_have_sums(text):
        return []
    asked = {item.input_id for item in job.inputs if item.role == "request"} | {BRIEF}
    others = [(one.section_id, await files.text(one.draft)) for one in job.others]
    check = SumsCheck(
        section_id=job.section.section_id,
        text=text,
        language=job.document.language or "en",
        asked=tuple(_named(one for one in given if one.input_id in asked)),
        known=tuple(one.text for one in given if one.text),
        others=tuple((name, other) for name, other in others if other and may_have_sums(other)),
    )
    return await checked(check, limits)


def _named(given: Iterator[Given]) -> Iterator[Named]:
    return ((one.name, one.text) for one in given if one.text)
