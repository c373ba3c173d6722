"""A DOCX comes back: what people did is shown, and taken over as theirs when it is asked for."""

import json
from pathlib import Path
from typing import Any

import pytest
from stemma_contracts.v1 import events, requests
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.returned import (
    ReturnedComment,
    ReturnedConflict,
    ReturnedDocument,
    ReturnedEdit,
    ReturnedObject,
    ReturnedSection,
)

pytestmark = pytest.mark.req("W2")
TEXT = "# Research\n\nIt takes 12 weeks in all. The end is near.\n\nNothing else is known of it.\n"
EDIT = ReturnedEdit(author="Bea Boss", before=TEXT, after=TEXT.replace("12", "10"))
SAYS = {"comment_id": "4", "author": "Carl", "text": "Is that so?"}
COMMENT = ReturnedComment.model_validate({**SAYS, "quote": "Nothing else is known of it."})
PICTURE = ReturnedObject(change="picture_gone", about="The site")
CONFLICT = ReturnedConflict(base="12 weeks", file="It takes 10 weeks.", document="It takes 14 weeks.")


class Converter:
    """What the other side finds in a file, or why it finds nothing."""

    def __init__(self, backstage: Any, document_id: str) -> None:
        self._backstage, self._document_id = backstage, document_id
        self.unread: Problem | None = None
        self.finds(edits=(EDIT,), merged=(EDIT,), comments=(COMMENT,))

    def finds(self, **section: Any) -> None:
        about = {"section_id": "research", "version": 1, "now": 1}
        other = ReturnedComment.model_validate({**SAYS, "comment_id": "5", "text": "New logo, please."})
        sections = (ReturnedSection.model_validate(about | section),)
        self.found = ReturnedDocument(sections=sections, around=("Our cover",), comments=(other,))

    async def hear(self, request: requests.Request) -> None:
        if isinstance(request, requests.ReadReturn):
            about: dict[str, Any] = {"return_id": "return-3", "job_id": "j"}
            ref = await self._backstage.text(self._document_id, "file")
            await self._append(events.ReturnRequested(return_id="return-3", file=ref, versions=ref))
            if why := self.unread:
                unread = events.ReturnUnread(**about, detail=why.message, code=why.code, params=why.params)
                return await self._append(unread)
            found = await self._backstage.text(self._document_id, self.found.model_dump_json())
            await self._append(events.ReturnRead(**about, found=found))
        elif isinstance(request, requests.ApplyReturn):
            draft = await self._backstage.text(self._document_id, EDIT.after)
            edited = {"section_id": "research", "version": 2, "draft": draft, "origin": Origin.WRITTEN}
            await self._append(events.SectionEdited.model_validate(edited))
        return None

    async def _append(self, event: events.Event) -> None:
        await self._backstage.append(self._document_id, event)


@pytest.fixture
async def converter(backstage: Any, document_id: str, requested: Any, drafted: Any) -> Converter:
    await backstage.append(document_id, requested, drafted("research", await backstage.text(document_id, TEXT)))
    made = Converter(backstage, document_id)
    backstage.on_request = made.hear
    backstage.accepted = {"return_id": "return-3", "section_ids": ("research",)}
    return made


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "back.docx").write_bytes(b"what the converter reads")
    return str(tmp_path / "back.docx")


def applied(backstage: Any) -> list[Any]:
    return [request for _, request in backstage.received if isinstance(request, requests.ApplyReturn)]


async def test_a_file_is_shown_and_nothing_is_taken_over(
    cli: Any, backstage: Any, document_id: str, converter: Converter, file: str
) -> None:
    done = await cli("import", document_id, file)
    assert done.exit_code == 0, done.stderr
    assert "research version 1: Bea Boss" in done.stdout
    assert "Carl comments on \u201cNothing else is known of it.\u201d (4): Is that so?" in done.stdout
    assert "outside of the sections: Our cover" in done.stdout
    assert "outside of the sections: Carl comments (5): New logo, please." in done.stdout
    assert "--apply takes this over" in done.stderr
    assert applied(backstage) == []


async def test_what_was_shown_is_taken_over_with_what_each_comment_becomes(
    cli: Any, backstage: Any, document_id: str, converter: Converter, file: str
) -> None:
    shown = json.loads((await cli("import", document_id, file, "--json")).stdout)
    use = ("--comments", "guidance", "--comment-as", "4=question", "--shown", shown["digest"][:12])
    done = await cli("import", document_id, file, "--apply", *use)
    assert done.exit_code == 0, done.stderr
    [request] = applied(backstage)
    assert (request.return_id, request.digest) == ("return-3", shown["digest"])
    assert (request.comments, request.comments_as) == ("guidance", {"4": "question"})
    assert "research is version 2 now" in done.stdout
    refused = await cli("import", document_id, file, "--apply", "--shown", "0" * 64)
    assert (refused.exit_code, len(applied(backstage))) == (1, 1)
    wrong = await cli("import", document_id, file, "--apply", "--comment-as", "4=joke")
    assert (wrong.exit_code, len(applied(backstage))) == (2, 1)


async def test_a_section_that_both_changed_is_taken_over_only_if_it_is_named(
    cli: Any, backstage: Any, document_id: str, converter: Converter, file: str
) -> None:
    converter.finds(now=2, edits=(EDIT,), merged=(EDIT,), conflicts=(CONFLICT,), removed=False, unsupported=(PICTURE,))
    done = await cli("import", document_id, file)
    assert done.exit_code == 1
    assert "take the words of the file with --section" in done.stderr
    for words in (CONFLICT.file, CONFLICT.document, "not taken over: a picture is gone: The site"):
        assert words in done.stdout
    done = await cli("import", document_id, file, "--apply", "--section", "research")
    assert (done.exit_code, [one.sections for one in applied(backstage)]) == (0, [("research",)])
    unknown = await cli("import", document_id, file, "--apply", "--section", "nowhere")
    assert (unknown.exit_code, "it has: research" in unknown.stderr) == (2, True)


async def test_what_is_none_of_the_document_is_told(
    cli: Any, document_id: str, converter: Converter, file: str, tmp_path: Path
) -> None:
    converter.unread = Problem.of("return_of_another", name="the document d2")
    done = await cli("import", document_id, file)
    assert (done.exit_code, "of the document d2" in done.stderr) == (2, True)
    missing = await cli("import", document_id, str(tmp_path / "none.docx"))
    assert missing.exit_code == 2


async def test_a_file_that_was_taken_over_before_changes_nothing(
    cli: Any, backstage: Any, document_id: str, converter: Converter, file: str
) -> None:
    async def refuse(request: requests.Request) -> None:
        await converter.hear(request)
        is_last = isinstance(request, requests.ApplyReturn)
        backstage.problems = (Problem.of("return_nothing", "sections", return_id="return-3"),) if is_last else ()

    backstage.on_request = refuse
    done = await cli("import", document_id, file, "--apply")
    assert (done.exit_code, "version 2" in done.stdout) == (0, False)
