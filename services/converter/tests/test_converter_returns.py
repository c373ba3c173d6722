"""A file that comes back is compared by a job, in a process of its own; a mail brings the one that is attached."""

from email.message import EmailMessage
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from stemma_contracts import subjects
from stemma_contracts.v1.jobs import CompareReturn
from stemma_contracts.v1.outcomes import ReturnCompared, ReturnNotCompared
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.returned import ReturnedDocument, WrittenVersion, WrittenVersions
from stemma_converter.handlers import routes
from stemma_messaging import WorkerBroker, WorkerSettings
from stemma_ooxml.word import W
from stemma_testkit.working import routed

from .returned_files import Root, edited, paragraph, remove, tracked, with_part
from .test_converter_returned import DRAFT

pytestmark = pytest.mark.req("W2")
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
OWNER = ("default", "doc-1")


def mail(*attachments: tuple[str, bytes]) -> bytes:
    message = EmailMessage()
    message["From"], message["Subject"] = "bea@client.example", "Our changes"
    message.set_content("As discussed.")
    for name, content in attachments:
        message.add_attachment(content, maintype="application", subtype=DOCX.partition("/")[2], filename=name)
    return message.as_bytes()


@pytest.fixture
async def left(exporter: Any) -> tuple[bytes, Any]:
    """A file that somebody changed, and the job of its export."""
    exported = await exporter.job("docx", DRAFT)
    data, _ = await exporter.converted(exported)
    return edited(data, lambda root: tracked(paragraph(root, "The report"), "every", "each")), exported


async def job(exporter: Any, exported: Any, content: bytes, name: str, *newer: str) -> CompareReturn:
    async def put(data: bytes, name: str, media_type: str) -> ArtifactRef:
        ref: ArtifactRef = await exporter.store.put(*OWNER, data, media_type=media_type, name=name)
        return ref

    drafts = [exported.sections[0].draft, *[await put(text.encode(), "draft.md", "text/markdown") for text in newer]]
    written = [WrittenVersion(section_id="s0", version=number, draft=draft) for number, draft in enumerate(drafts, 1)]
    versions = WrittenVersions(versions=tuple(written)).model_dump_json().encode()
    return CompareReturn(
        job_id="doc-1.9.compare.return-1",
        document=exported.document,
        return_id="return-1",
        file=await put(content, name, DOCX),
        versions=await put(versions, "versions.json", "application/json"),
    )


async def test_a_mail_brings_the_file_of_this_document_and_it_is_merged_with_the_newer_version(
    exporter: Any, left: tuple[bytes, Any]
) -> None:
    content, exported = left
    other, _ = await exporter.export("docx", "# Other\n\nWholly other words stand here, and no more.\n")
    newer = DRAFT.replace("of all sites", "of 12 sites")
    attached = mail(("other.docx", other[:90]), ("back.docx", content))
    asked = await job(exporter, exported, attached, "changes.eml", newer)
    broker = WorkerBroker(subjects.CONVERTER, WorkerSettings())
    broker.include_router(routes(lambda: exporter.tools))
    [(subject, told)] = await routed(broker, subjects.JOBS, subjects.job(subjects.CONVERTER, "compare-return"), asked)
    assert subject == subjects.outcome(subjects.CONVERTER, "return-compared")
    assert isinstance(told, ReturnCompared)
    assert (told.figures.edits, told.figures.conflicts, told.figures.certainty) == (1, 0, 1.0)
    found = ReturnedDocument.model_validate_json(await exporter.store.get(*OWNER, told.found))
    assert [(one.version, one.now) for one in found.sections] == [(1, 2)]
    [edit] = found.sections[0].merged
    assert (edit.author, edit.after) == ("Bea Boss", newer.replace("names every", "names each"))


def without_ids(content: bytes) -> bytes:
    """The file as another converter would have made it."""

    def unmark(root: Root) -> None:
        for mark in list(root.iter(f"{W}bookmarkStart")):
            remove(mark)

    with ZipFile(BytesIO(content)) as package:
        [origin] = [name for name in package.namelist() if b"<section " in package.read(name)]
    return with_part(edited(content, unmark), origin, b"<nothing/>")


async def test_a_file_without_ids_is_of_the_version_whose_words_it_has(exporter: Any, left: tuple[bytes, Any]) -> None:
    newer = DRAFT.replace("of all sites", "of 12 sites")
    newest = newer.replace("We write down", "We list")
    asked = await job(exporter, left[1], without_ids(left[0]), "back.docx", newer, newest)
    told = await exporter.tools.readings.compare(asked)
    assert isinstance(told, ReturnCompared)
    found = ReturnedDocument.model_validate_json(await exporter.store.get(*OWNER, told.found))
    assert [(one.version, one.now) for one in found.sections] == [(1, 3)]
    assert [edit.after for edit in found.sections[0].merged] == [newest.replace("names every", "names each")]
    assert 0.9 < found.certainty <= 1


@pytest.mark.parametrize(
    ("content", "name", "why"),
    [
        (b"%PDF-1.7", "back.docx", "return_unreadable"),
        (mail(), "changes.eml", "return_unreadable"),
        (b"", "changes.msg", "return_unreadable"),
    ],
)
async def test_what_is_none_of_the_document_is_refused_with_a_code(
    exporter: Any, left: tuple[bytes, Any], content: bytes, name: str, why: str
) -> None:
    asked = await job(exporter, left[1], content, name)
    told = await exporter.tools.readings.compare(asked)
    assert isinstance(told, ReturnNotCompared)
    assert told.code == why
