"""Questions of agents on the desk, in a real Chromium."""

from __future__ import annotations

import re
from hashlib import sha256
from html import unescape
from typing import Any

import httpx
import pytest
from playwright.async_api import expect
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.needs import MissingReference, Need
from stemma_contracts.v1.references import InputFile, UploadRef
from stemma_contracts.v1.requests import AnswerNeed
from stemma_testkit.backstage import Backstage
from stemma_testkit.browser import violations
from stemma_testkit.document_events import document_requested

from .conftest import Caller
from .desk_pages import Desk, plain, section

pytestmark = pytest.mark.asyncio(loop_scope="session")
NO_FILE: Any = {"file": ("", b"")}
GIVEN = "media/<b>plan</b>.png"
MISSING = tuple(MissingReference(reference=name, file="rfp.md") for name in (GIVEN, "logo.png", "map.png"))


async def asked(bus: Backstage, document_id: str, words: str, **about: Any) -> None:
    """A document whose first section waits for an answer, and that has an image among its inputs."""
    question = await bus.text(document_id, words)
    picture = (await bus.text(document_id, "x")).model_copy(update={"media_type": "image/png", "name": "there.png"})
    requested = document_requested().model_copy(update={"inputs": (InputFile(name="there.png", artifact=picture),)})
    need = Need(**{"need_id": "n1", "kind": "question", "checkpoint_id": "c1", "question": question, **about})
    raised = e.SectionNeedRaised(section_id="research", job_id="j1", thread_id="t1", need=need)
    await bus.append(document_id, requested, raised)


@pytest.mark.req("H2", "H4", "H5")
@pytest.mark.parametrize("scheme", ["dark", pytest.param("light", marks=pytest.mark.full)])
async def test_each_missing_image_is_uploaded_left_out_or_taken_from_the_others(
    desk: Desk, scheme: Any, bus: Backstage
) -> None:
    document_id = f"{scheme}{id(bus)}"
    await asked(bus, document_id, "Images are missing.", kind="upload", references=MISSING)
    size: Any = {"width": 320, "height": 640}
    async with desk(section(document_id), viewport=size, color_scheme=scheme) as page:
        await page.keyboard.press("w")
        await page.wait_for_url("**/question")
        assert await violations(page) == []
        assert await page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        image: Any = {"name": "our plan.png", "mimeType": "image/png", "buffer": b"png"}
        await page.get_by_label("Or a new image").first.set_input_files(image)
        await page.get_by_label("Decide").nth(2).select_option("there.png")
        await page.get_by_role("button", name="Answer").click()
        await expect(page.get_by_role("status").first).to_contain_text("Answer")
    [(_, request)] = bus.received
    assert isinstance(request, AnswerNeed)
    uploaded = request.decisions[GIVEN]
    assert isinstance(uploaded, UploadRef)
    assert (request.need_id, uploaded.digest) == ("n1", sha256(b"png").hexdigest())
    assert (request.decisions["logo.png"], request.decisions["map.png"]) == ("skip", "there.png")


@pytest.mark.req("H2", "H5")
async def test_a_question_in_words_is_answered_and_what_is_refused_is_still_there(
    address: str, caller: Caller, bus: Backstage, document_id: str
) -> None:
    hostile = f"Which <script>document.title='run'</script> \u202e budget? {'x' * 100_000}"
    await asked(bus, document_id := f"{document_id}x", hostile)
    bus.problems = (Problem(field="need_id", message="another question is open"),)
    here, form = f"{section(document_id)}/question", {"need_id": "n1", "answer": "Ten thousand."}
    async with caller(address, follow_redirects=True) as http:
        assert "&lt;script&gt;document.title=" in (await http.get(here)).text
        refused = await http.post(here, data=form, files=NO_FILE)
        bus.problems, bus.received = (), []
        done = await http.post(here, data=form, files=NO_FILE)
    assert "another question is open" in refused.text.partition('role="alert">')[2]
    assert 'dir="auto">\nTen thousand.</textarea>' in refused.text
    assert "Done: Answer" in plain(done.text)
    [(_, request)] = bus.received
    assert isinstance(request, AnswerNeed)
    assert (request.answer, request.decisions) == ("Ten thousand.", {})


@pytest.mark.req("H2")
async def test_of_the_only_answers_that_are_understood_one_is_chosen_and_what_fits_no_form_is_shown_as_it_is(
    web: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    await asked(bus, document_id := f"{document_id}y", "May it?", forms=("yes", "no"))
    await asked(bus, other := f"{document_id}z", "?", kind="conversion", format="docx")
    here = f"{section(document_id)}/question"
    choices, shown = [(await web.get(path)).text for path in (here, f"{section(other)}/question")]
    await web.post(here, data={"need_id": "n1", "answer": "no"}, files=NO_FILE)
    assert re.findall('type="radio" [^>]*name="answer" value="([^"]*)"', choices) == ["yes", "no"]
    assert ("A service answers this" in shown, "<form class" in shown) == (True, False)
    assert '"kind": "conversion"' in unescape(shown)
    [(_, request)] = bus.received
    assert isinstance(request, AnswerNeed)
    assert request.answer == "no"
