"""Which places of inputs a draft rests on and cites, by the handler of the validator."""

from collections.abc import Awaitable, Callable

import pytest
from stemma_artifacts.store import ArtifactStore
from stemma_contracts.v1.grounding import GroundingReport
from stemma_contracts.v1.inputs import Anchor, Anchors
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_contracts.v1.outcomes import DraftValidated
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_contracts.v1.validation import ValidationReport
from stemma_languages import language, shipped
from stemma_validator.engines import RumdlEngine
from stemma_validator.handlers import on_validate_draft

from .conftest import DOCUMENT, TENANT, stored, tools_of

JobFor = Callable[..., Awaitable[ValidateDraft]]
REQUEST = "# Rent\n\nThe hall costs EUR 4,250 a month.\n\n# Time\n\nIt opens on 1 June 2027 for 412 children.\n"
BRIEF = "# Task\n\nA person answers at night, also by telephone.\n"
CLEAN = "# Budget\n\nThe hall costs EUR 4,250 a month. A person answers at night.\n\n- It opens on 1 June 2027.\n"


class Rooms:
    """A document with a PDF as its input and a DOCX as its brief."""

    def __init__(self, artifacts: ArtifactStore, engine: RumdlEngine, job_for: JobFor) -> None:
        self.artifacts, self.engine, self.job_for = artifacts, engine, job_for

    async def put(self, text: str, name: str, media_type: str = "text/markdown") -> ArtifactRef:
        return await self.artifacts.put(TENANT, DOCUMENT, text.encode(), media_type=media_type, name=name)

    async def file(self, name: str, input_id: str, text: str, *anchors: Anchor) -> InputFile:
        body = Anchors(anchors=anchors).model_dump_json()
        return InputFile(
            name=name,
            artifact=await self.put(text, "text.md"),
            input_id=input_id,
            anchors=await self.put(body, "anchors.json", "application/json"),
        )

    async def handled(self, draft: str, tag: str = "en") -> tuple[DraftValidated, GroundingReport]:
        second = REQUEST.index("# Time")
        pages = [Anchor(offset=at, kind="page", label=f"p. {n}") for n, at in ((1, 0), (2, second))]
        brief = await self.file("task.docx", "brief", BRIEF, Anchor(offset=0, kind="heading", label="Task"))
        job = await self.job_for(draft)
        job = job.model_copy(
            update={
                "document": job.document.model_copy(update={"language": tag}),
                "brief": brief.artifact,
                "brief_file": brief,
                "inputs": (await self.file("rfq.pdf", "input-1", REQUEST, *pages),),
            }
        )
        outcome = await on_validate_draft(job, tools=tools_of(self.artifacts, self.engine))
        return outcome, await stored(self.artifacts, outcome.validation.grounding, GroundingReport)

    async def messages(self, outcome: DraftValidated) -> list[str]:
        report = await stored(self.artifacts, outcome.validation.report, ValidationReport)
        return [issue.message for issue in report.issues]


@pytest.fixture
def rooms(rumdl: RumdlEngine, artifacts: ArtifactStore, job_for: JobFor) -> Rooms:
    return Rooms(artifacts, rumdl, job_for)


@pytest.mark.req("I3")
async def test_each_sentence_that_rests_on_an_input_is_told_with_its_place(rooms: Rooms) -> None:
    _, report = await rooms.handled(CLEAN)
    told = [(CLEAN[one.start : one.end], [(p.name, p.label) for p in one.places]) for one in report.cited]
    assert told == [
        ("The hall costs EUR 4,250 a month.", [("rfq.pdf", "p. 1")]),
        ("A person answers at night.", [("task.docx", "Task")]),
        ("It opens on 1 June 2027.", [("rfq.pdf", "p. 2")]),
    ]
    assert report.draft is not None
    assert [(claim.text, claim.sources[0].place) for claim in report.claims] == [
        ("EUR 4,250", "p. 1"),
        ("1 June 2027", "p. 2"),
    ]


@pytest.mark.req("T9")
async def test_a_page_that_does_not_exist_or_says_something_else_is_a_finding_and_a_right_one_is_none(
    rooms: Rooms,
) -> None:
    draft = "# Budget\n\nThe hall costs EUR 4,250 a month (rfq.pdf, p. 2).\n\nIt opens in June (rfq.pdf, p. 77).\n"
    draft += "\nIt opens on 1 June 2027 (rfq.pdf, p. 2).\n"
    outcome, _ = await rooms.handled(draft)
    assert outcome.validation.rules == {"grounding/citation": 2}
    assert outcome.validation.unsupported == {"citation": 2}
    assert await rooms.messages(outcome) == [
        "The place that is cited does not say it, but rfq.pdf, p. 1 does: rfq.pdf, p. 2",
        "What is cited has no such place: rfq.pdf, p. 77",
    ]


@pytest.mark.req("I3", "T5")
async def test_a_page_is_recognised_as_each_language_writes_it(rooms: Rooms) -> None:
    for tag in shipped():
        cited = language(tag).place("page", "p. 77")
        outcome, _ = await rooms.handled(f"# Budget\n\nX (rfq.pdf, {cited}).\n", tag)
        assert outcome.validation.unsupported.get("citation") == 1, cited
