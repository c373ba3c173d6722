"""A DOCX comes back: what people did is shown, and taken over as theirs when it is asked for."""

import json
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from docx import Document
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from stemma_contracts.v1 import events, requests
from stemma_contracts.v1.comments import MadeComment, NewComment, Remark
from stemma_contracts.v1.provenance import Origin
from stemma_markdown import Document as Markdown
from stemma_ooxml.word import marked

TEXT = "# Research\n\nIt takes 12 weeks in all. The end is near.\n\nNothing else is known of it.\n"
File = Callable[..., Path]


@pytest.fixture
async def drafts(backstage: Any, document_id: str, requested: Any, drafted: Any) -> Any:
    draft = await backstage.text(document_id, TEXT)
    await backstage.append(document_id, requested, drafted("research", draft))

    async def take(request: requests.Request) -> None:
        if isinstance(request, requests.EditSection):
            text = await backstage.text(request.document_id, request.text)
            edited = events.SectionEdited(
                section_id="research", version=request.version + 1, draft=text, origin=Origin.WRITTEN
            )
            await backstage.append(request.document_id, edited)
        elif isinstance(request, requests.CommentSection):
            made = [await commented(number, one) for number, one in enumerate(request.comments)]
            about: dict[str, Any] = {"section_id": "research", "actor": request.actor, "version": request.version}
            await backstage.append(request.document_id, events.SectionCommented(**about, comments=tuple(made)))

    async def commented(number: int, comment: NewComment) -> MadeComment:
        remark = Remark(text=comment.text, quote=comment.quote).model_dump_json()
        name = f"c{number}"
        return MadeComment(comment_id=name, thread_id=name, remark=await backstage.text(document_id, remark))

    backstage.on_request = take
    return draft


@pytest.fixture
def file(drafts: Any, tmp_path: Path) -> File:
    """The document as it left, with a tracked word of Bea's and a comment of Carl's."""

    def write(word: str, comment: str = "Is that so?") -> Path:
        document = Document()
        for number, prose in enumerate(Markdown(TEXT).prose):
            paragraph = document.add_paragraph()
            name = marked(0, drafts.digest, number, prose.text).name
            for tag in ("w:bookmarkStart", "w:bookmarkEnd"):
                mark = OxmlElement(tag)
                mark.set(qn("w:id"), str(number))
                mark.set(qn("w:name"), name)
                paragraph._p.append(mark)
            before, old, after = prose.text.partition("12")
            paragraph.add_run(before)
            for tag, words in (("w:del", old), ("w:ins", word)) if old else ():
                change = OxmlElement(tag)
                change.set(qn("w:author"), "Bea Boss")
                change.append(paragraph.add_run(words)._r)
                paragraph._p.append(change)
            paragraph.add_run(after)
            if number == 2:
                document.add_comment(paragraph.runs[0], text=comment, author="Carl", initials="C")
        buffer = BytesIO()
        document.save(buffer)
        (tmp_path / "back.docx").write_bytes(buffer.getvalue())
        return tmp_path / "back.docx"

    return write


@pytest.mark.req("W2")
async def test_a_file_is_shown_and_nothing_is_taken_over(
    cli: Any, backstage: Any, document_id: str, file: File
) -> None:
    done = await cli("import", document_id, str(file("10")))
    assert done.exit_code == 0, done.stderr
    assert "research version 1: Bea Boss" in done.stdout
    assert "12" in done.stdout
    assert "Carl comments on \u201cNothing else is known of it.\u201d: Is that so?" in done.stdout
    assert "--apply takes this over" in done.stderr
    assert backstage.received == []


@pytest.mark.req("W2")
async def test_what_is_applied_is_an_edit_and_a_comment_of_those_people(
    cli: Any, backstage: Any, document_id: str, file: File
) -> None:
    done = await cli("import", document_id, str(file("10")), "--apply")
    assert done.exit_code == 0, done.stderr
    edit, comment = [request for _, request in backstage.received]
    assert (edit.actor, edit.version, edit.text) == ("Bea.Boss", 1, TEXT.replace("12", "10"))
    assert (comment.actor, comment.version) == ("Carl", 2)
    assert (comment.comments[0].text, comment.comments[0].quote) == ("Is that so?", "Nothing else is known of it.")


@pytest.mark.req("W2")
@pytest.mark.parametrize("now", ["Nothing else", "Not much"], ids=["its words are there", "its words are gone"])
async def test_a_long_comment_is_taken_over_whole_and_once(
    cli: Any, backstage: Any, document_id: str, file: File, now: str
) -> None:
    newer = await backstage.text(document_id, TEXT.replace("Nothing else", now))
    edited = events.SectionEdited(section_id="research", version=2, draft=newer, origin=Origin.WRITTEN)
    await backstage.append(document_id, edited)
    words = "".join(f" {number:05}" for number in range(4000)).strip()
    for _ in range(2):
        done = await cli("import", document_id, str(file("10", words)), "--apply")
        assert done.exit_code == 0, done.stderr
    _, request = [request for _, request in backstage.received]
    quoted = "" if now == "Nothing else" else "\u201cNothing else is known of it.\u201d: "
    assert "".join(comment.text.removeprefix(quoted) for comment in request.comments) == words
    assert len(request.comments) == 4
    assert {comment.text.startswith("\u201c") for comment in request.comments} == {bool(quoted)}


@pytest.mark.req("W2")
async def test_a_section_that_both_changed_is_left_with_both_texts(
    cli: Any, backstage: Any, document_id: str, file: File
) -> None:
    newer = await backstage.text(document_id, TEXT.replace("12 weeks", "14 weeks"))
    edited = events.SectionEdited(section_id="research", version=2, draft=newer, origin=Origin.WRITTEN)
    await backstage.append(document_id, edited)
    done = await cli("import", document_id, str(file("10")), "--apply", "--json")
    assert done.exit_code == 1
    assert "settle them with `stemma edit`" in done.stderr
    [section] = json.loads(done.stdout)["sections"]
    assert [(one["ours"], one["theirs"]) for one in section["conflicts"]] == [
        ("It takes 10 weeks in all.", "It takes 14 weeks in all.")
    ]
    assert [request for _, request in backstage.received] == []


@pytest.mark.req("W2")
async def test_what_nobody_can_take_over_is_told(cli: Any, backstage: Any, document_id: str, file: File) -> None:
    path = file("10")
    document = Document(str(path))
    cover = document.paragraphs[0].insert_paragraph_before("Our cover")
    document.add_comment(cover.runs[0], text="New logo, please.", author="Dan", initials="D")
    for text in [text for one in document.paragraphs[1:] for text in one._p.iter(qn("w:t"), qn("w:delText"))]:
        text.text = ""
    document.save(str(path))
    done = await cli("import", document_id, str(path), "--apply")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "research: all of its text is gone from the file; the section stays as it is" in done.stdout
    assert "outside of the sections: Our cover" in done.stdout
    assert "outside of the sections: Dan comments on \u201cOur cover\u201d: New logo, please." in done.stdout
    assert "outside of the sections: Carl comments: Is that so?" in done.stdout
    assert backstage.received == []


@pytest.mark.req("W2")
async def test_what_is_no_docx_is_told(cli: Any, document_id: str, drafts: Any, tmp_path: Path) -> None:
    (tmp_path / "back.docx").write_text("no")
    done = await cli("import", document_id, str(tmp_path / "back.docx"))
    assert (done.exit_code, "cannot be read as DOCX" in done.stderr) == (2, True)
    missing = await cli("import", document_id, str(tmp_path / "none.docx"))
    assert (missing.exit_code, "cannot be read" in missing.stderr) == (2, True)
