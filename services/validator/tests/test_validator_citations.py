"""Which places of inputs a draft rests on and cites, by the handler of the validator."""

import pytest
from stemma_contracts.v1.inputs import Anchor
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_languages import language, shipped

from .conftest import HEAD, Desk

REQUEST = "# Rent\n\nThe hall costs EUR 4,250 a month.\n\n# Time\n\nIt opens on 1 June 2027 for 412 children.\n"
BRIEF = "# Task\n\nA person answers at night, also by telephone.\n"
CLEAN = "# Budget\n\nThe hall costs EUR 4,250 a month. A person answers at night.\n\n- It opens on 1 June 2027.\n"


async def job(desk: Desk, draft: str, tag: str = "en") -> ValidateDraft:
    """A document with a PDF as its input and a DOCX as its brief."""
    pages = [Anchor(offset=at, kind="page", label=f"p. {n}") for n, at in ((1, 0), (2, REQUEST.index("# Time")))]
    heading = Anchor(offset=0, kind="heading", label="Task")
    brief = await desk.input(BRIEF, "task.docx", heading, input_id="brief")
    rfq = await desk.input(REQUEST, "rfq.pdf", *pages, input_id="input-1")
    document = HEAD.model_copy(update={"language": tag})
    return await desk.job(draft, document=document, brief=brief.artifact, brief_file=brief, inputs=(rfq,))


@pytest.mark.req("I3")
async def test_each_sentence_that_rests_on_an_input_is_told_with_its_place(desk: Desk) -> None:
    report = await desk.grounding(await desk.handled(await job(desk, CLEAN)))
    told = [(CLEAN[one.start : one.end], [(p.name, p.label) for p in one.places]) for one in report.cited]
    assert told == [
        ("The hall costs EUR 4,250 a month.", [("rfq.pdf", "p. 1")]),
        ("A person answers at night.", [("task.docx", "Task")]),
        ("It opens on 1 June 2027.", [("rfq.pdf", "p. 2")]),
    ]
    assert report.draft is not None
    places = [(claim.text, claim.sources[0].place) for claim in report.claims]
    assert places == [("EUR 4,250", "p. 1"), ("1 June 2027", "p. 2")]


@pytest.mark.req("T9")
async def test_a_page_that_does_not_exist_or_says_something_else_is_a_finding_and_a_right_one_is_none(
    desk: Desk,
) -> None:
    draft = "# Budget\n\nThe hall costs EUR 4,250 a month (rfq.pdf, p. 2).\n\nIt opens in June (rfq.pdf, p. 77).\n"
    outcome = await desk.handled(await job(desk, f"{draft}\nIt opens on 1 June 2027 (rfq.pdf, p. 2).\n"))
    assert outcome.validation.rules == {"grounding/citation": 2}
    assert outcome.validation.unsupported == {"citation": 2}
    assert [issue.message for issue in (await desk.report(outcome)).issues] == [
        "The place that is cited does not say it, but rfq.pdf, p. 1 does: rfq.pdf, p. 2",
        "What is cited has no such place: rfq.pdf, p. 77",
    ]


@pytest.mark.req("I3", "T5")
async def test_a_page_is_recognised_as_each_language_writes_it(desk: Desk) -> None:
    for tag in shipped():
        cited = language(tag).place("page", "p. 77")
        outcome = await desk.handled(await job(desk, f"# Budget\n\nX (rfq.pdf, {cited}).\n", tag))
        assert outcome.validation.unsupported.get("citation") == 1, cited
