"""Files are read by a job each, in a process of their own; what was read lies in the artifacts."""

from dataclasses import replace
from email.message import EmailMessage
from typing import Any

import pytest
import typst
from stemma_confinement import Limits, Stalled
from stemma_contracts import subjects
from stemma_contracts.v1.inputs import Anchors, DrawnPages, InputChanges, PageWords
from stemma_contracts.v1.jobs import ReadInput
from stemma_contracts.v1.outcomes import InputRead
from stemma_contracts.v1.references import ArtifactRef
from stemma_converter.handlers import routes
from stemma_converter.reading import Limits as FileLimits
from stemma_converter.reading_call import without
from stemma_converter.readings import Drawings
from stemma_markdown import parts
from stemma_messaging import WorkerBroker, WorkerSettings
from stemma_testkit.working import routed

WINDOWS = "Posten;Preis\nKühlschrank;2.750 €\nTräger;100\n".encode("cp1252")


async def job(exporter: Any, data: bytes, name: str, media_type: str, **more: Any) -> ReadInput:
    stored = await exporter.job("md", "# A\n")
    head = stored.document
    file = await exporter.store.put(head.tenant, head.document_id, data, media_type=media_type, name=name)
    about = {"job_id": "doc-1.1.read.input-1", "document": head, "input_id": "input-1", "version": 1}
    return ReadInput(**about, name=name, file=file, **more)


async def reading_of(exporter: Any, asked: ReadInput) -> InputRead:
    told = await exporter.tools.readings.read(asked)
    assert isinstance(told, InputRead)
    return told


async def text_of(exporter: Any, ref: ArtifactRef) -> str:
    data: bytes = await exporter.store.get("default", "doc-1", ref)
    return data.decode()


@pytest.mark.req("I1")
async def test_a_file_is_read_and_its_outcome_published(exporter: Any) -> None:
    broker = WorkerBroker(subjects.CONVERTER, WorkerSettings())
    broker.include_router(routes(lambda: exporter.tools))
    asked = await job(exporter, WINDOWS, "prices.csv", "text/csv")
    [(subject, told)] = await routed(broker, subjects.JOBS, subjects.job(subjects.CONVERTER, "read-input"), asked)
    assert subject == subjects.outcome(subjects.CONVERTER, "input-read")
    assert isinstance(told, InputRead)
    assert "| Kühlschrank | 2.750 € |" in await text_of(exporter, told.reading.text)


@pytest.mark.req("B1")
async def test_what_was_read_proposes_a_role_and_so_does_the_name_of_an_attachment(exporter: Any) -> None:
    message = EmailMessage()
    message["From"], message["To"], message["Date"] = "ada@example.org", "bo@example.org", "Mon, 2 Mar 2026 09:00 +0000"
    message.set_content("See the attachments.")
    for name in ("rfp.pdf", "costs.pdf"):
        message.add_attachment(name.encode(), maintype="application", subtype="pdf", filename=name)
    asked = await job(exporter, message.as_bytes(), "note.bin", "application/octet-stream")
    told = await reading_of(exporter, asked)
    assert told.reading.proposed_role == "internal"
    assert [(one.used_as, one.proposed) for one in told.children] == [("request", True), ("evidence", True)]


@pytest.mark.req("B1")
async def test_a_text_in_a_language_without_rules_is_internal_and_named(exporter: Any) -> None:
    text = "Wykonawca jest zobowiązany dostarczyć sprzęt w terminie podanym w specyfikacji. " * 9
    told = await reading_of(exporter, await job(exporter, text.encode("utf-16"), "a.txt", "text/plain"))
    assert told.reading.proposed_role == "internal"
    assert ("language_unknown", "'pl'" in told.reading.warnings[0].detail) == (told.reading.warnings[0].code, True)


@pytest.mark.req("B1")
async def test_what_is_confidential_is_left_out_and_nothing_else_moves(exporter: Any) -> None:
    text = "# Costs\n\nWe sell for 12. **We paid\nEUR 9,100**. It is late.\n\n| We paid EUR 9,100 | 1 |\n"
    store, head = exporter.store, (await exporter.job("md", "# A\n")).document
    passages = [
        await store.put(head.tenant, head.document_id, words.encode(), media_type="text/plain", name="passage.txt")
        for words in ("We paid EUR 9,100.", "Nobody said so.")
    ]
    asked = await job(exporter, text.encode(), "a.md", "text/markdown", is_text=True, confidential=tuple(passages))
    told = await reading_of(exporter, asked)
    left = await text_of(exporter, told.reading.text)
    assert (left.split(), len(left)) == ("# Costs We sell for 12. It is late. | | 1 |".split(), len(text))
    [warning] = told.reading.warnings
    assert (warning.code, "Nobody said so." in warning.detail) == ("confidential_missing", True)
    assert told.reading.text.media_type == "text/markdown"


@pytest.mark.req("B1")
@pytest.mark.parametrize(
    ("text", "passage", "left"),
    [
        ("最低価格は九千です。次", "価格は九千", "最低     です。次"),
        ("a a **a** b", "a a", "          b"),
    ],
)
def test_a_passage_is_left_out_wherever_its_words_stand_also_without_spaces(text: str, passage: str, left: str) -> None:
    assert without(text, passage) == left


@pytest.mark.req("I1", "S1")
async def test_a_place_that_is_cited_is_called_without_what_turns_its_direction(exporter: Any) -> None:
    page = "<h2>Prices \u202eexe.ylno</h2><p>Ten.</p><h2>\u200f(אב)\u200f</h2><p>Two.</p>".encode()
    told = await reading_of(exporter, await job(exporter, page, "a.html", "text/html"))
    assert told.reading.anchors is not None
    anchors = Anchors.model_validate_json(await text_of(exporter, told.reading.anchors)).anchors
    assert [one.label for one in anchors if one.kind == "heading"] == ["Prices exe.ylno", "\u200f(אב)\u200f"]


PAGE = b"<h2>Vaccines on wheels</h2><p>Ten clinics.</p>"


@pytest.mark.req("I1")
@pytest.mark.parametrize(("input_id", "content", "title"), [
    ("brief", PAGE, "Vaccines on wheels"),
    ("brief", b"<p>Ten clinics.</p>" * 30 + PAGE, None),
    ("input-1", PAGE, None),
])  # fmt: skip
async def test_a_brief_is_called_as_its_first_heading_near_its_beginning(
    exporter: Any, input_id: str, content: bytes, title: str | None
) -> None:
    asked = (await job(exporter, content, "a.html", "text/html")).model_copy(update={"input_id": input_id})
    told = await reading_of(exporter, asked)
    found = told.reading.title
    assert (await text_of(exporter, found) if found else None) == title


@pytest.mark.req("I1", "S3")
async def test_a_file_beyond_its_limits_is_unreadable_and_no_dead_job(confined: Any) -> None:
    asked = await job(confined, WINDOWS, "prices.csv", "text/csv")
    small = replace(confined.tools.readings, file_limits=FileLimits(file_bytes=8))
    slow = replace(confined.tools.readings, limits=Limits(wall_seconds=0.001, memory_mb=2048))
    assert (await small.read(asked)).unreadable.reason == "too_large"
    with pytest.raises(Stalled):  # the machine had no time: the job is tried again
        await slow.read(asked)


@pytest.mark.req("S3")
async def test_a_reading_finds_the_words_and_the_model_of_languages_in_its_process(confined: Any) -> None:
    """One that had to load them for itself would need a hundred megabytes more."""
    slim = replace(confined.tools.readings, limits=Limits(seconds=60, memory_mb=30))
    asked = await job(confined, WINDOWS, "prices.csv", "text/csv")
    assert isinstance(await slim.read(asked), InputRead)


@pytest.mark.req("H2")
async def test_pages_of_a_request_are_drawn_and_stored_with_their_words_as_many_as_the_settings_say(
    exporter: Any,
) -> None:
    pages = "#pagebreak()".join(f"Page {number} says: train ten users." for number in range(3))
    content = bytes(typst.compile(f"#set page(width: 12cm, height: 9cm)\n{pages}".encode()))
    readings = replace(exporter.tools.readings, drawings=Drawings(pages=2))
    told = await readings.read(await job(exporter, content, "rfp.pdf", "application/pdf", draw=True))
    assert isinstance(told, InputRead)
    assert told.reading.drawn is not None
    first, second = DrawnPages.model_validate_json(await text_of(exporter, told.reading.drawn)).pages
    assert (first.label, second.label) == ("p. 1", "p. 2")
    words = PageWords.model_validate_json(await text_of(exporter, second.words)).words
    assert " ".join(word.text for word in words) == "Page 1 says: train ten users."
    assert (await exporter.store.get("default", "doc-1", first.image)).startswith(b"\x89PNG")


@pytest.mark.req("H2", "S3")
async def test_a_file_is_read_all_the_same_where_its_pages_are_not_drawn_in_time_or_nobody_asks(
    exporter: Any, confined: Any
) -> None:
    content = bytes(typst.compile(b"Train ten users."))
    slow = Drawings(Limits(wall_seconds=1e-9, memory_mb=2048))
    none = Drawings(pages=0)
    for one, drawings, draw in ((confined, slow, True), (exporter, Drawings(), False), (exporter, none, True)):
        readings = replace(one.tools.readings, drawings=drawings)
        asked = await job(one, content, "rfp.pdf", "application/pdf", draw=draw)
        told = await readings.read(asked)
        assert isinstance(told, InputRead)
        assert told.reading.drawn is None
        assert await text_of(one, told.reading.text) == "Train ten users.\n"


@pytest.mark.req("I4")
async def test_a_new_version_is_compared_with_the_text_before_it_block_by_block(exporter: Any) -> None:
    before = "# Scope\n\nThe pilot starts in May.\n\nTen clinics take part.\n"
    head = (await exporter.job("md", "# A\n")).document
    previous = await exporter.store.put(
        head.tenant, head.document_id, before.encode(), media_type="text/markdown", name="rfp.md"
    )
    after = before.replace("May", "June").encode()
    asked = await job(exporter, after, "rfp.md", "text/markdown", is_text=True, previous=previous)
    told = await reading_of(exporter, asked)
    assert told.reading.text == asked.file
    difference = told.difference
    assert difference is not None
    assert difference.parts == (parts(before)[1].fingerprint,)
    changes = InputChanges.model_validate_json(await text_of(exporter, difference.changes))
    [part] = changes.changed
    assert (part.before, part.after, part.heading) == ("The pilot starts in May.", "The pilot starts in June.", "Scope")
