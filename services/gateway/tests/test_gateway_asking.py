"""Questions of agents on the desk, in a real Chromium."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any
from uuid import uuid4

import pytest
from playwright.async_api import Browser, expect
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.needs import MissingReference, Need
from stemma_contracts.v1.references import InputFile, UploadRef
from stemma_contracts.v1.requests import AnswerNeed
from stemma_testkit.backstage import Backstage
from stemma_testkit.browser import opened, violations
from stemma_testkit.document_events import document_requested

from .desk_pages import section, signed_in

pytestmark = pytest.mark.asyncio(loop_scope="session")
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
    scheme: Any, browser: Browser, address: str, bus: Backstage, token: Callable[..., str]
) -> None:
    document_id = f"{scheme}{id(bus)}"
    await asked(bus, document_id, "Images are missing.", kind="upload", references=MISSING)
    size: Any = {"width": 320, "height": 640}
    async with opened(browser, viewport=size, color_scheme=scheme) as page:
        await signed_in(page, address, token(), section(document_id))
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
    browser: Browser, address: str, bus: Backstage, token: Callable[..., str]
) -> None:
    document_id = uuid4().hex
    hostile = f"Which <script>document.title='run'</script> \u202e budget? {'x' * 100_000}"
    await asked(bus, document_id, hostile)
    bus.problems = (Problem(field="need_id", message="another question is open"),)
    async with opened(browser) as page:
        await signed_in(page, address, token(), f"{section(document_id)}/question")
        await expect(page.locator(".question")).to_contain_text("document.title='run'")
        await page.get_by_label("Your answer").fill("Ten thousand.")
        await page.get_by_role("button", name="Answer").click()
        await expect(page.get_by_role("alert")).to_contain_text("another question is open")
        await expect(page.get_by_label("Your answer")).to_have_value("Ten thousand.")
        bus.problems, bus.received = (), []
        await page.get_by_role("button", name="Answer").click()
        await expect(page.get_by_role("status").first).to_contain_text("Answer")
    [(_, request)] = bus.received
    assert isinstance(request, AnswerNeed)
    assert (request.answer, request.decisions) == ("Ten thousand.", {})


@pytest.mark.req("H2")
async def test_of_the_only_answers_that_are_understood_one_is_chosen_and_what_fits_no_form_is_shown_as_it_is(
    browser: Browser, address: str, bus: Backstage, token: Callable[..., str]
) -> None:
    document_id = uuid4().hex
    await asked(bus, document_id, "May it?", forms=("yes", "no"))
    async with opened(browser, java_script_enabled=False) as page:
        await signed_in(page, address, token(), f"{section(document_id)}/question")
        await page.get_by_label("no", exact=True).check()
        await page.get_by_role("button", name="Answer").click()
        await expect(page.get_by_role("status").first).to_contain_text("Answer")
        await asked(bus, other := f"{document_id}x", "?", kind="conversion", format="docx")
        await page.goto(f"{address}{section(other)}/question")
        await expect(page.get_by_text("A service answers this")).to_be_visible()
        await expect(page.locator("pre")).to_contain_text('"kind": "conversion"')
    [(_, request)] = bus.received
    assert isinstance(request, AnswerNeed)
    assert request.answer == "no"
