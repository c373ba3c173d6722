"""The editor of the desk in a real Chromium: preview, images, drafts, and two people on one section."""

import gzip
import json
import re
from base64 import b64encode
from hashlib import sha256
from html import unescape
from importlib.resources import files
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Page, expect
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.capabilities import Capabilities, DocumentKind, KindSection
from stemma_contracts.v1.inputs import ChangedPart, InputChanges, InputDifference, InputReading
from stemma_contracts.v1.needs import MissingReference, Need
from stemma_contracts.v1.references import InputFile, UploadRef
from stemma_contracts.v1.requests import AnswerNeed, EditSection
from stemma_testkit.backstage import Backstage
from stemma_testkit.browser import violations
from stemma_testkit.document_events import document_requested, review_requested, section_drafted

from .desk_pages import NARROW, PNG, Desk, check, plain, requested, section

OURS, THEIRS = "# Research\n\nOur words.\n\nThe end.\n", "# Research\n\nTheir words.\n\nThe very end.\n"
BASE = "# Research\n\nOld words.\n\nThe end.\n"
EDITOR = Path(__file__).parents[1] / "editor"
DROP = """([target, name]) => {
  const given = new DataTransfer();
  given.items.add(new File([Uint8Array.from(atob(%r), each => each.charCodeAt(0))], name, {type: "image/png"}));
  const about = {dataTransfer: given, bubbles: true, cancelable: true, composed: true, clientX: 60, clientY: 400};
  target.dispatchEvent(new DragEvent("drop", about));
}"""


PASTE = """(target, text) => {
  const given = new DataTransfer();
  given.setData("text/plain", text);
  target.dispatchEvent(new ClipboardEvent("paste", {clipboardData: given, bubbles: true, cancelable: true}));
}"""


def editor(page: Page) -> Any:
    return page.locator(".cm-content")


async def write(page: Page, text: str) -> None:
    """Put a text in the place of the one in the editor, as a person does who pastes it."""
    await editor(page).focus()
    await page.keyboard.press("Control+a")
    await editor(page).evaluate(PASTE, text)


async def edited(bus: Backstage, document_id: str, text: str, version: int = 3) -> None:
    """Another version of the section, which waits for review."""
    draft = await bus.text(document_id, text)
    await bus.append(document_id, section_drafted("research", draft, version), review_requested("research", version))


def asked(bus: Backstage) -> list[EditSection]:
    return [request for _, request in bus.received if isinstance(request, EditSection)]


@pytest.mark.full
@pytest.mark.req("H2", "I5")
async def test_an_image_that_is_dropped_or_chosen_stands_in_the_text_and_goes_along_with_it(
    desk: Desk, bus: Backstage, document_id: str
) -> None:
    async with desk(f"{section(document_id)}/edit") as page:
        await write(page, "# Mine\n")
        name = "..\\\u202e our <b>plan.png"
        await editor(page).evaluate(f"(target, name) => ({DROP % b64encode(PNG).decode()})([target, name])", name)
        await expect(page.locator("[data-rendered] .picture")).to_contain_text("our-b-plan-")
        file: Any = {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"x"}
        await page.get_by_label("Images:").set_input_files(file)
        await expect(page.locator("[data-said]")).to_contain_text("a text shows PNG, JPEG, GIF and WebP")
        await page.get_by_role("button", name="Save as version 3").click()
        await expect(page.get_by_role("status").first).to_contain_text("Edit text")
    [request] = asked(bus)
    [image] = request.images
    assert f"]({image.name})" in str(request.text)
    assert (image.digest, image.media_type) == (sha256(PNG).hexdigest(), "image/png")


@pytest.mark.req("H2", "H5")
async def test_of_two_people_who_change_one_sentence_no_word_is_lost(
    desk: Desk, bus: Backstage, document_id: str
) -> None:
    await edited(bus, document_id, BASE)
    async with desk(f"{section(document_id)}/edit", viewport=NARROW) as page:
        await write(page, OURS)
        await edited(bus, document_id, THEIRS, version=4)
        bus.problems = (Problem(field="version", message="version 4 is current"),)
        await page.keyboard.press("Control+s")
        await expect(page.get_by_role("alert")).to_contain_text("version 4 is current")
        await expect(editor(page)).to_contain_text("Our words.")
        await expect(editor(page)).to_contain_text("The very end.")
        await expect(page.locator(".conflicts")).to_contain_text("Their words.")
        await check(page)
        await page.get_by_role("button", name="Use theirs").click()
        await expect(editor(page)).to_contain_text("Their words.")
        bus.problems = ()
        await page.get_by_role("button", name="Save as version 5").click()
        await expect(page.get_by_role("status").first).to_contain_text("Edit text")
    first, second = asked(bus)
    assert (first.version, first.text) == (3, OURS)
    assert (second.version, second.text) == (4, THEIRS)


@pytest.mark.req("H2", "H5")
async def test_a_draft_survives_a_closed_tab_and_is_merged_into_what_came_meanwhile(
    desk: Desk, address: str, bus: Backstage, document_id: str
) -> None:
    await edited(bus, document_id, BASE)
    here = f"{address}{section(document_id)}/edit"
    async with desk(f"{section(document_id)}/edit") as page:
        await write(page, OURS.replace("The end.", "The end, mine."))
        await expect(page.locator("[data-rendered]")).to_contain_text("The end, mine.")
        beside = await page.context.new_page()
        await beside.goto(here)
        await write(page, OURS.replace("The end.", "The end, mine. "))
        await expect(beside.locator("[data-said]")).to_contain_text("You write this section in another tab too")
        await beside.close()
        await page.close()
        await edited(bus, document_id, THEIRS, version=4)
        again = await page.context.new_page()
        await again.goto(here)
        await expect(editor(again)).to_contain_text("The end, mine.")
        await expect(again.get_by_text("Your unsaved draft was restored.")).to_be_visible()
        await again.get_by_role("button", name="Merge into your text").click()
        await expect(again.locator(".conflicts")).to_contain_text("Their words.")
        await again.goto(here)
        await expect(editor(again)).to_contain_text("The end, mine.")
        await again.get_by_role("button", name="Discard the draft").click()
        await expect(editor(again)).to_contain_text("The very end.")
        await again.reload()
        await expect(editor(again)).to_contain_text("The very end.")
        await expect(again.get_by_text("Your unsaved draft was restored.")).to_be_hidden()


@pytest.mark.req("H2", "H4", "H5")
async def test_without_scripts_a_plain_field_does_the_same(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    here, picture = f"{section(document_id)}/edit", {"picture": ("our plan.png", PNG, "image/png")}
    http.follow_redirects = True
    assert '<textarea id="text" name="text"' in (await http.get(here)).text
    looked = (await http.post(f"{here}/look", data={"version": "2", "text": "# Mine\n"}, files=picture)).text
    [kept] = re.findall('name="image" value="([^"]*)"', looked)
    text = unescape(looked.partition('<textarea id="text"')[2].partition(">\n")[2].partition("</textarea>")[0])
    form = {"version": "2", "text": text, "image": unescape(kept)}
    saved = await http.post(here, data=form, files={"picture": ("", b"")})
    assert re.search(r"data-rendered><h2[^>]*>(<[^>]*>)?Mine", looked)
    assert "Done: Edit text" in plain(saved.text)
    [request] = asked(bus)
    [image] = request.images
    assert request.text == f"# Mine\n\n![our plan]({image.name})\n"
    assert (image.digest, image.media_type) == (sha256(PNG).hexdigest(), "image/png")


@pytest.mark.req("H2")
@pytest.mark.parametrize(
    ("fields", "status", "said"),
    [
        ({"text": "x"}, 422, "version: this is no number of a version"),
        ({"text": "x", "version": "9"}, 422, "has no version 9"),
        ({"text": "x", "version": "2", "image": "{}"}, 422, "image: this names no upload"),
        ({"text": " \n", "version": "2"}, 422, "text"),
    ],
)
async def test_a_form_that_no_page_of_the_desk_sends_is_refused_in_words(
    http: httpx.AsyncClient, bus: Backstage, document_id: str, fields: Any, status: int, said: str
) -> None:
    bus.problems = (Problem(field="version", message="another one is current"),)
    answer = await http.post(f"{section(document_id)}/edit", data=fields, files={"picture": ("", b"")})
    plain = await http.post(f"{section(document_id)}/edit", data=fields)
    assert (answer.status_code, plain.status_code) == (status, 415)
    assert said in answer.text


@pytest.mark.req("H4")
@pytest.mark.parametrize("name", ["codemirror", "graph", "htmx"])
async def test_what_others_wrote_is_built_of_what_is_pinned_and_brings_its_licences(name: str) -> None:
    folder = files("stemma_gateway") / "desk" / "static"
    about = json.loads((folder / f"{name}.json").read_text())
    locked = json.loads((EDITOR / "npm-shrinkwrap.json").read_text())["packages"]
    assert sha256((folder / f"{name}.js").read_bytes()).hexdigest() == about["sha256"]
    assert {each: locked[f"node_modules/{each}"]["version"] for each in about["packages"]} == about["packages"]
    licences = (folder / f"{name}.LICENSE.txt").read_text()
    assert all(f"{each} {version}\n" in licences for each, version in about["packages"].items())


@pytest.mark.req("H4")
async def test_all_scripts_but_the_editor_have_less_than_sixty_kilobytes() -> None:
    scripts = [file for file in (files("stemma_gateway") / "desk" / "static").iterdir() if file.name.endswith(".js")]
    sizes = {file.name: len(gzip.compress(file.read_bytes())) for file in scripts}
    assert sizes.pop("codemirror.js") > 60_000
    of_the_map = sizes.pop("graph.js")
    assert of_the_map + sizes["htmx.js"] < 40_000
    assert sum(sizes.values()) < 60_000


@pytest.mark.req("H2", "S8")
async def test_the_name_of_a_draft_becomes_no_header(http: httpx.AsyncClient, bus: Backstage, document_id: str) -> None:
    form, key = {"text": "# Mine", "version": "2", "draft": "a\r\nX-Odd: 1"}, {"Idempotency-Key": "one"}
    sent = await http.post(f"{section(document_id)}/edit", data=form, files={"picture": ("", b"")}, headers=key)
    assert sent.status_code == 204, sent.text
    assert ("x-odd" in sent.headers, "draft=a%0AX-Odd%3A%201" in sent.headers["location"]) == (False, True)


CSV, PLAIN = "text/csv", "text/plain"
KIND = DocumentKind(
    kind="proposal",
    title="Proposal",
    description="An answer to a request.",
    sections=(
        KindSection(section_id="research", title="Research", graph="section", needs_input=("application/pdf", CSV)),
    ),
)


@pytest_asyncio.fixture(loop_scope="session")
async def kinds(bus: Backstage) -> None:
    """What the orchestrator tells of itself at its start."""
    told = Capabilities(kinds=(KIND,)).model_dump_json().encode()
    await bus.js.publish("$KV.capabilities.orchestrator", told)


async def amended(bus: Backstage, document_id: str, name: str) -> str:
    """An input of which a version is staged, as the orchestrator and the reader tell of it."""
    old, new = [await bus.text(document_id, text) for text in ("# Terms\n\nTen weeks.\n", "# Terms\n\nTwelve weeks.\n")]
    part = ChangedPart(before="Ten weeks.", after="Twelve <b>weeks</b>.", heading="Terms", line=3)
    changes = await bus.text(document_id, InputChanges(changed=(part,)).model_dump_json())
    about: dict[str, Any] = {"input_id": "input-9", "job_id": "j9", "version": 2}
    await bus.append(
        document_id,
        e.DocumentInputAdded(input_id="input-9", file=InputFile(name=name, artifact=old), to_read=False),
        e.DocumentInputReplaced(input_id="input-9", version=2, artifact=new, staged=True),
        e.DocumentInputRead(
            **about, reading=InputReading(text=new), difference=InputDifference(changes=changes, blocks=1, parts=())
        ),
    )
    return f"/desk/documents/{document_id}/inputs/input-9"


def file(name: str, content: bytes = b"x", kind: str = PLAIN) -> Any:
    return {"name": name, "mimeType": kind, "buffer": content}


@pytest.mark.req("H2", "H5", "I1")
async def test_a_document_is_asked_for_with_its_brief_and_files_of_each_role(
    http: httpx.AsyncClient, bus: Backstage, kinds: None, document_id: str
) -> None:
    page = (await http.get("/desk/new")).text
    assert "Research needs one of: PDF, CSV" in plain(page)
    typed = {"kind": "proposal", "title": "Garden", "brief": "# Garden\n\nA small one.\n"}
    given: Any = [
        ("evidence", ("plan.csv", b"a;b", CSV)),
        ("evidence", ("notes.txt", b"x", PLAIN)),
        ("request", ("rfp.pdf", b"%PDF", "application/pdf")),
    ]
    bus.problems = (Problem(field="kind", message="there is no such kind now"),)
    refused = (await http.post("/desk/new", data=typed, files=given)).text
    assert "there is no such kind now" in refused.partition('role="alert"')[2]
    assert typed["brief"] in unescape(refused)
    kept = [unescape(each) for each in re.findall(r'name="kept" value="([^"]+)"', refused)]
    bus.problems, bus.received = (), []
    wanted = [each for each in kept if "notes.txt" not in each]
    taken = await http.post("/desk/new", data={**typed, "kept": wanted}, files={"none": ("", b"")})
    assert "/documents/new-document/reading" in taken.headers["location"]
    asked = requested(bus, r.CreateDocument)
    assert (asked.kind, asked.title, asked.brief) == ("proposal", "Garden", "# Garden\n\nA small one.\n")
    assert {(one.name, one.role, one.digest) for one in asked.inputs} == {
        ("plan.csv", "evidence", sha256(b"a;b").hexdigest()),
        ("rfp.pdf", "request", sha256(b"%PDF").hexdigest()),
    }


@pytest.mark.req("H2", "H5")
async def test_an_amendment_is_shown_at_the_words_with_what_it_concerns_before_it_counts(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    name = "terms <i>\u200f.md"
    one = await amended(bus, document_id, name)
    sent: Any = {"file": (name, b"Twelve weeks.", PLAIN)}
    http.follow_redirects = True
    shown = await http.post(f"/desk/documents/{document_id}/inputs", data={"role": "evidence"}, files=sent)
    applied = await http.post(f"{one}/apply", data={"version": "2"}, files={"file": ("", b"")})
    given = await http.post(f"{one}/role", data={"version": "1", "role": "internal"}, files={"file": ("", b"")})
    said = {"version": "1", "passage": "We paid 9."}
    marked = await http.post(f"{one}/confidential", data=said, files={"file": ("", b"")})
    again = await http.post(f"{one}/unmark", data=said, files={"file": ("", b"")})
    assert shown.url.path == one
    words = shown.text.partition('class="at-words"')[2].partition("</p>")[0]
    assert re.search("<del>Ten.*<ins>Twelve &lt;b&gt;weeks", words)
    assert "They become stale. Nothing is rewritten by that." in shown.text
    assert "it counts from now on" in plain(applied.text)
    staged, counting, role, passage, back = [request for _, request in bus.received]
    assert "the passage is never quoted" in plain(marked.text)
    assert isinstance(passage, r.MarkConfidential)
    assert (passage.input_id, passage.passage, passage.taken_back) == ("input-9", "We paid 9.", False)
    assert "the passage may be quoted again" in plain(again.text)
    assert isinstance(back, r.MarkConfidential)
    assert (back.passage, back.taken_back) == ("We paid 9.", True)
    assert "its role is changed" in plain(given.text)
    assert isinstance(role, r.SetInputRole)
    assert (role.input_id, role.version, role.role) == ("input-9", 1, "internal")
    assert isinstance(staged, r.ReplaceInput)
    assert (staged.input_id, staged.version, staged.staged) == ("input-9", 1, True)
    assert isinstance(counting, r.ApplyInput)
    assert (counting.input_id, counting.version) == ("input-9", 2)


@pytest.mark.req("H2")
@pytest.mark.parametrize(("name", "said"), [("a:b.md", "rename the file"), ("a\u202eb.md", "U+202E")])
async def test_a_file_whose_name_no_document_takes_is_refused_in_words(
    http: httpx.AsyncClient, bus: Backstage, kinds: None, document_id: str, name: str, said: str
) -> None:
    form = {"kind": "proposal", "brief": "Words."}
    new = await http.post("/desk/new", data=form, files={"evidence": (name, b"x", PLAIN)})
    here = f"/desk/documents/{document_id}/inputs"
    amendment = await http.post(here, data={"role": "evidence"}, files={"file": (name, b"x", PLAIN)})
    assert [new.status_code, amendment.status_code] == [422, 422]
    assert said in new.text
    assert said in amendment.text
    assert bus.received == []


@pytest.mark.req("H2")
async def test_a_form_that_lacks_something_says_what(http: httpx.AsyncClient, bus: Backstage, kinds: None) -> None:
    empty: Any = {"evidence": ("", b"")}
    none = await http.post("/desk/new", data={"kind": "proposal", "brief": " "}, files=empty)
    bad: Any = {"brief_file": ("brief.md", b"\xff\xfe\x00", "text/markdown")}
    unreadable = await http.post("/desk/new", data={"kind": "proposal"}, files=bad)
    nobody = await http.post("/desk/new", data={"kind": "a b", "brief": "Words."}, files=empty)
    assert [one.status_code for one in (none, unreadable, nobody)] == [422, 422, 422]
    assert "brief: write it, or choose its file, and not both" in none.text
    assert "brief: the file is not UTF-8 text" in unreadable.text
    assert "kind" in nobody.text


NO_FILE: Any = {"file": ("", b"")}
GIVEN = "media/<b>plan</b>.png"
MISSING = tuple(MissingReference(reference=name, file="rfp.md") for name in (GIVEN, "logo.png", "map.png"))


async def question_asked(bus: Backstage, document_id: str, words: str, **about: Any) -> None:
    """A document whose first section waits for an answer, and that has an image among its inputs."""
    question = await bus.text(document_id, words)
    picture = (await bus.text(document_id, "x")).model_copy(update={"media_type": "image/png", "name": "there.png"})
    requested = document_requested().model_copy(update={"inputs": (InputFile(name="there.png", artifact=picture),)})
    need = Need(**{"need_id": "n1", "kind": "question", "checkpoint_id": "c1", "question": question, **about})
    raised = e.SectionNeedRaised(section_id="research", job_id="j1", thread_id="t1", need=need)
    await bus.append(document_id, requested, raised)


@pytest.mark.req("H2", "H4", "H5")
async def test_each_missing_image_is_uploaded_left_out_or_taken_from_the_others(
    desk: Desk, bus: Backstage, document_id: str
) -> None:
    await question_asked(
        bus, document_id := f"{document_id}m", "Images are missing.", kind="upload", references=MISSING
    )
    async with desk(section(document_id), viewport=NARROW) as page:
        await page.keyboard.press("w")
        await page.wait_for_url("**/question")
        await check(page)
        image: Any = {"name": "our plan.png", "mimeType": "image/png", "buffer": b"png"}
        await page.get_by_label("Or a new image").first.set_input_files(image)
        await page.get_by_label("Decide").nth(2).select_option("there.png")
        await page.get_by_role("button", name="Answer").click()
        await expect(page.get_by_role("status").first).to_contain_text("Answer")
    request = requested(bus, AnswerNeed)
    uploaded = request.decisions[GIVEN]
    assert isinstance(uploaded, UploadRef)
    assert (request.need_id, uploaded.digest) == ("n1", sha256(b"png").hexdigest())
    assert (request.decisions["logo.png"], request.decisions["map.png"]) == ("skip", "there.png")


@pytest.mark.req("H2", "H5")
async def test_a_question_in_words_is_answered_and_what_is_refused_is_still_there(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    hostile = f"Which <script>document.title='run'</script> \u202e budget? {'x' * 100_000}"
    await question_asked(bus, document_id := f"{document_id}x", hostile)
    bus.problems = (Problem(field="need_id", message="another question is open"),)
    here, form = f"{section(document_id)}/question", {"need_id": "n1", "answer": "Ten thousand."}
    http.follow_redirects = True
    assert "&lt;script&gt;document.title=" in (await http.get(here)).text
    refused = await http.post(here, data=form, files=NO_FILE)
    bus.problems, bus.received = (), []
    done = await http.post(here, data=form, files=NO_FILE)
    assert "another question is open" in refused.text.partition('role="alert">')[2]
    assert 'dir="auto">\nTen thousand.</textarea>' in refused.text
    assert "Done: Answer" in plain(done.text)
    request = requested(bus, AnswerNeed)
    assert (request.answer, request.decisions) == ("Ten thousand.", {})


@pytest.mark.req("H2")
async def test_of_the_only_answers_that_are_understood_one_is_chosen_and_what_fits_no_form_is_shown_as_it_is(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    await question_asked(bus, document_id := f"{document_id}y", "May it?", forms=("yes", "no"))
    await question_asked(bus, other := f"{document_id}z", "?", kind="conversion", format="docx")
    here = f"{section(document_id)}/question"
    choices, shown = [(await http.get(path)).text for path in (here, f"{section(other)}/question")]
    await http.post(here, data={"need_id": "n1", "answer": "no"}, files=NO_FILE)
    assert re.findall('type="radio" [^>]*name="answer" value="([^"]*)"', choices) == ["yes", "no"]
    assert ("A service answers this" in shown, '<form class="wide"' in shown) == (True, False)
    assert '"kind": "conversion"' in unescape(shown)
    request = requested(bus, AnswerNeed)
    assert request.answer == "no"


@pytest.mark.req("H2", "H5")
async def test_the_editor_shows_what_differs_from_the_version_within_the_text_or_beside_it_and_formats(
    desk: Desk, bus: Backstage, document_id: str
) -> None:
    await edited(bus, document_id, BASE)
    async with desk(f"{section(document_id)}/edit") as page:
        await write(page, OURS)
        await page.get_by_label("Show as").select_option("Inline")
        await expect(page.locator(".cm-deletedChunk").first).to_be_visible()
        assert await violations(page) == []
        await page.get_by_label("Show as").select_option("Side by side")
        await expect(page.locator(".cm-merge-b .cm-changedLine").first).to_be_visible()
        assert await violations(page) == []
        await edited(bus, document_id, THEIRS, version=4)
        await page.get_by_role("button", name="Compare with yours").click()
        await expect(page.locator(".cm-merge-a")).to_contain_text("Their words.")
        await page.locator(".cm-merge-revert button").first.click()
        await page.get_by_label("Show as").select_option("Text")
        await expect(editor(page)).to_contain_text("Their words.")
        await write(page, "plain")
        await page.keyboard.press("Control+a")
        for name in ("Bold", "Numbered list", "Table", "Table"):
            await page.get_by_role("button", name=name).click()
        await page.get_by_role("button", name="Save as version 4").click()
        await expect(page.get_by_role("status").first).to_contain_text("Edit text")
        await versions_compared(page)
    table = "| Column | Column |\n| --- | --- |\n|   |   |\n|   |   |\n"
    assert asked(bus)[-1].text == f"1. **plain**\n\n{table}"


async def versions_compared(page: Page) -> None:
    """Any two versions are compared, side by side or inline."""
    await page.get_by_label("From version").select_option("3")
    await page.get_by_label("to version").select_option("4")
    await page.get_by_role("button", name="Compare").click()
    await expect(page.get_by_role("heading", name="Version 3 beside version 4")).to_be_visible()
    await page.get_by_label("Show as").select_option("Side by side")
    await expect(page.locator(".cm-merge-b .cm-changedLine").first).to_be_visible()
    await page.get_by_label("Show as").select_option("Inline")
    await expect(page.locator(".cm-deletedChunk").first).to_be_visible()
    assert await violations(page) == []
    await page.route("**/versions/3/text", lambda route: route.fulfill(status=503), times=1)
    await page.get_by_label("Show as").select_option("Side by side")
    unread = page.get_by_text("One of the versions could not be loaded")
    await expect(unread).to_be_visible()
    assert await page.locator(".cm-editor").count() == 0, "nothing looks as if all of it were new"
    await page.get_by_label("Show as").select_option("Inline")
    await expect(page.locator(".cm-deletedChunk").first).to_be_visible()
    await expect(unread).to_be_hidden()
