"""A DOCX that comes back on the desk: what people did is shown, and what is ticked is taken over."""

import httpx
import pytest
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.requests import ApplyReturn, ReadReturn
from stemma_contracts.v1.returned import (
    ReturnedComment,
    ReturnedConflict,
    ReturnedDocument,
    ReturnedEdit,
    ReturnedSection,
)
from stemma_testkit.backstage import Backstage
from stemma_testkit.document_events import document_requested

from .conftest import PAGES
from .desk_pages import plain

pytestmark = pytest.mark.req("W2", "H2")
EDIT = ReturnedEdit(author="Bea <b>", before="It takes 12 weeks.\n", after="It takes 10 weeks.\n")
BOTH = ReturnedConflict(base="It takes 12 weeks.", file="It takes 10 weeks.", document="It takes 14 weeks.")
COMMENT = ReturnedComment(comment_id="4", author="Carl", text="Is <i>that</i> so?", quote="12 weeks")
FOUND = ReturnedDocument(
    sections=(
        ReturnedSection(section_id="research", version=1, now=1, edits=(EDIT,), merged=(EDIT,), comments=(COMMENT,)),
        ReturnedSection(section_id="solution", version=1, now=2, edits=(EDIT,), merged=(EDIT,), conflicts=(BOTH,)),
    ),
    around=("Our <u>cover</u>",),
)


async def prepare(bus: Backstage, document_id: str) -> None:
    """A document of which a file came back."""
    file = await bus.text(document_id, "file")
    asked = e.ReturnRequested(return_id="return-2", file=file, versions=file)
    await bus.append(document_id, document_requested(), asked)
    await bus.list_research(document_id)
    bus.accepted = {"return_id": "return-2"}


async def read(bus: Backstage, document_id: str) -> str:
    found = await bus.text(document_id, FOUND.model_dump_json())
    await bus.append(document_id, e.ReturnRead(return_id="return-2", job_id="j", found=found))
    return found.digest


async def test_a_file_is_sent_and_what_is_ticked_of_it_is_taken_over(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    here = f"/desk/documents/{document_id}/returns"
    files = {"file": ("back.docx", b"PK", "application/octet-stream")}
    waits = await http.post(here, files=files, headers=PAGES, follow_redirects=True)
    assert "It is being read." in plain(waits.text)
    digest = await read(bus, document_id)
    page = (await http.get(f"{here}/return-2", headers=PAGES)).text
    for words in ("Bea <b>", "Is <i>that</i> so?", "Our <u>cover</u>", "It takes 14 weeks.", "has version 2 since"):
        assert words in plain(page)
    assert not {"<b>", "<i>", "<u>"} & {tag for tag in ("<b>", "<i>", "<u>") if tag in page}
    assert 'name="section" value="research" checked' in page
    assert 'name="section" value="solution">' in page, "what both changed is not ticked"
    form = {"digest": (None, digest), "section": (None, "research"), "as-4": (None, "question")}
    bus.problems = (Problem.of("return_other_shown", "digest", return_id="return-2"),)
    refused = await http.post(f"{here}/return-2", files=form, headers=PAGES)
    assert "something else was shown" in plain(refused.text).replace("Something", "something")
    bus.problems = ()
    done = await http.post(f"{here}/return-2", files=form, headers=PAGES, follow_redirects=True)
    assert "Done: taken over" in plain(done.text)
    await bus.append(document_id, e.ReturnApplied(return_id="return-2", digest=digest, sections=("research",)))
    after = (await http.get(f"{here}/return-2", headers=PAGES)).text
    assert 'value="research"' not in after, "it is not taken over again"
    (_, sent), *_, (_, asked) = bus.received
    assert isinstance(sent, ReadReturn)
    assert sent.upload.name == "back.docx"
    assert isinstance(asked, ApplyReturn)
    assert (asked.digest, asked.sections, asked.comments_as) == (digest, ("research",), {"4": "question"})


async def test_why_a_file_is_of_no_use_is_told_and_one_that_is_missing_refused(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    here = f"/desk/documents/{document_id}/returns"
    why = Problem.of("return_of_another", name="the document d2")
    unread = e.ReturnUnread(return_id="return-2", job_id="j", detail=why.message, code=why.code, params=why.params)
    await bus.append(document_id, unread)
    for page in (here, f"{here}/return-2"):
        assert "of the document d2" in plain((await http.get(page, headers=PAGES)).text)
    assert (await http.post(here, files={"file": (None, "")}, headers=PAGES)).status_code == 422
    assert (await http.get(f"{here}/return-9", headers=PAGES)).status_code == 404
